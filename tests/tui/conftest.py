"""Screens of tests are drawn in one time zone."""

from __future__ import annotations

import os
import time

os.environ["TZ"] = "UTC"
time.tzset()
