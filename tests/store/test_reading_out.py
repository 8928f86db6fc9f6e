"""What people get out of stored sessions: search, show, export."""

from __future__ import annotations

import html.parser
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craze.codec import (
    Ask,
    Diff,
    Event,
    Failure,
    Permission,
    PermissionOption,
    Queued,
    Record,
    Tool,
    ToolOutput,
    Turn,
)
from craze.store.export import fenced, html_page, markdown, redacted
from craze.store.history import History, Missing
from craze.store.redact import Redactor, rewrite_json, secret_values
from craze.store.search import pattern, search
from craze.store.stored import Stored
from craze.store.transcript import blocks, plain
from tests.store.making import at, record, written

STORED = Stored(craze_id="s-1", agent="demo", cwd="/home/me/p", title="A <b>title</b>", turns=1, created_at=at(0))


def story() -> list[Record]:
    options = (PermissionOption(option_id="no", name="No", kind="reject_once"),)
    events = [
        Event("turn", turn=Turn(id="turn-1", phase="started", text="List the files\nplease")),
        Event("thought", text="I will use ls."),
        Event("text", text="Here they "),
        Event("text", text="are, in /ho"),
        Event("text", text="me/me/p:\n"),
        Event("tool", tool=Tool(id="t1", name="Bash", title="ls", status="pending", raw_input='{"cmd":"ls"}')),
        Event("permission", permission=Permission(id="perm-1", tool="t1", options=options)),
        Event(
            "ask", ask=Ask(id="perm-1", kind="permission", outcome="answered", by="client", option_id="no", label="No")
        ),
        Event(
            "tool",
            tool=Tool(
                id="t1",
                name="Bash",
                title="ls",
                status="failed",
                raw_input='{"cmd":"ls"}',
                output=ToolOutput(stdout="``` \x1b[31mred\x1b[0m <i>"),
                diffs=(Diff(path="a.py", old_text="x", new_text="y"),),
            ),
        ),
        Event("text", text="sub-agent words", agent="child"),
        Event("error", err=Failure(message="it broke", error_class="provider", code=500)),
        Event("turn", turn=Turn(id="turn-1", phase="ended", err_class="provider", err="it broke")),
    ]
    return [record(seq, event) for seq, event in enumerate(events, 1)]


@pytest.mark.rule("CLI-30")
def test_a_shown_session_has_prompts_text_a_line_for_each_tool_and_asks_with_their_outcome() -> None:
    shown = "".join(plain(block) for block in blocks([*story(), Missing(13, 15)]))

    assert shown == (
        "> List the files\n> please\n\n"
        "~ I will use ls.\n\n"
        "Here they are, in /home/me/p:\n\n"
        "  ● Bash · ls (failed)\n"
        "  ? permission for ls → No (answered by client)\n"
        "  [child] sub-agent words\n\n"
        "  ! provider: it broke\n"
        "  ! events 13 to 15 are missing\n"
    )


@pytest.mark.rule("CLI-29")
async def test_a_match_across_streamed_pieces_is_found_where_it_begins(tmp_path: Path) -> None:
    path = await written(tmp_path / "j.jsonl", *story())
    with path.open("ab") as file:
        file.write(b'junk\n{"kind":"event","ts":"t","seq":13,"event":{"type":"text","text":"THEY ARE"}}\n{"ki')

    hits = list(search("s-1", History([path]).read(1, 99), pattern("they are")))

    assert [(hit.seq, hit.type, hit.start, hit.end) for hit in hits] == [(3, "text", 5, 13), (13, "text", 0, 8)]
    assert hits[0].snippet == "Here they are, in /home/me/p:"


@pytest.mark.rule("CLI-29")
@pytest.mark.parametrize(
    ("text", "parts", "seqs"),
    [
        ("please", {"user"}, [1]),
        ("please", {"text"}, []),
        ("use ls", {"thought"}, [2]),
        ("red", {"tool"}, [9]),
        ('"cmd"', {"tool"}, [6]),
        ("agent words", {"text"}, [10]),
        ("they sub", {"text"}, []),
    ],
)
def test_search_looks_only_into_what_was_asked_for(text: str, parts: set[str], seqs: list[int]) -> None:
    found = search("s", story(), pattern(text), parts)  # pyright: ignore[reportArgumentType]
    assert [hit.seq for hit in found] == seqs


@pytest.mark.rule("CLI-29")
@given(st.lists(st.text("ab", max_size=4), max_size=8), st.text("ab", min_size=1, max_size=3))
@settings(deadline=None)
def test_streaming_changes_nothing_about_what_is_found(pieces: list[str], wanted: str) -> None:
    records = [record(seq, Event("text", text=piece)) for seq, piece in enumerate(pieces, 1)]

    hits = list(search("s", records, pattern(wanted)))

    assert len(hits) == "".join(pieces).count(wanted)


@pytest.mark.rule("CLI-29")
def test_neither_another_agent_nor_a_waiting_prompt_cuts_a_text_in_two() -> None:
    events = [
        Event("text", text="all te"),
        Event("text", text="busy", agent="child"),
        Event("queue", queue=Queued(id="q-1", text="next"), queue_change="queued"),
        Event("text", text="sts pass"),
    ]
    records = [record(seq, event) for seq, event in enumerate(events, 1)]

    assert [(hit.seq, hit.snippet) for hit in search("s", records, pattern("tests"))] == [(1, "all tests pass")]
    assert [hit.agent for hit in search("s", records, pattern("busy"))] == ["child"]


@pytest.mark.rule("CLI-32")
def test_markdown_has_headings_text_as_it_is_and_fences_longer_than_any_inside() -> None:
    text = "".join(markdown(STORED, blocks(story())))

    assert text.startswith("# A <b>title</b>\n\ndemo · /home/me/p · 2026-11-30T12:00:00Z · 1 turn\n")
    assert "\n## List the files\n\nplease\n" in text
    assert "\nHere they are, in /home/me/p:\n" in text
    assert '```json\n{"cmd":"ls"}\n```' in text
    assert "\n````\n``` \x1b" in text
    assert "```diff\n--- a.py\n+++ a.py\n-x\n+y\n```" in text
    assert "I will use ls" not in text
    assert "Bash" not in "".join(markdown(STORED, blocks(story()), tools=False))
    assert "I will use ls" in "".join(markdown(STORED, blocks(story()), thoughts=True))


@pytest.mark.rule("CLI-32")
@given(st.text("`a\n", max_size=30))
@settings(deadline=None)
def test_no_text_can_close_its_fence(text: str) -> None:
    first, *inside, last = fenced(text).split("\n")

    assert first == last
    assert all(not line.startswith(last) for line in inside)


class Tags(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


@pytest.mark.rule("CLI-32")
def test_the_html_page_runs_nothing_refers_to_nothing_and_escapes_everything() -> None:
    evil = record(1, Event("text", text='<script src="https://x">\x1b]0;t\x07</script><img onerror=x>'))
    page = "".join(html_page(STORED, blocks([evil, *story()]), thoughts=True))
    tags = Tags()
    tags.feed(page)

    assert {tag for tag, _ in tags.tags} <= {
        *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "div", "details", "summary", "pre")
    }
    assert not [attrs for _, attrs in tags.tags if {"src", "href", "onerror"} & attrs.keys()]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", page)
    assert "&lt;script" in page


@pytest.mark.rule("CLI-32", "STORE-18")
def test_redacting_replaces_the_home_folder_and_secrets_also_where_a_stream_cut_them() -> None:
    change = Redactor(secret_values({"API_KEY": 'hush "quoted"', "PATH": "/bin:/usr/bin"}), {"/home/me": "~"})
    secret = record(13, Event("tool", tool=Tool(id="t2", name="x", raw_input='{"k":"hush \\"quoted\\""}')))

    text = "".join(markdown(STORED, redacted(blocks([*story(), secret]), change)))
    line = rewrite_json(secret.body, change)

    assert "in ~/p:" in text
    assert "hush" not in text
    assert '{"k":"«API_KEY»"}' in text
    assert line == '{"type":"tool","tool":{"id":"t2","name":"x","rawInput":"{\\"k\\":\\"«API_KEY»\\"}"}}'.encode()


@pytest.mark.rule("STORE-18")
def test_a_value_is_secret_by_its_name_or_by_declaration_from_eight_bytes_on() -> None:
    environment = {
        "MY_TOKEN": "12345678",
        "API_KEY": "short",
        "password": "long enough",
        "HOME": "/home/me",
        "X": "declared1",
    }

    assert secret_values(environment, ["X"]) == {"MY_TOKEN": "12345678", "password": "long enough", "X": "declared1"}


@pytest.mark.rule("STORE-18")
def test_a_folder_is_replaced_as_a_folder_and_not_inside_other_names() -> None:
    change = Redactor({}, {"/home/me": "~"})

    assert change("/home/me/x /home/me. /home/me2 /home/me-too /home/me.old '/home/me'") == (
        "~/x ~. /home/me2 /home/me-too /home/me.old '~'"
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
@settings(deadline=None)
def test_rewriting_with_nothing_to_change_gives_the_same_bytes(value: object) -> None:
    line = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    assert rewrite_json(line, lambda text: text) == line
