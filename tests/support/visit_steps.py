"""Visits as scripts: what is typed, heard, sent and seen, a step after the other, a case a row."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from cartino_protocol.commands import Command
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.views import Answer
from cartino_tui.pages.page import AnyPage
from tests.support.pages import is_open
from tests.support.visit import Visit


class Sees(NamedTuple):
    """Wait until `text` stands on the screen, blanks and line ends counted as one blank."""

    text: str


class Hides(NamedTuple):
    """`text` doesn't stand on the screen."""

    text: str


class Status(NamedTuple):
    """Wait until the status begins with `text`, or is empty."""

    text: str


class Shows(NamedTuple):
    """Wait until a screen of that type, or that page, is in front."""

    screen: type | AnyPage


class Click(NamedTuple):
    """Click on `text`."""

    text: str


class Ends(NamedTuple):
    """Wait for the end of the visit, with that exit status and those last words."""

    code: int
    text: str


Step = str | Answer | ConnectionStatus | Command | Sees | Hides | Status | Shows | Click | Ends
"""A text is keys, of which one that begins with ' is a text to type; commands are all that was sent until then."""


class Script(NamedTuple):
    """A visit that has heard `answers`, what follows, and what the fixture `visit` is given besides."""

    answers: Sequence[Answer]
    steps: Sequence[Step]
    settings: Mapping[str, Any] = {}


async def follow(v: Visit, steps: Sequence[Step]) -> None:
    """Do and expect the `steps` in their order; nothing may be sent that isn't among them."""
    sent: list[Command] = []
    for _, numbered in groupby(enumerate(steps), _kind):
        await _do(v, [step for _, step in numbered], sent)
    await v.says(*sent)


def _kind(numbered: tuple[int, Step]) -> object:
    """Return what is the same for steps that belong together: answers heard at once, commands sent at once."""
    number, step = numbered
    return "answer" if isinstance(step, Answer | ConnectionStatus) else isinstance(step, Command) or -number


async def _do(v: Visit, steps: Sequence[Step], sent: list[Command]) -> None:
    match steps[0]:
        case str(keys):
            words = (word[1:] if word[0] == "'" and word != "'" else (word,) for word in keys.split())
            await v.types(*(key for word in words for key in word))
        case Sees(text):
            await v.until(lambda: text in " ".join(v.text.split()), f"it shows {text}")
        case Hides(text):
            assert text not in " ".join(v.text.split())
        case Status(text):
            await v.until(lambda: v.status.startswith(text) if text else not v.status, f"it says {text}")
        case Shows(screen):
            await v.until(
                lambda: (
                    isinstance(v.app.screen, screen) if isinstance(screen, type) else is_open(v.app, screen)
                )
            )
        case Click(text):
            await v.click(text)
        case Ends(code, text):
            await v.until(lambda: v.app.return_code is not None)
            assert (v.app.return_code, " ".join((v.app.return_value or "").split())) == (code, text)
        case _ if isinstance(steps[0], Command):
            sent += [step for step in steps if isinstance(step, Command)]
            await v.says(*sent)
        case _:
            await v.hears(*(step for step in steps if isinstance(step, Answer | ConnectionStatus)))
