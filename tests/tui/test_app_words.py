"""What the app says outside of its screens is said in the reader's language."""

import pytest

from cartino_protocol.link import ConnectionStatus
from cartino_protocol.text import lazy_gettext, lazy_ngettext
from cartino_protocol.views import Bye, Left
from cartino_tui.i18n import ENGLISH
from cartino_tui.time_control import clock_text
from cartino_tui.visit import farewell
from cartino_tui.visit.connection import ConnectionState
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.notices import NO_ANSWER_MESSAGE, WAITING_MESSAGE
from tests.support.pseudo import PSEUDO, plain_words, speak_pseudo
from tests.support.visit import lobby, toy_table, welcome
from tests.tui.conftest import Visiting

COMMAND = "ssh -t games.example.org back amber-otter"
KNOWN = (
    ClientState(),
    ClientState(welcome=welcome(), table=toy_table()),
    ClientState(welcome=welcome(guest=True, word="amber-otter"), table=toy_table()),
)


def test_a_sentence_is_told_with_the_sentences_in_its_places() -> None:
    inner = lazy_ngettext("{n} stone", "{n} stones", 2)
    sentence = lazy_gettext("{name} lays {stones}.", name="{odd}", stones=inner)
    assert (str(sentence), ENGLISH.render(sentence)) == ("{odd} lays 2 stones.",) * 2
    assert plain_words(PSEUDO.render(sentence), "odd") == []


@pytest.mark.parametrize("known", KNOWN)
def test_farewells(known: ClientState) -> None:
    for listener in (
        ShellCommands("ssh -t games.example.org"),
        ShellCommands("ssh -t games.example.org", calls=True),
    ):
        for each in (
            farewell.connection_lost(known, listener),
            farewell.player_left(known, listener),
            *(
                farewell.server_farewell(Bye(why), known, listener)
                for why in ("shutdown", "version", "kicked")
            ),
        ):
            typed = (COMMAND, "ssh -t games.example.org", "amber-otter")
            assert plain_words(PSEUDO.render(each.sentence), *typed) == []


@pytest.mark.parametrize("restarts", [False, True])
def test_how_the_line_stands(restarts: bool) -> None:
    for stands in ("lost", "trying", "back"):
        for send_failed in (False, True):
            board = ConnectionState()
            board.handle(ConnectionStatus(stands, 4.0, restarts), 0.0)
            board.send_failed = send_failed
            assert plain_words(PSEUDO.render(board.sentence(0.0)), "Ctrl-C") == []
    assert plain_words(PSEUDO.gettext(WAITING_MESSAGE) + PSEUDO.gettext(NO_ANSWER_MESSAGE), "Ctrl-C") == []


def test_clocks_have_their_units_in_it() -> None:
    for seconds in (30, 180, 3600, 83_400):
        assert plain_words(clock_text(seconds, PSEUDO)) == []


async def test_what_the_app_says_by_itself(visit: Visiting, monkeypatch: pytest.MonkeyPatch) -> None:
    speak_pseudo(monkeypatch)
    for why in ("closed", "broken", "moved"):
        async with visit(lobby(), toy_table()) as v:
            await v.hears(Left(why, "K7QP"), lobby())
            assert v.status
            assert plain_words(v.status, "Enter") == []
