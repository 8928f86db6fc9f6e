"""JSON-RPC 2.0 lines: what a line is, and how one is written.

Pure. `id`, `params`, `result` and `error` stay the bytes they were; typed reading is the provider's.
A line that the fast decoder refuses is repaired and read again, or is not JSON-RPC.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import replace

from craze.transport.rescue import repaired, without_lone_surrogates

METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR, INVALID_REQUEST = -32601, -32602, -32603, -32600
CANCELLED, AUTH_REQUIRED, NOT_FOUND, BUSY = -32800, -32000, -32002, -32003


class Request(Struct, frozen=True, gc=False):
    """Wants an answer to `id`, whose bytes are echoed as they are."""

    id: bytes
    method: str
    params: Raw


class Notification(Struct, frozen=True, gc=False):
    method: str
    params: Raw


class Response(Struct, frozen=True, gc=False):
    """Exactly one of `result` and `error` is set."""

    id: bytes
    result: Raw | None = None
    error: Raw | None = None


class Invalid(Struct, frozen=True, gc=False):
    """An object that is no JSON-RPC message; `id` is what can be answered, or empty."""

    id: bytes = b""


Message: TypeAlias = Request | Notification | Response | Invalid


class Parsed(Struct, frozen=True, gc=False):
    """The messages of one line in order, and the lints about it; `noise` is a line that is none of the protocol."""

    messages: tuple[Message, ...] = ()
    lints: tuple[str, ...] = ()
    noise: bool = False


class RpcError(Struct, frozen=True):
    """An error member, read leniently: a string is the message, a missing code 0."""

    code: int = 0
    message: str = ""
    data: Raw | None = None


class _Envelope(Struct, frozen=True, gc=False):
    jsonrpc: Raw | UnsetType = UNSET
    id: Raw | UnsetType = UNSET
    method: str | UnsetType | None = UNSET
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET


class _IdOnly(Struct, frozen=True, gc=False):
    id: Raw | UnsetType = UNSET


class _LooseError(Struct, frozen=True):
    code: Raw | UnsetType = UNSET
    message: Raw | UnsetType = UNSET
    data: Raw | UnsetType = UNSET


_envelope = msgspec.json.Decoder(_Envelope)
_encoder = msgspec.json.Encoder()
_BLANK = b" \t\r"
_MARK = b"\xef\xbb\xbf"  # what some runtimes put before the first line of a stream
_NOTHING, _NO_PARAMS, _VERSION = Raw(b"null"), Raw(b"{}"), Raw(b'"2.0"')
# Line readers of some agents split at these; as escapes they mean the same.
_SPLITTERS = ((b"\xe2\x80\xa8", b"\\u2028"), (b"\xe2\x80\xa9", b"\\u2029"), (b"\xc2\x85", b"\\u0085"))


def parse(line: bytes) -> Parsed:
    """What a line says. Total: a line that says nothing gives no message."""
    if line.startswith(b"{"):
        return _object(line)
    if line.startswith(_MARK):
        return _mended(parse(line.removeprefix(_MARK)))
    line = line.strip(_BLANK)
    if not line:
        return Parsed()
    match line[:1]:
        case b"{":
            return _object(line)
        case b"[":
            return _batch(line)
        case _:
            return Parsed(noise=True, lints=("noise",))


def read_error(raw: Raw) -> RpcError:
    """Read an `error` member; whatever it is, it is one."""
    try:
        loose = msgspec.json.decode(raw, type=_LooseError)
    except (msgspec.DecodeError, RecursionError):
        return RpcError(message=_text(raw))
    code = _value(loose.code)
    message = "" if loose.message is UNSET else _text(loose.message)
    data = loose.data if isinstance(loose.data, Raw) and loose.data != _NOTHING else None
    return RpcError(code if isinstance(code, int) and not isinstance(code, bool) else 0, message, data)


def request(number: int, method: str, params: object) -> bytes:
    return _line(b'{"jsonrpc":"2.0","id":%d,"method":%b,"params":%b}', number, encode(method), encode(params))


def notification(method: str, params: object) -> bytes:
    return _line(b'{"jsonrpc":"2.0","method":%b,"params":%b}', encode(method), encode(params))


def result(to: bytes, value: object) -> bytes:
    """The answer to the request with the id bytes `to`."""
    return _line(b'{"jsonrpc":"2.0","id":%b,"result":%b}', to or b"null", encode(value))


def error(to: bytes, code: int, message: str, data: object = None) -> bytes:
    body: dict[str, object] = {"code": code, "message": message}
    if data is not None:
        body["data"] = data
    return _line(b'{"jsonrpc":"2.0","id":%b,"error":%b}', to or b"null", encode(body))


def encode(value: object) -> bytes:
    """JSON without a line end in it; what a person pasted may hold lone surrogates, which become U+FFFD."""
    try:
        text = _encoder.encode(value)
    except UnicodeEncodeError:
        text = _encoder.encode(without_lone_surrogates(msgspec.to_builtins(value, builtin_types=(Raw,))))
    for splitter, escape in _SPLITTERS:
        if splitter in text:
            text = text.replace(splitter, escape)
    return text.replace(b"\n", b" ").replace(b"\r", b" ") if b"\n" in text or b"\r" in text else text


def _line(form: bytes, *parts: object) -> bytes:
    return form % parts


def _object(line: bytes) -> Parsed:
    try:
        if not line.isascii():
            line.decode()
        return _classified(_envelope.decode(line))
    except msgspec.ValidationError:  # a member of the wrong type: nothing behind it has been read yet
        return _invalid(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _again(line, _object) or Parsed(lints=("bad-json",))


def _batch(line: bytes) -> Parsed:
    noise = Parsed(noise=True, lints=("noise",))
    try:
        elements = [bytes(element) for element in msgspec.json.decode(line, type=list[Raw])]
    except (msgspec.DecodeError, RecursionError):
        return _again(line, _batch) or noise
    if not elements or not all(element.startswith(b"{") for element in elements):
        return noise
    parts = [_object(element) for element in elements]
    messages = tuple(message for part in parts for message in part.messages)
    return Parsed(messages, ("batch", *(lint for part in parts for lint in part.lints)))


def _again(line: bytes, read: Callable[[bytes], Parsed]) -> Parsed | None:
    """Read the line as it should have been; None when nothing can mend it."""
    mended = repaired(line)
    if mended is None or mended == line:
        return None
    parsed = read(mended)
    return None if parsed.noise else _mended(parsed)


def _mended(parsed: Parsed) -> Parsed:
    return replace(parsed, lints=("repaired-line", *parsed.lints)) if parsed.messages else parsed


def _classified(envelope: _Envelope) -> Parsed:
    """Presence decides what a message is: real agents number their requests from 0. A method of null is none."""
    odd = () if envelope.jsonrpc == _VERSION else ("envelope",)
    params = _NO_PARAMS if envelope.params is UNSET or envelope.params == _NOTHING else envelope.params
    if isinstance(envelope.method, str):
        if envelope.id is UNSET:
            return Parsed((Notification(envelope.method, params),), odd)
        return Parsed((Request(bytes(envelope.id), envelope.method, params),), odd)
    if envelope.id is UNSET:
        return Parsed((Invalid(),), ("envelope",))
    return _response(bytes(envelope.id), envelope.result, envelope.error, odd)


def _response(number: bytes, value: Raw | UnsetType, failure: Raw | UnsetType, odd: tuple[str, ...]) -> Parsed:
    if failure is not UNSET and failure != _NOTHING:
        return Parsed((Response(number, error=failure),), odd)
    if value is UNSET:
        return Parsed((Response(number, result=_NOTHING),), ("envelope",))
    return Parsed((Response(number, result=value),), odd)


def _invalid(line: bytes) -> Parsed:
    try:
        number = msgspec.json.decode(line, type=_IdOnly).id
    except (msgspec.DecodeError, RecursionError):
        return _again(line, _object) or Parsed(lints=("bad-json",))
    return Parsed((Invalid(b"" if number is UNSET else bytes(number)),), ("envelope",))


def _value(raw: Raw | UnsetType) -> object:
    try:
        return None if raw is UNSET else msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def _text(raw: Raw) -> str:
    value = _value(raw)
    return value if isinstance(value, str) else bytes(raw).decode("utf-8", "replace")
