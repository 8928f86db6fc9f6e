"""Every binding of the screen: its id, default keys, help text and group; and what `[keys]` makes of them.

A widget declares `BINDINGS = bindings("queue.up", …)` and has a method named after the id's last part. Help, hints and
the palette read the same list, so a key is written down once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct
from textual.binding import Binding, BindingType
from textual.keys import KEY_ALIASES, Keys, _character_to_key  # pyright: ignore[reportPrivateUsage] - bindings use it

from craze.config.near import nearest


class Key(Struct, frozen=True):
    """One binding. `keys` are separated by commas; `hint` is the short form of the hint bar, "" = never there."""

    id: str
    keys: str
    description: str
    hint: str = ""
    first: bool = False
    """Asked before the focused widget gets the key."""
    calls: str = ""
    """The action, where it is not the id's last part."""

    @property
    def group(self) -> str:
        return self.id.partition(".")[0]

    @property
    def action(self) -> str:
        return self.calls or self.id.partition(".")[2]


KEYS: Final[tuple[Key, ...]] = (
    # the composer
    Key("prompt.send", "enter", "Send; queue while the agent works", "send"),
    Key("prompt.newline", "alt+enter,shift+enter,ctrl+j", "New line (or \\ then enter)"),
    Key("prompt.send_now", "ctrl+s,ctrl+enter", "Send now: steer the running turn, or replace it", "send now"),
    Key("prompt.older", "up", "Older prompt, from the first row; from an empty one, the queue"),
    Key("prompt.newer", "down", "Newer prompt, from the last row"),
    Key("prompt.search", "ctrl+r", "Search earlier prompts", "history"),
    Key("prompt.editor", "ctrl+g", "Write the prompt in your editor"),
    Key("prompt.paste", "ctrl+v", "Paste text or an image"),
    Key("prompt.complete", "tab", "Complete; or answer what the agent asks"),
    Key("prompt.yank", "alt+y", "Put back what was cut"),
    Key("prompt.undo", "ctrl+underscore,ctrl+slash", "Undo"),
    Key("prompt.redo", "alt+underscore", "Redo"),
    Key("prompt.kill_word", "ctrl+w,alt+backspace,ctrl+backspace", "Cut the word before the cursor"),
    Key("prompt.kill_start", "ctrl+u", "Cut to the start of the line"),
    Key("prompt.kill_end", "ctrl+k", "Cut to the end of the line"),
    Key("prompt.word_left", "ctrl+left,alt+b,alt+left", "One word left", calls="cursor_word_left"),
    Key("prompt.word_right", "ctrl+right,alt+f,alt+right", "One word right", calls="cursor_word_right"),
    Key("prompt.line_start", "home,ctrl+a", "Start of the line", calls="cursor_line_start"),
    Key("prompt.line_end", "end,ctrl+e", "End of the line", calls="cursor_line_end"),
    Key("prompt.left", "left", "One character left", calls="cursor_left"),
    Key("prompt.right", "right", "One character right", calls="cursor_right"),
    Key("prompt.select_left", "shift+left", "Select to the left", calls="cursor_left(True)"),
    Key("prompt.select_right", "shift+right", "Select to the right", calls="cursor_right(True)"),
    Key("prompt.select_up", "shift+up", "Select upwards", calls="cursor_up(True)"),
    Key("prompt.select_down", "shift+down", "Select downwards", calls="cursor_down(True)"),
    Key("prompt.backspace", "backspace,ctrl+h", "Delete the character or chip before the cursor", calls="delete_left"),
    Key("prompt.delete", "delete", "Delete the character after the cursor", calls="delete_right"),
    # everywhere
    Key("app.escape", "escape", "Close, go back, or stop the turn", "stop"),
    Key("app.cancel", "ctrl+c", "Copy a selection, stop, clear; twice quits", first=True),
    Key("app.eof", "ctrl+d", "Quit from an empty prompt", first=True),
    Key("app.quit", "ctrl+q", "Quit", "quit", first=True, calls="leave"),
    Key("app.suspend", "ctrl+z", "Suspend craze; the agent runs on", first=True, calls="suspend"),
    Key("app.redraw", "ctrl+l", "Redraw the screen", first=True),
    Key("app.palette", "ctrl+p", "Everything there is to do, by name", "palette", first=True, calls="open_palette"),
    Key("app.help", "f1", "Keys and commands (also ? on an empty prompt)", "help", first=True, calls="show_help"),
    Key("mode.next", "shift+tab", "Next mode", "mode", calls="next_mode"),
    Key("model.pick", "alt+p", "Choose the model", calls="pick_model"),
    Key("todos.cycle", "ctrl+t", "Todos: compact, expanded, hidden", calls="cycle_todos"),
    Key(
        "focus.next",
        "f6",
        "Next part: transcript, todos, agents, queue, prompt",
        "next part",
        first=True,
        calls="next_part",
    ),
    Key("focus.previous", "shift+f6", "Previous part", first=True, calls="previous_part"),
    # the transcript, from everywhere
    Key("transcript.detail", "ctrl+o", "Show everything compact or in full", "details"),
    Key("transcript.search", "ctrl+f", "Search the transcript", calls="find"),
    Key("transcript.copy_reply", "ctrl+y", "Copy the last reply"),
    Key("transcript.page_up", "pageup", "One page up"),
    Key("transcript.page_down", "pagedown", "One page down"),
    Key("transcript.top", "ctrl+home", "Start of the transcript"),
    Key("transcript.bottom", "ctrl+end", "End of the transcript, and follow"),
    Key("transcript.focus", "alt+up", "To the transcript", calls="to_transcript"),
    # in the transcript
    Key("transcript.up", "up,k", "Previous block", "move"),
    Key("transcript.down", "down,j", "Next block"),
    Key("transcript.toggle", "enter,space", "Open or close the block", "open"),
    Key("transcript.open", "right", "Open the block"),
    Key("transcript.close", "left", "Close the block"),
    Key("transcript.previous_prompt", "[", "Previous prompt", "prompts"),
    Key("transcript.next_prompt", "]", "Next prompt"),
    Key("transcript.previous_tool", "{", "Previous tool"),
    Key("transcript.next_tool", "}", "Next tool"),
    Key("transcript.next_diff", "d", "Next diff"),
    Key("transcript.previous_diff", "D", "Previous diff"),
    Key("transcript.next_error", "e", "Next error"),
    Key("transcript.previous_error", "E", "Previous error"),
    Key("transcript.first", "g,home", "First block"),
    Key("transcript.last", "G,end", "Last block, and follow"),
    Key("transcript.select", "v", "Select lines; on a cut block: all of it", "select"),
    Key("transcript.copy", "y", "Copy the selection or block", "copy"),
    Key("transcript.copy_code", "c", "Copy the code under the cursor"),
    Key("transcript.source", "r", "Rendered or source"),
    Key("transcript.wrap", "w", "Wrap or crop long lines of code"),
    Key("transcript.side", "s", "Diff side by side, or unified"),
    Key("transcript.link", "o", "Open a link, save an image"),
    Key("transcript.find", "/", "Search", "search"),
    Key("transcript.next_hit", "n", "Next hit"),
    Key("transcript.previous_hit", "N", "Previous hit"),
    Key("transcript.leave", "escape,q,i", "Back to the prompt", "back"),
    # the queue
    Key("queue.hold", "ctrl+@,ctrl+space", "Hold or release the queue", first=True, calls="hold_queue"),
    Key("queue.up", "up", "Row above", "move"),
    Key("queue.down", "down", "Row below"),
    Key("queue.edit", "enter", "Edit the prompt", "edit"),
    Key("queue.remove", "delete,x,backspace", "Remove the prompt; on the head line, all", "remove"),
    Key("queue.earlier", "alt+up,K", "Move up"),
    Key("queue.later", "alt+down,J", "Move down"),
    Key("queue.now", "s", "Send now", "now"),
    Key("queue.toggle_hold", "h", "Hold or release", "hold"),
    Key("queue.leave", "escape,q", "Back to the prompt", "back"),
    # todos and agents
    Key("todos.up", "up,k", "Row above"),
    Key("todos.down", "down,j", "Row below"),
    Key("todos.expand", "enter,space", "Compact or expanded", "open"),
    Key("todos.leave", "escape,q", "Back to the prompt", "back"),
    Key("agents.previous", "up,left,k", "Previous agent", "move"),
    Key("agents.next", "down,right,j", "Next agent"),
    Key("agents.open", "enter", "Show its transcript", "open"),
    Key("agents.stop", "delete,x", "Stop it", "stop it"),
    Key("agents.leave", "escape,q", "Back to the prompt", "back"),
    # the answer of a side question
    Key("aside.up", "up,k", "Scroll up"),
    Key("aside.down", "down,j", "Scroll down"),
    Key("aside.copy", "y", "Copy the answer", "copy"),
    Key("aside.view", "v", "Read it full screen", "full"),
    Key("aside.close", "escape,q", "Close", "close"),
    # a sub-agent's transcript
    Key("child.next", "tab", "Next agent", "next"),
    Key("child.previous", "shift+tab", "Previous agent"),
    Key("child.stop", "delete,x", "Stop this agent", "stop it"),
    Key("child.leave", "escape,q", "Back to the conversation", "back"),
    # asks
    Key("ask.pick", "1,2,3,4,5,6,7,8,9", "Pick by number"),
    Key("ask.yes", "y", "Yes, once; accept the plan", "once"),
    Key("ask.always", "a", "Always; accept the plan", "always"),
    Key("ask.no", "n", "No, once; reject the plan", "no"),
    Key("ask.never", "N", "Never"),
    Key("ask.up", "up", "Choice above"),
    Key("ask.down", "down", "Choice below"),
    Key("ask.choose", "enter", "Choose", "choose"),
    Key("ask.mark", "space", "Mark one of several"),
    Key("ask.tell", "t", "Say why not", "tell"),
    Key("ask.view", "v", "Read all of it, full screen", "full"),
    Key("ask.feedback", "f", "Reject the plan, and say why", "feedback"),
    Key("ask.edit", "e", "Change it in your editor", "edit"),
    Key("ask.reject", "r", "Reject the plan"),
    Key("ask.side", "s", "Diff side by side"),
    Key("ask.filter", "/", "Filter the choices"),
    Key("ask.back", "left", "Previous question"),
    Key("ask.forward", "right", "Next question"),
    Key("ask.skip", "ctrl+n", "Skip this question", "skip"),
    Key("ask.scroll_up", "shift+up", "Scroll its text up"),
    Key("ask.scroll_down", "shift+down", "Scroll its text down"),
    Key("ask.next", "tab", "Next of the open asks"),
    Key("ask.newline", "alt+enter", "New line in a text"),
    Key("ask.stop", "escape", "Stop the turn; skip the question", "stop"),
    # bars
    Key("cancel.restart", "r", "Restart the agent that does not stop", "restart agent"),
    Key("cancel.new", "n", "A new session instead", "new session"),
    Key("agent.restart", "r", "Restart and resume", "restart and resume"),
    Key("agent.new", "n", "A new session", "new session"),
    Key("agent.log", "l", "The log", "log"),
    Key("agent.dismiss", "escape", "Stay, to read only", "read only"),
    Key("start.retry", "r", "Start it again", "retry"),
    Key("start.other", "p", "Another agent", "other agent"),
    Key("start.sign_in", "s", "Sign in", "sign in"),
    Key("start.quit", "q", "Quit", "quit", calls="give_up"),
    # replay
    Key("replay.play", "space", "Play or pause", "pause"),
    Key("replay.next_event", ".", "Next event", "step"),
    Key("replay.previous_event", "comma", "Previous event"),
    Key("replay.next_turn", ">,right", "Next turn", "turn"),
    Key("replay.previous_turn", "<,left", "Previous turn"),
    Key("replay.faster", "+", "Faster", "speed"),
    Key("replay.slower", "-", "Slower"),
    Key("replay.seek", "0,1,2,3,4,5,6,7,8,9", "Jump to a tenth of it"),
    Key("replay.start", "home", "Start"),
    Key("replay.end", "end", "End"),
    Key("replay.goto", ":", "Go to a turn or a time"),
    Key("replay.idle", "i", "Shorten long pauses, or play them in full"),
    Key("replay.choose", "enter", "Go there"),
    Key("replay.leave", "escape,q", "Leave", "leave"),
    # lists in dialogs
    Key("list.up", "up,ctrl+up", "Row above"),
    Key("list.down", "down,ctrl+down", "Row below"),
    Key("list.page_up", "pageup", "One page up"),
    Key("list.page_down", "pagedown", "One page down"),
    Key("list.first", "home", "First row"),
    Key("list.last", "end", "Last row"),
    Key("list.choose", "enter", "Choose", "choose"),
    Key("list.next_tab", "tab", "Next tab", "tab"),
    Key("list.previous_tab", "shift+tab", "Previous tab"),
    Key("list.value_right", "right", "Next value"),
    Key("list.value_left", "left", "Previous value"),
    Key("list.close", "escape", "Close", "close"),
    Key("sessions.rename", "f2", "Rename", "rename"),
    Key("sessions.delete", "delete", "Delete", "delete"),
    Key("sessions.replay", "p", "Replay", "replay"),
    Key("sessions.search", "ctrl+f", "Search what was said"),
    Key("pick.command_line", "i", "The whole command line"),
    Key("pick.copy", "ctrl+y", "Into the composer"),
    Key("confirm.no", "escape,n", "No"),
    Key("viewer.up", "up,k", "Up"),
    Key("viewer.down", "down,j", "Down"),
    Key("viewer.page_up", "pageup", "One page up"),
    Key("viewer.page_down", "pagedown,space", "One page down"),
    Key("viewer.first", "home,g", "Start"),
    Key("viewer.last", "end,G", "End"),
    Key("viewer.find", "/,ctrl+f", "Search"),
    Key("viewer.next_hit", "n", "Next hit"),
    Key("viewer.previous_hit", "N", "Previous hit"),
    Key("viewer.copy", "y", "Copy"),
    Key("viewer.wrap", "w", "Wrap or crop long lines"),
    Key("viewer.close", "escape,q", "Close", "close"),
    Key("find.next", "down", "Next hit"),
    Key("find.previous", "up", "Previous hit"),
    Key("find.regex", "alt+r", "Plain text or regular expression"),
    Key("find.stay", "enter", "Stay here", "stay"),
    Key("find.close", "escape", "Back to where it began"),
)

BY_ID: Final[Mapping[str, Key]] = {key.id: key for key in KEYS}
NONE: Final = "<none>"
"""The key of a binding that is switched off: no terminal sends it."""

_KEPT: Final = ("app.quit", "app.cancel")


def bindings(*ids: str) -> list[BindingType]:
    """The bindings of a widget, in this order."""
    return [
        Binding(keys, action, key.description, show=bool(key.hint), priority=key.first, id=key.id, system=not key.hint)
        for key in (BY_ID[id_] for id_ in ids)
        for keys, action in _actions(key)
    ]


def _actions(key: Key) -> Iterable[tuple[str, str]]:
    """Keys and what they call; a digit is handed to its action."""
    if key.keys.startswith(("0,1", "1,2")):
        return ((digit, f"{key.action}({digit})") for digit in key.keys.split(","))
    return ((_spelled(key.keys), key.action),)


class Remapped(Struct, frozen=True):
    """The person's own keys by binding id, as Textual's keymap takes them, and what of `[keys]` cannot be."""

    keymap: Mapping[str, str]
    notices: tuple[str, ...]

    def keys(self, id_: str) -> str:
        """The keys that hold for an id, separated by commas; "" when it is switched off."""
        found = self.keymap.get(id_, BY_ID[id_].keys)
        return "" if found == NONE else found


def remap(wanted: Mapping[str, str]) -> Remapped:
    """`[keys]` read: unknown ids and keys are told and passed over; of two on one key the later line wins."""
    keymap: dict[str, str] = {}
    notices: list[str] = []
    for id_, text in wanted.items():
        if id_ not in BY_ID:
            near = nearest(id_, BY_ID)
            notices.append(f"keys: no action {id_!r}" + (f", did you mean {near}?" if near else ""))
        elif text.strip().lower() == "none":
            keymap[id_] = NONE
        elif wrong := next((each for each in _split(text) if not _is_key(each)), None):
            notices.append(f"keys: {id_}: no key {wrong!r}")
        else:
            keymap[id_] = ",".join(_canonical(each) for each in _split(text))
    notices += _clashes(keymap)
    if all(keymap.get(id_) == NONE for id_ in _KEPT):
        del keymap["app.quit"]
        notices.append("keys: app.quit and app.cancel cannot both be switched off")
    return Remapped(keymap, tuple(notices))


def shown(keys: str) -> str:
    """Keys as help and hints write them."""
    return " ".join(_name(key) for key in keys.split(","))


def pressed(written: str) -> tuple[str, str | None]:
    """The key that is written so, by Textual's name, and the character that it types."""
    held, plus, last = written.rpartition("+") if len(written) > 1 else ("", "", written)
    key = held + plus + next((key for key, name in _NAMES.items() if name == last), last)
    return _canonical(key), written if len(written) == 1 and key == written else None


def _name(key: str) -> str:
    held, plus, last = key.rpartition("+")
    return _NAMES.get(key) or held + plus + _NAMES.get(last, last)


def _clashes(keymap: dict[str, str]) -> Iterable[str]:
    """Takes each key that two actions of one group want from the earlier one."""
    for id_ in tuple(keymap):
        for key in keymap[id_].split(","):
            for other in (each.id for each in KEYS if each.group == BY_ID[id_].group and each.id != id_):
                later = other in keymap and list(keymap).index(other) > list(keymap).index(id_)
                held = _spelled(keymap.get(other, BY_ID[other].keys)).split(",")
                if key == NONE or later or _canonical(key) not in held:
                    continue
                keymap[other] = ",".join(each for each in held if each != _canonical(key)) or NONE
                yield f"keys: {shown(key)} is {id_} and no longer {other}"


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()] or [text]


def _spelled(keys: str) -> str:
    return ",".join(_canonical(key) for key in keys.split(","))


def _canonical(key: str) -> str:
    """Textual's own spelling: `delete`, `ctrl+s`, `left_square_bracket`."""
    if key == "ctrl+@":
        return key  # what terminals send for Ctrl+Space
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    last = {"esc": "escape", "del": "delete", "pgup": "pageup", "pgdn": "pagedown", "return": "enter"}.get(last, last)
    return "+".join((*(modifier.lower() for modifier in modifiers), _character(last)))


def _character(key: str) -> str:
    return _character_to_key(key) if len(key) == 1 else key


def _is_key(key: str) -> bool:
    *modifiers, last = _canonical(key).split("+")
    known = last in _KNOWN or last == "@" or len(key.split("+")[-1]) == 1
    return known and set(modifiers) <= {"ctrl", "alt", "shift", "super"}


_KNOWN: Final = frozenset(
    (*(each.value.split("+")[-1] for each in Keys), *KEY_ALIASES, *map(_character_to_key, map(chr, range(0x20, 0x7F))))
)
_NAMES: Final = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "escape": "esc",
    "delete": "del",
    "backspace": "bksp",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "comma": ",",
    "ctrl+@": "ctrl+space",
    "underscore": "_",
    "slash": "/",
}
