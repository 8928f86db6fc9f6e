"""Reads the whole text of a block of which the transcript keeps only head and tail."""

from __future__ import annotations

from craze.codec import Record
from craze.errors import DecodeError
from craze.tui import scrub
from craze.tui.desk import Session
from craze.tui.transcript.folding import Transcript


async def whole_text(session: Session, seq: int) -> str:
    """The text, thought or prompt that begins with the event `seq`, "" where the history no longer has it."""
    pieces: list[str] = []
    transcript, agent = Transcript(complete=False), None
    async for record in session.history(seq, session.view.seq):
        if not isinstance(record, Record):
            continue
        try:
            event = record.event
        except DecodeError:
            continue
        agent = event.agent if agent is None else agent
        if event.agent != agent:
            continue
        transcript.fold(record.seq, event)
        block = transcript.block(seq)
        if block is not None and block.kind == "prompt":
            return scrub.prose(event.text or (event.turn.text if event.turn else ""))
        if block is None or block is not transcript.state.run:
            break
        if event.type == block.kind:
            pieces.append(event.text)
    return scrub.prose("".join(pieces))
