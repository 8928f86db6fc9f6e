"""Scripts that only talk."""

from __future__ import annotations

from craze.demo.turn import Turn

_MARKDOWN = """# A heading

Some *emphasis*, some **strong** words, `code`, and a [link](https://example.org).

- one
- two
  - two and a half
- [x] done

1. first
2. second

> A quotation of
> two lines.

| name | size | note |
|---|---:|---|
| lines | 120 | short |
| bytes | 4096 | aligned to the right |

```python
def greet(name: str) -> str:
    # a comment
    return f"Hello, {name}!"
```

---

The end.
"""

_UNICODE = (
    "Wide: 漢字かな交じり文 한국어. Combining: e\u0301 a\u030a n\u0303. Emoji: 👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 ☀️. "
    "Right to left: שלום عليكم. Zero width: a\u200bb. Line separators: a\u2028b\u2029c\u0085d. Mathematics: 𝔘𝔫𝔦.\n\n"
)

_HOSTILE = (
    "Escapes: \x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J \x9b31m \x00 \x7f \r over \b back, and [b]markup[/b].\n\n"
)


def text(turn: Turn) -> None:
    turn.stream("This is a message in a few small pieces. Each piece is one update of the same message.")
    turn.stream("This is a second message, with an id of its own.")


def thought(turn: Turn) -> None:
    turn.think("The person wants to see a thought. I should think a little, then answer.")
    turn.stream("I have thought about it.")


def markdown(turn: Turn) -> None:
    message = turn.desk.new_id("msg")
    for line in _MARKDOWN.splitlines(keepends=True):
        turn.say(line, message)
        turn.pause(0.01)
    turn.say("\n", message)


def long(turn: Turn) -> None:
    message = turn.desk.new_id("msg")
    for number in range(1, 2001):
        turn.say(f"line {number} of 2000\n", message)
        if number % 100 == 0:
            turn.pause(0.02)


def unicode(turn: Turn) -> None:
    turn.say(_UNICODE)


def hostile(turn: Turn) -> None:
    turn.say(_HOSTILE)


def burst(turn: Turn) -> None:
    """As fast as it goes; the number of chunks may be given."""
    count = int(turn.words) if turn.words.isdigit() else 10_000
    message = turn.desk.new_id("msg")
    for number in range(count):
        turn.say(f"word{number} " if number % 12 else "\n", message)


def slow(turn: Turn) -> None:
    turn.stream("Twenty words a second, so that there is time to look, " * 4 + "and to cancel.", 0.05)


def stall(turn: Turn) -> None:
    turn.stream("Now I say nothing for twenty seconds.")
    turn.pause(20)
    turn.stream("Here I am again.")


def retry(turn: Turn) -> None:
    for attempt in range(1, 4):
        detail = f"attempt {attempt} of 3"
        params = {"sessionId": turn.session.id, "category": "overloaded", "detail": detail}
        turn.wire.notify("_session/retrying", params)
        turn.pause(0.5)
    turn.stream("The third attempt worked.")
