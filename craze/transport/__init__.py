"""Bytes: processes, their lines in order, JSON-RPC envelopes, terminals. It knows no protocol and no session."""

from craze.transport.ahead import Ahead
from craze.transport.calls import Calls, Taken
from craze.transport.cut import is_noise, message_of
from craze.transport.groups import kill_all
from craze.transport.jsonrpc import Invalid, Message, Notification, Parsed, Request, Response, RpcError, parse
from craze.transport.lines import MAX_LINE, Line, LineSplitter, Mark
from craze.transport.process import Hearer, Link, Process, Sent, Stopped
from craze.transport.ring import Ring
from craze.transport.spawn import Command, Spawn, spawn
from craze.transport.tap import Capture, Exit, Now, Row, Tap
from craze.transport.terminals import Output, Terminals, TooManyTerminalsError, UnknownTerminalError

__all__ = [
    "MAX_LINE",
    "Ahead",
    "Calls",
    "Capture",
    "Command",
    "Exit",
    "Hearer",
    "Invalid",
    "Line",
    "LineSplitter",
    "Link",
    "Mark",
    "Message",
    "Notification",
    "Now",
    "Output",
    "Parsed",
    "Process",
    "Request",
    "Response",
    "Ring",
    "Row",
    "RpcError",
    "Sent",
    "Spawn",
    "Stopped",
    "Taken",
    "Tap",
    "Terminals",
    "TooManyTerminalsError",
    "UnknownTerminalError",
    "is_noise",
    "kill_all",
    "message_of",
    "parse",
    "spawn",
]
