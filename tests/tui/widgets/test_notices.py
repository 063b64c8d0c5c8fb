"""What the screens say of the line."""

import asyncio

import pytest

from cartino_protocol.link import ConnectionStatus
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import Look
from cartino_tui.visit.connection import ConnectionState
from cartino_tui.widgets import notices
from cartino_tui.widgets.notices import NO_ANSWER_MESSAGE, WAITING_MESSAGE, SlowAnswerNote, with_notice
from tests.support.visit_script import visits


def board(news: ConnectionStatus, *, send_failed: bool = False) -> ConnectionState:
    board = ConnectionState()
    board.handle(news, 100.0)
    board.send_failed = send_failed
    return board


def test_while_there_is_a_line_nothing_is_said() -> None:
    assert ConnectionState().sentence(0.0).text == ""
    over = board(ConnectionStatus("back"))
    over.is_up()
    assert over.sentence(100.0).text == ""


@pytest.mark.parametrize(
    ("news", "now", "sentence"),
    [
        (ConnectionStatus("lost", 4.0), 100.0, "Connection lost. Next try in 4 s; Ctrl-C to quit."),
        (ConnectionStatus("lost", 4.0), 102.9, "Connection lost. Next try in 1 s; Ctrl-C to quit."),
        (ConnectionStatus("lost", 4.0), 109.0, "Connection lost. Next try in 1 s; Ctrl-C to quit."),
        (ConnectionStatus("lost", 15.0, True), 100.0, "Server restarting. Next try in 15 s; Ctrl-C to quit."),
        (ConnectionStatus("trying", 0, True), 100.0, "Server restarting. Reconnecting now; Ctrl-C to quit."),
        (ConnectionStatus("back"), 100.0, "Reconnected. Taking you back to where you were."),
    ],
)
def test_the_sentence(news: ConnectionStatus, now: float, sentence: str) -> None:
    assert str(board(news).sentence(now)) == sentence
    assert len(str(board(news, send_failed=True).sentence(now))) <= 78


def test_what_could_not_be_said_is_said_to_be_so() -> None:
    lost = board(ConnectionStatus("lost", 4.0), send_failed=True)
    assert str(lost.sentence(100.0)) == "Message not sent: connection lost. Next try in 4 s; Ctrl-C to quit."


@pytest.mark.parametrize("height", [0, 1, 2, 24])
def test_the_notice_takes_the_last_row_but_one_and_no_other(height: int) -> None:
    frame = Canvas(20, height).frame()
    found = with_notice(frame, "The line is lost.", Look(20, height))
    assert (found.width, found.height, len(found.rows)) == (20, height, height)
    changed = [y for y, (old, new) in enumerate(zip(frame.rows, found.rows, strict=True)) if old != new]
    assert changed == ([height - 2] if height > 1 else [])


def test_a_long_notice_takes_as_many_rows_as_it_needs() -> None:
    found = with_notice(Canvas(20, 6).frame(), "The line is lost; next try in 4 s.", Look(20, 6))
    assert found.text().split("\n") == ["", "", "", " The line is lost;", " next try in 4 s.", ""]


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "FIRST_NOTE_SECONDS", 0.0)
    monkeypatch.setattr(notices, "SECOND_NOTE_SECONDS", 0.0)


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


test_visits = visits(__file__)
