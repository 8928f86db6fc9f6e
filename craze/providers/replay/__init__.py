"""Stored sessions on the road of live ones: `stored` plays journals and event files, `capture` derives captures again."""
