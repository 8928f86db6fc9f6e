"""Scripts that ask the person."""

from __future__ import annotations

from craze.demo.turn import THREE_OPTIONS, Turn, text_content
from craze.demo.wire import Json

_MANY = (
    ("a", "Allow once", "allow_once"),
    ("b", "Allow once, differently", "allow_once"),
    ("c", "Allow always", "allow_always"),
    ("d", "Maybe", "maybe"),
    ("e", "", "allow_once"),
    ("f", "Reject", "reject_once"),
    ("g", "Reject, and say why", "reject_once"),
    ("h", "Reject always", "reject_always"),
)
_COLOUR: Json = {
    "type": "object",
    "properties": {
        "question_0": {
            "type": "string",
            "title": "Colour",
            "description": "Which colour should the button have?",
            "oneOf": [
                {"const": "Red", "title": "Red", "description": "Hard to overlook"},
                {"const": "Blue", "title": "Blue", "description": "Calm"},
            ],
        },
        "question_0_custom": {"type": "string", "title": "Other", "description": "Another answer"},
    },
}
_TESTS: Json = {
    "type": "object",
    "properties": {
        "suites": {
            "type": "array",
            "title": "Suites",
            "description": "Which tests should run?",
            "items": {
                "anyOf": [
                    {"const": "unit", "title": "Unit"},
                    {"const": "integration", "title": "Integration"},
                    {"const": "end", "title": "End to end"},
                ]
            },
        }
    },
    "required": ["suites"],
}
_SERVER: Json = {
    "type": "object",
    "title": "A server",
    "properties": {
        "name": {"type": "string", "title": "Name", "default": "demo", "pattern": "^[a-z]+$", "maxLength": 20},
        "port": {"type": "integer", "title": "Port", "minimum": 1, "maximum": 65535, "default": 8080},
        "ratio": {"type": "number", "title": "Ratio", "minimum": 0, "maximum": 1},
        "secure": {"type": "boolean", "title": "Secure", "default": True},
        "region": {"type": "string", "title": "Region", "enum": ["eu", "us"], "enumNames": ["Europe", "America"]},
        "tags": {"type": "array", "title": "Tags", "items": {"type": "string", "enum": ["a", "b", "c"]}},
        "mail": {"type": "string", "title": "Mail", "format": "email"},
    },
    "required": ["name", "port"],
}


def permission(turn: Turn) -> None:
    tool = turn.tool("touch demo.txt", "execute", name="Bash", rawInput={"command": "touch demo.txt"})
    if turn.allowed(tool):
        tool.run()
        turn.pause(0.1)
        tool.done(text_content("done"))
        turn.stream("You let me do it.")
    else:
        tool.fail()
        turn.stream("You would not let me.")


def reject(turn: Turn) -> None:
    """Goes on only after a no, three times at most."""
    for _ in range(3):
        tool = turn.tool("rm -r build", "delete", name="Bash", rawInput={"command": "rm -r build"})
        call: Json = {"toolCallId": tool.id, "title": tool.title, "kind": tool.kind}
        if turn.chosen(turn.ask_permission(call)).startswith("reject"):
            tool.fail(text_content("The person said no."))
            turn.stream("After a no I try something else.")
            return
        tool.done(text_content("nothing was removed"))
        turn.stream("This is about what follows a no, so I ask again.")


def manyoptions(turn: Turn) -> None:
    """Eight options, or as many as are given."""
    tool = turn.tool("deploy --all", "execute", name="Bash", rawInput={"command": "deploy --all"})
    count = int(turn.words) if turn.words.isdigit() else len(_MANY)
    more = ((f"more-{at}", f"Place {at}", "maybe") for at in range(len(_MANY) + 1, count + 1))
    picked = turn.chosen(turn.ask_permission({"toolCallId": tool.id, "title": tool.title}, (*_MANY, *more)[:count]))
    tool.done(text_content(f"option {picked}"))
    turn.stream(f"You picked option {picked}.")


def twoasks(turn: Turn) -> None:
    tools = [turn.tool(f"touch {name}.txt", "edit", rawInput={"path": f"{name}.txt"}) for name in ("one", "two")]
    replies = [turn.ask_permission({"toolCallId": tool.id, "title": tool.title}) for tool in tools]
    for tool, reply in zip(tools, replies, strict=True):
        picked = turn.chosen(reply)
        tool.done() if picked.startswith("allow") else tool.fail()
        turn.stream(f"{tool.title}: {picked}.")


def orphanask(turn: Turn) -> None:
    """A permission for a call that nobody ever hears of."""
    call: Json = {"toolCallId": turn.desk.new_id("call"), "title": "Open the network", "kind": "fetch"}
    turn.stream(f"You picked {turn.chosen(turn.ask_permission(call))}.")


def permfirst(turn: Turn) -> None:
    """The permission is the first news of its call."""
    name = turn.desk.new_id("call")
    call: Json = {"toolCallId": name, "title": "npm install", "kind": "execute", "rawInput": {"command": "npm install"}}
    picked = turn.chosen(turn.ask_permission(call))
    status = "completed" if picked.startswith("allow") else "failed"
    turn.update("tool_call_update", toolCallId=name, status=status, content=[text_content("added 3 packages")])
    turn.stream(f"You picked {picked}.")


def question(turn: Turn) -> None:
    if not turn.client.form:
        _question_by_permission(turn)
        return
    content = turn.elicit("Which colour?", _COLOUR)
    if content is None:
        turn.stream("You would rather not say.")
    else:
        turn.stream(f"{content.get('question_0_custom') or content.get('question_0') or 'No colour'} it is.")


def multi(turn: Turn) -> None:
    _form(turn, "Which tests should run?", _TESTS)


def form(turn: Turn) -> None:
    _form(turn, "Set up a server", _SERVER)


def url(turn: Turn) -> None:
    if not turn.client.url:
        turn.stream("Your client opens no links for agents, so there is nothing to ask.")
        return
    name = turn.desk.new_id("link")
    params: Json = {"sessionId": turn.session.id, "mode": "url", "message": "Please sign in"}
    link: Json = {"elicitationId": name, "url": "https://example.org/sign-in"}
    result = turn.call("elicitation/create", {**params, **link})
    if result.get("action") == "accept":
        turn.pause(0.2)
        turn.wire.notify("elicitation/complete", {"elicitationId": name})
    turn.stream(f"The link: {result.get('action')}.")


def _form(turn: Turn, message: str, schema: Json) -> None:
    if not turn.client.form:
        turn.stream("Your client shows no forms, so I go on with what I would have suggested.")
        return
    content = turn.elicit(message, schema)
    turn.stream("You would rather not say." if content is None else f"You answered {content}.")


def _question_by_permission(turn: Turn) -> None:
    """For clients without forms."""
    options = (("Red", "Red", "allow_once"), ("Blue", "Blue", "allow_once"), THREE_OPTIONS[2])
    tool = turn.tool("Which colour?", "other")
    picked = turn.chosen(turn.ask_permission({"toolCallId": tool.id, "title": tool.title}, options))
    tool.done()
    turn.stream(f"{picked} it is.")
