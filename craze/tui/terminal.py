"""The terminal around the screen: the only place that writes escapes of its own - title, notification, clipboard.

Everything goes to the driver's file, which is standard output: standard error stays for errors.
"""

from __future__ import annotations

import base64
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import Enum
from typing import Any, Final, Literal, Protocol, TextIO, TypeAlias, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.drivers.linux_driver import LinuxDriver

from craze.tui.scrub import cut, line

Mark: TypeAlias = Literal["!", "✕", "❖", "✦"]
"""Needs you, error, working, idle."""

Way: TypeAlias = Literal["auto", "bell", "osc9", "osc777", "off"]
TITLE: Final = 40
CLIPBOARD: Final = 256 << 10
_OSC9: Final = ("iTerm.app", "WezTerm", "ghostty", "kitty", "WarpTerminal", "rio")
_OSC777: Final = ("rxvt", "foot", "konsole", "vte")


class Sent(Enum):
    """Keys that terminals send with ESC in front, and that Textual takes for the keys without Alt."""

    ALT_ENTER = "alt+enter"
    ALT_UNDERSCORE = "alt+underscore"


_SEQUENCES: Final = {"\x1b\r": (Sent.ALT_ENTER,), "\x1b_": (Sent.ALT_UNDERSCORE,)}
cast("dict[str, object]", ANSI_SEQUENCES_KEYS).update(_SEQUENCES)


class Driver(LinuxDriver):
    """Textual's driver, on standard output; it stops and comes back like any program of a shell's job."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)  # pyright: ignore[reportUnknownMemberType] - the app's own result type
        file = cast("TextIO", sys.__stdout__ or self._file)
        self._file = Lasting(file)  # pyright: ignore[reportAttributeAccessIssue] - it has all that is used

    def use_mouse(self, on: bool) -> None:
        """Also for when the terminal comes back."""
        self._mouse = True  # without it neither way is written
        self._enable_mouse_support() if on else self._disable_mouse_support()
        self._mouse = on

    def stop(self) -> None:
        """Give the terminal back and stop, until the shell brings the job to the front again.

        All of the job stops, as by the terminal's own Ctrl+Z: a program that has started craze would only wait for it.
        Where no shell could bring it back the kernel stops nothing.
        """
        self.suspend_application_mode()
        for number in (signal.SIGTSTP, signal.SIGCONT):
            signal.signal(number, signal.SIG_DFL)
        os.killpg(0, signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._sigtstp_application)
        signal.signal(signal.SIGCONT, self._sigcont_application)
        self.resume_application_mode()

    def _renew(self) -> None:
        """Somebody else stopped craze, and the terminal may have other modes since."""
        if self._writer_thread and self._writer_thread.is_alive():
            self.suspend_application_mode()
        self.resume_application_mode()

    def suspend_application_mode(self) -> None:
        self._surroundings.end()
        super().suspend_application_mode()

    def resume_application_mode(self) -> None:
        super().resume_application_mode()
        self._surroundings.begin()
        self._app.refresh(repaint=True, layout=True)

    @property
    def _surroundings(self) -> Surroundings:
        return cast("Surrounded", self._app).around

    def run_input_thread(self) -> None:
        """A window that was closed ends the app, whether or not its shell says so."""
        try:
            super().run_input_thread()
        except OSError:
            signal.raise_signal(signal.SIGHUP)

    # Signals come in the middle of anything: the terminal is left to the loop.

    def _sigtstp_application(self, *_: object) -> None:
        if self._auto_restart:
            self._loop.call_soon_threadsafe(self.stop)
        else:
            os.kill(os.getpid(), signal.SIGSTOP)

    def _sigcont_application(self, *_: object) -> None:
        if self._auto_restart:
            self._loop.call_soon_threadsafe(self._renew)


class Lasting:
    """A terminal's file: everything is written whole, and a closed window does not break it.

    Textual writes in a thread of its own; an error would end the thread, and the app would wait for it for ever. What
    can no longer be shown is dropped. A signal may cut a write short, and a standard output without a buffer
    (`PYTHONUNBUFFERED`) would lose the rest of the picture.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> None:
        left = text.encode(self._file.encoding, "replace")
        with suppress(OSError):
            while left:
                left = left[os.write(self.fileno(), left) :]

    def flush(self) -> None:
        """Nothing is held back."""

    def fileno(self) -> int:
        return self._file.fileno()

    def isatty(self) -> bool:
        return self._file.isatty()


def has_colours(environment: Mapping[str, str]) -> bool:
    """Whether colours are wanted and the terminal has any; an empty `NO_COLOR` counts as unset."""
    return not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def title(mark: Mark, text: str) -> str:
    """OSC 2 with at most 40 cells of the title."""
    return f"\x1b]2;{mark} {cut(line(text), TITLE - 2)}\x07"


PUSH_TITLE: Final = "\x1b[22;2t"
SHOW_CURSOR: Final = "\x1b[?25h"
POP_TITLE: Final = "\x1b[23;2t"


def way_of(wanted: Way, environment: Mapping[str, str]) -> Way:
    """How this terminal is notified; `auto` by what it says it is."""
    if wanted != "auto":
        return wanted
    program, term = environment.get("TERM_PROGRAM", ""), environment.get("TERM", "")
    told = (program, environment.get("LC_TERMINAL", ""), term)
    if any(name in each for name in _OSC9 for each in told):
        return "osc9"
    return "osc777" if any(name in term for name in _OSC777) or "VTE_VERSION" in environment else "bell"


def notification(way: Way, text: str, *, tmux: bool) -> str:
    """What makes the terminal call the person; `text` is scrubbed."""
    said = line(text).replace(";", ",")
    plain = {"osc9": f"\x1b]9;{said}\x07", "osc777": f"\x1b]777;notify;craze;{said}\x07", "bell": "\x07"}.get(way, "")
    return _through(plain) if tmux and way in ("osc9", "osc777") else plain


def clipboard(text: str, *, tmux: bool) -> str:
    """OSC 52; "" when the text is too long for it."""
    content = text.encode(errors="replace")
    if len(content) > CLIPBOARD:
        return ""
    plain = f"\x1b]52;c;{base64.b64encode(content).decode()}\x07"
    return _through(plain) if tmux else plain


def _through(escape: str) -> str:
    """An escape that tmux hands on to the terminal around it."""
    return "\x1bPtmux;" + escape.replace("\x1b", "\x1b\x1b") + "\x1b\\"


class Surroundings:
    """Says title and notifications, each only when it has something new to say.

    Args:
        write: Writes to the terminal.
        now: Seconds, for the pause between notifications.
        cursor: The terminal's own cursor is shown, for a reader of the screen.
    """

    PAUSE: Final = 5.0

    def __init__(
        self,
        write: Callable[[str], None],
        *,
        titles: bool,
        notify: Way,
        cursor: bool = False,
        now: Callable[[], float],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._write, self._titles, self._cursor, self._now = write, titles, cursor, now
        self._environment = os.environ if environment is None else environment
        self._way: Way = way_of(notify, self._environment)
        self._title = ""
        self._called = -self.PAUSE
        self.focused = False
        """Whether the terminal has said that it is looked at."""

    @property
    def _tmux(self) -> bool:
        return bool(self._environment.get("TMUX"))

    def begin(self) -> None:
        """Take the title over; after `end` it is shown as it was. The cursor stays where the keys go, and is seen."""
        if self._titles:
            self._write(PUSH_TITLE + self._title)
        if self._cursor:
            self._write(SHOW_CURSOR)

    def end(self) -> None:
        if self._titles:
            self._write(POP_TITLE)

    def show(self, mark: Mark, text: str) -> None:
        said = title(mark, text)
        if self._titles and said != self._title:
            self._title = said
            self._write(said)

    def call(self, reason: str, text: str) -> None:
        """Notify, unless the terminal has the focus or was notified a moment ago."""
        if self.focused or self._way == "off" or self._now() - self._called < self.PAUSE:
            return
        self._called = self._now()
        self._write(notification(self._way, f"craze: {reason} · {text}", tmux=self._tmux))

    def copy(self, text: str) -> bool:
        escape = clipboard(text, tmux=self._tmux)
        if escape:
            self._write(escape)
        return bool(escape)


class Surrounded(Protocol):
    """The app of a `Driver`."""

    @property
    def around(self) -> Surroundings: ...
