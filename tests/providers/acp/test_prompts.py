"""What a prompt carries beside its text."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

import pytest

from craze.engine.ports import Opened, Prompt, TurnEnded
from craze.providers.acp import machine
from craze.providers.acp.link import Attached, Wanted
from craze.providers.acp.prompts import mentions, needs_disk, read_attached
from tests.fakes.acp_bench import bench, opened, prompted


def blocks(folder: Path, text: str, *attachments: str, **wanted: Any) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """The blocks after the text, and the notices."""
    prompt = Prompt(text=text, attachments=attachments)

    def inside(path: Path) -> bool:
        return path.resolve().is_relative_to(folder)

    attached = read_attached(Wanted(prompt, **{"embed": True, "images": True, **wanted}), folder, inside)
    assert attached.blocks[0] == {"type": "text", "text": text}
    return [dict(block) for block in attached.blocks[1:]], attached.notices


@pytest.mark.rule("ACP-47", "ACP-193", "ACP-T81")
def test_mentioned_files_follow_the_text_as_typed(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "my dir").mkdir()
    (tmp_path / "src" / "a.py").write_text("print(1)")
    (tmp_path / "my dir" / "b.md").write_text("# b")
    text = 'see @src/a.py, @"my dir/b.md", me@x.org and @nope\n```\n@src/a.py\n```\n(@src)'

    made, notices = blocks(tmp_path, text)

    first, second, folder = made
    assert first["resource"] == {
        "uri": (tmp_path / "src" / "a.py").as_uri(),
        "mimeType": "text/x-python",
        "text": "print(1)",
    }
    assert second["resource"]["uri"].endswith("/my%20dir/b.md")
    assert (folder["type"], folder["name"]) == ("resource_link", "src")
    assert notices == ()


@pytest.mark.rule("ACP-47", "ACP-193", "ACP-T82")
def test_what_is_outside_too_large_or_no_text_is_not_embedded(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "outside").write_text("x")
    (work / "link").symlink_to("/etc/hosts")
    (work / "big").write_text("x" * (100 << 10))
    (work / "bin").write_bytes(b"\xff\x00")

    os.mkfifo(work / "pipe")

    made, _ = blocks(work, "@../outside @link @big @bin @pipe")

    assert [block["type"] for block in made] == ["resource_link"] * 3
    assert [block["name"] for block in made] == ["big", "bin", "pipe"]
    assert made[0]["size"] == 100 << 10


@pytest.mark.rule("ACP-193", "ACP-T82")
def test_only_twenty_mentions_are_embedded(tmp_path: Path) -> None:
    for number in range(21):
        (tmp_path / f"f{number}").write_text("x")

    made, _ = blocks(tmp_path, " ".join(f"@f{number}" for number in range(21)))

    assert [block["type"] for block in made] == ["resource"] * 20 + ["resource_link"]


@pytest.mark.rule("ACP-47")
def test_without_the_capability_a_file_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")

    made, _ = blocks(tmp_path, "@a.txt", embed=False)

    assert made == [
        {
            "type": "resource_link",
            "uri": (tmp_path / "a.txt").as_uri(),
            "name": "a.txt",
            "mimeType": "text/plain",
            "size": 1,
        }
    ]


@pytest.mark.rule("ACP-48")
def test_images_go_as_data_within_the_limits_and_as_links_beyond(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.png" for number in range(3)]
    for path in paths:
        path.write_bytes(b"png")
    names = [str(path) for path in paths]

    made, notices = blocks(tmp_path, "look", *names, max_images=2)
    linked, all_notices = blocks(tmp_path, "look", *names, images=False)

    assert made[0] == {"type": "image", "mimeType": "image/png", "data": base64.b64encode(b"png").decode()}
    assert [block["type"] for block in made] == ["image", "image", "resource_link"]
    assert len(notices) == 1
    assert [block["type"] for block in linked] == ["resource_link"] * 3
    assert len(all_notices) == 3


@pytest.mark.rule("ACP-48")
def test_an_image_that_cannot_be_read_goes_as_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.png").write_bytes(b"png")

    def refused(_path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refused)
    made, notices = blocks(tmp_path, "look", str(tmp_path / "a.png"))

    assert [block["type"] for block in made] == ["resource_link"]
    assert notices == ("a.png goes as a link: Permission denied",)


@pytest.mark.rule("ACP-47")
async def test_a_prompt_goes_out_though_its_files_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_args: object) -> Attached:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(machine, "read_attached", refused)
    async with bench(tmp_path, *opened(), *prompted()) as test:
        test.open()
        await test.one(Opened)
        test.prompt("see @src")
        await test.one(TurnEnded)

        assert test.sent("session/prompt")[0]["params"]["prompt"] == [{"type": "text", "text": "see @src"}]
        assert "Permission denied" in test.facts("notice")[0]["text"]


@pytest.mark.rule("ACP-193")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@a", ["a"]),
        ("x@a", []),
        ("(@a)", ["a)"]),
        ('@"a b" @c', ["a b", "c"]),
        ("~~~\n@a\n~~~\n@b", ["b"]),
        ("@", []),
        ("a\t@b\n@c", ["b", "c"]),
    ],
)
def test_a_mention_is_an_at_sign_that_begins_a_word(text: str, found: list[str]) -> None:
    assert [mention.path for mention in mentions(text)] == found
    assert needs_disk(Prompt(text=text)) is bool(found)


@pytest.mark.rule("ACP-48")
async def test_images_that_are_refused_go_once_more_as_links(tmp_path: Path) -> None:
    image = tmp_path / "i.png"
    image.write_bytes(b"png")
    steps = [
        *opened({"promptCapabilities": {"image": True}}),
        {"expect": {"method": "session/prompt"}},
        {"reply": {"error": {"code": -32602, "message": "no images"}}},
        *prompted(),
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.prompt("look", "turn-1", str(image))
        await test.one(TurnEnded)

        first, second = (line["params"]["prompt"] for line in test.sent("session/prompt"))
        assert [block["type"] for block in first] == ["text", "image"]
        assert second[1] == {"type": "resource_link", "uri": image.as_uri(), "name": "i.png"}


@pytest.mark.rule("ACP-49", "ACP-179")
async def test_commands_of_the_agent_are_sent_as_typed(tmp_path: Path) -> None:
    typed = ["/compact now", "$skill x"]
    async with bench(tmp_path, *opened(), *prompted(), *prompted()) as test:
        test.open()
        await test.one(Opened)
        for number, text in enumerate(typed, 1):
            test.prompt(text, f"turn-{number}")
            await test.one(TurnEnded, number)

        assert [line["params"]["prompt"][0]["text"] for line in test.sent("session/prompt")] == typed
