"""Whoever waits for the server is told so, but not for what is answered at once."""

import asyncio

import pytest

from cartino_tui.widgets import notices
from cartino_tui.widgets.notices import NO_ANSWER_MESSAGE, WAITING_MESSAGE, SlowAnswerNote
from tests.support.visit import toy_table
from tests.tui.conftest import Visiting


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "FIRST_NOTE_SECONDS", 0.0)
    monkeypatch.setattr(notices, "SECOND_NOTE_SECONDS", 0.0)


async def test_it_says_what_one_waits_for_until_the_answer_comes(visit: Visiting, hasty: None) -> None:
    async with visit(toy_table()) as v:
        await v.types("1", "enter")
        await v.until(lambda: v.status == NO_ANSWER_MESSAGE)
        await v.hears(toy_table(number=2, laid=1))
        assert v.status == ""


async def test_it_says_nothing_where_nobody_waits(visit: Visiting, hasty: None) -> None:
    async with visit(toy_table()) as v:
        await v.types("t", "h", "i", "enter")
        await v.until(lambda: len(v.link.sent) == 1)
        assert v.status == ""


async def test_first_it_is_on_its_way(hasty: None) -> None:
    said: list[str] = []
    waiting = SlowAnswerNote(lambda: True, lambda: said.append(waiting.sentence))
    waiting.begin()
    assert waiting.sentence == ""
    while len(said) < 2:
        await asyncio.sleep(0)
    assert said == [WAITING_MESSAGE, NO_ANSWER_MESSAGE]


async def test_what_was_stopped_is_silent(hasty: None) -> None:
    waiting = SlowAnswerNote(lambda: True, lambda: pytest.fail("nobody looks any more"))
    waiting.begin()
    waiting.stop()
    await asyncio.sleep(0)
    assert waiting.sentence == ""
