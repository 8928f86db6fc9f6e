"""What to be careful about in a link, in words. Pure."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def doubt(target: str) -> str:
    """A warning about the host of a link; "" when there is nothing odd."""
    try:
        parts = urlsplit(target)
        host = parts.hostname or ""
    except ValueError:
        return "this is no proper address"
    if parts.username is not None:
        return f"the host is {host}: what stands before the @ is only a name"
    if not host.isascii() or any(label.startswith("xn--") for label in host.split(".")):
        return f"the host {host} has letters that may look like others"
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return ""
    return f"the host {host} is a number, not a name"
