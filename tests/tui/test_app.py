"""A visit from its greeting to its end: intents, versions, farewells, sizes, and the language of what the app says."""

from collections.abc import Mapping

import pytest

from cartino_protocol.exit_status import BROKEN_OFF, REFUSED
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.notices import expulsion_message
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import lazy_gettext, lazy_ngettext
from cartino_protocol.views import Answer, Bye, Left
from cartino_protocol.wire import VERSION
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.visit import farewell
from cartino_tui.visit.connection import ConnectionState
from cartino_tui.visit.farewell import Farewell
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.notices import NO_ANSWER_MESSAGE, WAITING_MESSAGE
from tests.support.pseudo import PSEUDO, plain_words, speak_pseudo
from tests.support.visit import ToyScreen, lobby, toy_table, welcome
from tests.support.visit_script import visits
from tests.tui.conftest import Visiting


class OddScreen(ToyScreen):
    name = "odd"
    title = "Odd"

    def title_of(self, options: Mapping[str, str], translator: Translator) -> str:
        return "Odd small"


test_visits = visits(__file__, OddScreen=OddScreen)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (welcome(version=VERSION + 1), farewell.VERSION_MISMATCH),
        (Refusal("version"), farewell.VERSION_MISMATCH),
        (Bye("version"), farewell.VERSION_MISMATCH),
        (
            Bye("shutdown"),
            Farewell(
                lazy_gettext("The server will be back in a moment. Connect again the same way."), BROKEN_OFF
            ),
        ),
        (Bye("kicked"), Farewell(expulsion_message("kicked"), REFUSED)),
        (toy_table(game="chess"), farewell.UNREADABLE),
    ],
)
async def test_the_server_ends_a_visit_with_one_sentence_and_a_code(
    visit: Visiting, answer: Answer, words: Farewell
) -> None:
    async with visit() as v:
        v.link.tell(answer)
        await v.until(lambda: v.app.return_code is not None)
    # Broken for its 80 columns, where it is longer.
    lines = (v.app.return_value or "").split("\n")
    assert (" ".join(lines), v.app.return_code) == (str(words.sentence), words.code)
    assert max(map(len, lines)) <= 80
    assert str(words.sentence).endswith(".")
    assert words.code != 0
    assert v.link.closed


async def test_a_small_terminal_gets_a_card_and_the_table_back_when_it_grows(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("2")
        await v.pilot.resize_terminal(59, 24)
        await v.until(lambda: "59 x 24 is too small." in v.text)
        assert "60 x 20" in v.text
        await v.types("3", "q")
        await v.pilot.resize_terminal(120, 40)
        await v.until(lambda: "picked 2" in v.text, "blind keys mean nothing")
        assert (v.frame.width, v.frame.height) == (120, 40)
        assert v.link.sent == []


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


async def test_what_the_app_says_by_itself(visit: Visiting, monkeypatch: pytest.MonkeyPatch) -> None:
    speak_pseudo(monkeypatch)
    for why in ("closed", "broken", "moved"):
        async with visit(lobby(), toy_table()) as v:
            await v.hears(Left(why, "K7QP"), lobby())
            assert v.status
            assert plain_words(v.status, "Enter") == []
