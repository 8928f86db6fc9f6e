"""A scripted agent that speaks ACP on standard input and output.

The agent when none is configured, and the counterpart of the tests. It needs the standard library and msgspec, no
network and no key, and writes only below `.craze-demo/` of a session's folder.
"""
