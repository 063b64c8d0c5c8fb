"""What the app says outside of its screens is said in the reader's language."""

import pytest

from cartino_protocol.line import LineNews
from cartino_protocol.marking import later, later_count
from cartino_protocol.views import Bye, Left
from cartino_tui import farewell
from cartino_tui.clocks import words
from cartino_tui.door import Door
from cartino_tui.known import Known
from cartino_tui.line import LineBoard
from cartino_tui.patience import NO_ANSWER, ON_ITS_WAY
from cartino_tui.tongue import ENGLISH
from tests.support.pseudo import PSEUDO, plain_words, speak_pseudo
from tests.support.visit import lobby, room, welcome
from tests.tui.conftest import Visiting

COMMAND = "ssh -t games.example.org back amber-otter"
KNOWN = (
    Known(),
    Known(welcome=welcome(), room=room()),
    Known(welcome=welcome(guest=True, word="amber-otter"), room=room()),
)


def test_a_sentence_is_told_with_the_sentences_in_its_places() -> None:
    inner = later_count("{n} stone", "{n} stones", 2)
    sentence = later("{name} lays {stones}.", name="{odd}", stones=inner)
    assert (str(sentence), ENGLISH.tell(sentence)) == ("{odd} lays 2 stones.",) * 2
    assert plain_words(PSEUDO.tell(sentence), "odd") == []


@pytest.mark.parametrize("known", KNOWN)
def test_farewells(known: Known) -> None:
    for door in (Door("ssh -t games.example.org"), Door("ssh -t games.example.org", calls=True)):
        for each in (
            farewell.closed(known, door),
            farewell.own_wish(known, door),
            *(farewell.farewell(Bye(why), known, door) for why in ("shutdown", "version", "kicked")),
        ):
            typed = (COMMAND, "ssh -t games.example.org", "amber-otter")
            assert plain_words(PSEUDO.tell(each.sentence), *typed) == []


@pytest.mark.parametrize("restarts", [False, True])
def test_how_the_line_stands(restarts: bool) -> None:
    for stands in ("lost", "trying", "back"):
        for in_vain in (False, True):
            board = LineBoard()
            board.hear(LineNews(stands, 4.0, restarts), 0.0)
            board.in_vain = in_vain
            assert plain_words(PSEUDO.tell(board.sentence(0.0)), "Ctrl-C") == []
    assert plain_words(PSEUDO.say(ON_ITS_WAY) + PSEUDO.say(NO_ANSWER), "Ctrl-C") == []


def test_clocks_have_their_units_in_it() -> None:
    for seconds in (30, 180, 3600, 83_400):
        assert plain_words(words(seconds, PSEUDO)) == []


async def test_what_the_app_says_by_itself(visit: Visiting, monkeypatch: pytest.MonkeyPatch) -> None:
    speak_pseudo(monkeypatch)
    for why in ("closed", "broken", "moved"):
        async with visit(lobby(), room()) as v:
            await v.hears(Left(why, "K7QP"))
            assert v.status
            assert plain_words(v.status, "Enter") == []
