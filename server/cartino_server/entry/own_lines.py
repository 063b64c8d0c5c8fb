"""The plain mode in the process's own terminal, or in what is piped in and out in its place."""

import os
import sys
from collections.abc import Callable

from cartino_games.kit.declared.package import foreign_speech
from cartino_games.registry import installed
from cartino_protocol.line import LastingLink
from cartino_protocol.link import Link
from cartino_server.entry.last_word import broke
from cartino_server.entry.speaking import own_language
from cartino_tui.door import Door
from cartino_tui.driver.charset import ascii_only, can_draw
from cartino_tui.games.foreign import WithForeign
from cartino_tui.intent import Intent
from cartino_tui.plain.conversation import Conversation
from cartino_tui.plain.face import PlainFace
from cartino_tui.plain.own import OwnTerminal
from cartino_tui.preferences import Preferences


def wants_lines(plain: bool) -> bool:
    """Whether to speak in lines: because the person asked for it, or because this terminal can't show a table."""
    return plain or (_is_terminal() and not can_draw(os.environ.get("TERM", "")))


async def speak_here(
    open_link: Callable[[], Link | LastingLink],
    intent: Intent,
    *,
    ascii: bool,
    door: Door = Door(),  # noqa: B008 - a constant
    own_door: Door = Door(),  # noqa: B008 - a constant
    far: bool = False,
) -> int:
    """Visit the house over the link, to the end of the visit; the exit code.

    `ascii`: with no more than that. The doors are as in `Conversation`; `far` as in `last_word.broke`.
    """
    terminal = OwnTerminal(os.environ, is_terminal=_is_terminal())
    simple = ascii or ascii_only(terminal.facts.term, os.environ)
    preferences = Preferences(own_language(), ascii=simple)
    face = PlainFace(
        terminal,
        open_link,
        lambda send: Conversation(
            send,
            preferences,
            WithForeign(installed().speeches, foreign_speech),
            intent,
            door,
            own_door,
        ),
    )
    code = await terminal.run(face)
    return code if face.crash is None else broke(face.crash, far=far)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()
