"""A line that is lost and comes back: it is told once, nothing is said into it, and one is where one was."""

import pytest

from cartino_protocol.commands import Back, Hello, Join, Prefer, Say, Summary, Watch
from cartino_protocol.deals import Today
from cartino_protocol.exit_status import FAILURE
from cartino_protocol.link import ConnectionStatus, LinkEnded
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Left, Mine
from cartino_tui.plain.conversation import Conversation
from cartino_tui.preferences import Preferences
from tests.support.cartino import position
from tests.support.cartino_table import table_of
from tests.support.games import SPEECHES
from tests.support.visit import ScriptedLink, chat, line, lobby, welcome

TABLE = position("KS QS", "9D", bag="7D 8D")


@pytest.fixture
def link() -> ScriptedLink:
    return ScriptedLink()


@pytest.fixture
def talk(link: ScriptedLink) -> Conversation:
    """A visit that has been welcomed, in the lobby."""
    talk = Conversation(link.send, Preferences(), SPEECHES)
    talk.begin()
    for said in (welcome(), lobby(), Mine(())):
        talk.handle(said)
    talk.take_lines()
    return talk


def test_a_player_is_back_where_they_were(talk: Conversation, link: ScriptedLink) -> None:
    talk.handle(table_of(TABLE, 0))
    talk.handle(chat())
    talk.take_lines()
    talk.handle(ConnectionStatus("lost", 2.0))
    talk.handle(ConnectionStatus("lost", 4.0))
    assert talk.take_lines() == ["Connection lost. Reconnecting."]
    talk.enter("say hello")
    assert talk.take_lines() == ["Not sent: the connection was down. Send it again once you're reconnected."]
    assert Say("hello") not in link.said
    talk.handle(ConnectionStatus("back"))
    assert [type(said) for said in link.said if not isinstance(said, Prefer | Summary | Today)] == [
        Hello,
        Hello,
    ]
    talk.handle(welcome(back="K7QP"))
    assert link.said[-1:] == [Join("K7QP", again=True)]
    talk.handle(table_of(TABLE, 0))
    assert talk.take_lines()[-1] == "Reconnected."
    talk.enter("say hello")
    assert link.said[-1] == Say("hello")


def test_a_guest_says_their_word_first(talk: Conversation, link: ScriptedLink) -> None:
    talk.handle(welcome(guest=True, word="quiet-otter"))
    talk.handle(table_of(TABLE, None))
    talk.handle(ConnectionStatus("lost"))
    talk.handle(ConnectionStatus("back"))
    talk.handle(welcome(guest=True))
    assert link.said[-1:] == [Back("quiet-otter")]
    talk.handle(welcome(guest=True, word="next-otter"))
    assert link.said[-1] == Watch("K7QP", again=True)


def test_a_seat_that_is_elsewhere_stays_there(talk: Conversation, link: ScriptedLink) -> None:
    talk.handle(table_of(TABLE, 0))
    talk.handle(ConnectionStatus("lost"))
    talk.handle(ConnectionStatus("back"))
    talk.handle(welcome(back="K7QP", elsewhere=True))
    talk.take_lines()
    talk.handle(Refusal("elsewhere", "K7QP", to="Join"))
    told = talk.take_lines()
    assert told[0] == "Reconnected."
    assert told[1] == "You're now playing from your other terminal. Type join K7QP to move back here."
    assert not talk.waiting


def test_a_line_that_can_t_come_back_ends_the_visit(talk: Conversation) -> None:
    talk.end_session(LinkEnded(LazyMessage("That server is another one now.")).sentence)
    assert talk.take_lines() == ["That server is another one now."]
    assert talk.farewell is not None
    assert talk.farewell.code == FAILURE


def test_who_plays_at_another_terminal_now_is_in_the_lobby(talk: Conversation, link: ScriptedLink) -> None:
    talk.handle(table_of(TABLE, 0))
    talk.take_lines()
    talk.handle(Left("moved", "K7QP"))
    assert talk.waiting, "the lists are on their way"
    talk.handle(lobby(line("K7QP", "Ann Bo", "playing")))
    talk.handle(Mine(()))
    told = talk.take_lines()
    assert told[0] == "You're now playing from your other terminal. Type join K7QP to move back here."
    assert told[-1] == "0: quit"
    talk.enter("join k7qp")
    assert link.said[-1] == Join("K7QP")


def test_a_turn_that_comes_elsewhere_is_told_in_the_lobby(talk: Conversation) -> None:
    talk.handle(Mine((line("K7QP", "Ann Bo", "playing", turn=(1,)),)))
    assert talk.take_lines() == []
    talk.handle(Mine((line("K7QP", "Ann Bo", "playing", turn=(0,)),)))
    assert talk.take_lines() == ["It's your turn at table K7QP."]
    talk.handle(Mine((line("K7QP", "Ann Bo", "playing", turn=(0,), spectators=1),)))
    assert talk.take_lines() == []
