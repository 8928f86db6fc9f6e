"""The list of bindings, and the person's own keys."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from textual.app import App
from textual.binding import Binding
from textual.screen import Screen
from textual.widget import Widget

import craze.tui
from craze.tui.keys import BY_ID, KEYS, NONE, Key, bindings, pressed, remap, shown


def classes() -> list[type]:
    """Every widget, screen and app of the package."""
    for found in pkgutil.walk_packages(craze.tui.__path__, "craze.tui."):
        importlib.import_module(found.name)
    seen: dict[type, None] = {}
    waiting: list[type] = [Widget, Screen, App]
    while waiting:
        for each in waiting.pop().__subclasses__():
            if each not in seen:
                seen[each] = None
                waiting.append(each)
    return [each for each in seen if each.__module__.startswith("craze.tui")]


@pytest.mark.rule("TUI-200")
def test_every_binding_of_every_widget_stands_in_the_list() -> None:
    declared = {
        (each.id, widget.__name__)
        for widget in classes()
        for each in widget.__dict__.get("BINDINGS", [])
        if isinstance(each, Binding)
    }

    assert {id_ for id_, _ in declared} <= set(BY_ID)
    assert all(widget._inherit_bindings is False or _own(widget) for widget in classes() if issubclass(widget, App))


def _own(widget: type) -> bool:
    return all(isinstance(each, Binding) and each.id in BY_ID for each in widget.__dict__.get("BINDINGS", []))


@pytest.mark.rule("TUI-200")
def test_every_key_of_the_list_is_declared_by_some_widget() -> None:
    declared = {
        each.id for widget in classes() for each in widget.__dict__.get("BINDINGS", []) if isinstance(each, Binding)
    }

    assert set(BY_ID) - declared == set()


@pytest.mark.rule("TUI-200")
def test_every_declared_binding_has_its_action() -> None:
    missing = [
        (widget.__name__, each.id)
        for widget in classes()
        for each in widget.__dict__.get("BINDINGS", [])
        if isinstance(each, Binding) and not _acts(widget, each.action.partition("(")[0])
    ]

    assert missing == []


def _acts(widget: type, action: str) -> bool:
    """Whether the widget, or each kind of it that is shown, has the action."""
    kinds = [each for each in classes() if issubclass(each, widget)]
    return any(hasattr(each, f"action_{action}") for each in kinds)


def test_ids_are_unique_and_named_after_their_group() -> None:
    assert len(BY_ID) == len(KEYS)
    assert all("." in key.id for key in KEYS)


@pytest.mark.rule("TUI-201")
def test_keys_of_the_person_replace_those_of_the_list() -> None:
    found = remap({"queue.remove": "delete, z", "prompt.editor": "none"})

    assert found.keymap == {"queue.remove": "delete,z", "prompt.editor": NONE}
    assert found.notices == ()
    assert found.keys("prompt.editor") == ""


@pytest.mark.rule("TUI-201")
@pytest.mark.parametrize(
    ("wanted", "notice"),
    [
        ({"queue.remov": "x"}, "keys: no action 'queue.remov', did you mean queue.remove?"),
        ({"queue.remove": "hyper+x"}, "keys: queue.remove: no key 'hyper+x'"),
        ({"queue.now": "x"}, "keys: x is queue.now and no longer queue.remove"),
    ],
)
def test_what_cannot_be_is_said_and_the_rest_applies(wanted: dict[str, str], notice: str) -> None:
    found = remap({**wanted, "prompt.search": "ctrl+e"})

    assert notice in found.notices
    assert found.keymap["prompt.search"] == "ctrl+e"


@pytest.mark.rule("TUI-201")
def test_the_later_of_two_lines_wins_a_key() -> None:
    found = remap({"queue.now": "f9", "queue.edit": "f9"})

    assert (found.keymap["queue.now"], found.keymap["queue.edit"]) == (NONE, "f9")


@pytest.mark.rule("TUI-201")
def test_a_way_out_always_stays() -> None:
    found = remap({"app.quit": "none", "app.cancel": "none"})

    assert found.keys("app.quit") == "ctrl+q"
    assert found.notices == ("keys: app.quit and app.cancel cannot both be switched off",)


def test_digits_are_handed_to_their_action() -> None:
    declared = [each for each in bindings("ask.pick") if isinstance(each, Binding)]

    assert [(each.key, each.action) for each in declared][:2] == [("1", "pick(1)"), ("2", "pick(2)")]


def test_keys_are_shown_as_people_write_them() -> None:
    assert shown("escape,ctrl+@,pagedown") == "esc ctrl+space pgdn"


@pytest.mark.rule("CLI-57")
def test_the_keys_that_readme_names_are_those_of_the_list() -> None:
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text()
    named = {each.lower() for each in re.findall(r"\b(?:(?:Ctrl|Alt|Shift)\+)+\w+", readme)}
    known = {part for key in KEYS for part in shown(key.keys).split()}

    assert named
    assert named <= known
    assert "ctrl+s" in shown(BY_ID["prompt.send_now"].keys).split()


@pytest.mark.rule("TUI-202")
@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.id)
def test_a_key_that_is_written_can_be_pressed(key: Key) -> None:
    held = {name for binding in bindings(key.id) if isinstance(binding, Binding) for name in binding.key.split(",")}
    for each in key.keys.split(","):
        name, _ = pressed(shown(each))

        assert name in held
