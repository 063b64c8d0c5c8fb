"""Whole visits in lines, word for word: what a screen reader says, in every language, also without a connection."""

import re

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from cartino_protocol.commands import Create, Join, Lesson, Watch
from cartino_protocol.exit_status import BROKEN_OFF, FAILURE
from cartino_protocol.link import LinkEnded
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import LessonView
from cartino_protocol.wire import encode_raw
from cartino_server.lobby.finished.history import lesson_view
from cartino_server.server import Server
from cartino_tui.i18n import ENGLISH
from cartino_tui.visit.routes import ToLesson
from tests.support.games import GAMES, SPEECHES
from tests.support.plain import Reader, Talk, on_turn, reader, two
from tests.support.pseudo import plain_words, pseudo, speak_pseudo
from tests.support.talk_script import talks


async def test_the_lobby_and_a_new_table(server: Server, snapshot: SnapshotAssertion) -> None:
    ann = reader(server, "ann")
    await ann.reads("0: quit")
    for typed, answer in (
        ("help", "0: quit"),
        ("list", "No tables are open"),
        ("code", "An empty line goes back"),
        ("", "0: quit"),
        ("join nonsense", "Not a valid code"),
        ("join ZZZZ", "There is no table"),
        ("name Anna", "You're now called Anna"),
        ("new", "0: back"),
        ("4", "0: back"),
        ("2", "0: back"),
        ("5", "0: back"),
        ("2", "0: back"),
        ("1", "0: back to the lobby"),
        ("help", "0: back to the lobby"),
        ("2", "0: back to the lobby"),
        ("sit 1", "0: back to the lobby"),
        ("cut three cats", "Your text was added"),
        ("99", "Not one of the choices"),
        ("0", "0: quit"),
        ("0", "0: no"),
        ("0", "An empty line repeats"),
        ("ratings", "0: back"),
        ("0", "An empty line repeats"),
        ("0", "0: no"),
        ("1", ""),
    ):
        ann.types(typed)
        if answer:
            await ann.reads(answer)
    assert await ann.ends() == 0
    assert ann.paper.text == snapshot


async def test_a_turn_with_questions_and_talk(server: Server, snapshot: SnapshotAssertion) -> None:
    first, second = on_turn(*await two(server))
    for typed, answer in (
        ("hand", "You hold "),
        ("end", "Lay at least one"),
        ("9", "You hold 5 stones"),
        ("board", "The board is still empty"),
        ("board hearts", "hearts: "),
        ("row 2", "Row 2"),
        ("card AS", "On the board"),
        ("say well met", ": well met"),
        ("1", "0: put it back"),
        ("0", "You put"),
        ("1 1", "You hold "),
        ("why", "touches"),
        ("end", "chips"),
    ):
        first.types(typed)
        await first.reads(answer)
    await second.reads("Your turn")
    await second.reads("You hold ")
    for typed, answer in (
        ("talk", "well met"),
        ("moves", "ended"),
        ("scores", "chips"),
        ("code", "Friends can"),
    ):
        second.types(typed)
        await second.reads(answer)
    second.types("pause")
    await first.reads("wants to pause")
    first.types("pause")
    await first.reads("The game is paused")
    await second.reads("The game is paused")
    second.types("1 1")
    await second.reads("The game is paused. Type pause to vote to resume")
    assert first.paper.text == snapshot(name="first")
    assert second.paper.text == snapshot(name="second")
    assert "\x1b" not in first.paper.text


async def test_a_whole_game_between_two_readers(server: Server, snapshot: SnapshotAssertion) -> None:
    ann, bob = await two(server)
    here = [ann, bob]
    while "The game is over." not in ann.paper.text:
        for each in here:
            each.types("hand")
            said = await each.reads("(Your turn|It's |The game is over)")
            if said.startswith("Your turn"):
                await each.reads("You hold ")
                await lay_something(each)
    for each in here:
        if "The game is over." in each.unread:
            await each.reads("The game is over")
        each.types("rematch")
    for each in here:
        await each.reads("A new game begins")
    tail = ann.paper.text[ann.paper.text.index("The game is over. ") :]
    assert tail[: tail.index("Type rematch")] == snapshot(name="the end")
    left = len(ann.paper.text)
    for typed, answer in (
        ("leave", "0: quit"),
        ("history", "0: back"),
        ("1", "0: back"),
        ("", "step 1 of"),
        ("", "step 2 of"),
        ("go 9", "step 9 of"),
        ("p", "step 8 of"),
        ("3", "chips"),
        ("last", "bob: .* in total"),
        ("", "This is the end"),
        ("help", "0: back"),
        ("0", "0: back"),
        ("mine", "0: back"),
    ):
        ann.types(typed)
        await ann.reads(answer)
    assert ann.paper.text[left:] == snapshot(name="the past")


async def lay_something(each: Reader) -> None:
    """Lay the first stone that can be, and end the turn if it does not end by itself."""
    for number in range(1, 6):
        each.types(f"{number} 1")
        said = await each.reads(
            "(You laid|You replaced|taken|a later one|no free spot|You took|is over|'s turn)"
        )
        if "You laid" in said or "You replaced" in said:
            each.types("end")
            await each.reads("(You ended|out of stones|no more stones can|It's )")
            return
    raise AssertionError(each.paper.text)


async def test_nothing_is_told_into_a_line_that_somebody_types(server: Server) -> None:
    ann = reader(server, "ann", Create("cartino", {"edition": "1974"}), raw=True)
    await ann.reads("0: back to the lobby")
    ann.face.feed(b"say hel")
    bob = reader(server, "bob", Join("AAAA"))
    await bob.reads("You hold ")
    assert ann.unread == "say hel"
    ann.face.feed(b"lo\r")
    await ann.reads("bob takes a seat")
    await bob.reads("ann: hello")
    assert ann.paper.text.index("say hello\r\n") < ann.paper.text.index("bob takes a seat")


async def test_what_is_typed_ahead_is_read_in_order(server: Server) -> None:
    ann = reader(server, "ann")
    ann.types("new", "1", "leave", "0", "yes")
    assert await ann.ends() == 0
    assert "Table AAAA, Cartino 1974. The game hasn't started." in ann.paper.text


async def test_the_end_of_the_server_is_told(server: Server) -> None:
    ann = reader(server, "ann")
    await ann.reads("0: quit")
    await server.close()
    assert await ann.ends() == BROKEN_OFF
    assert ann.paper.text.endswith("The server will be back in a moment. Connect again the same way.\n")


async def test_who_watches_hears_what_happens_and_no_hand(server: Server) -> None:
    players = await two(server)
    eve = reader(server, "eve", Watch("AAAA"))
    await eve.reads("It's ")
    eve.types("1", "say nice", "leave")
    await eve.reads("You're watching")
    first, _ = on_turn(*players)
    first.types("1 1")
    await first.reads("You laid")
    await eve.reads("0: quit")
    assert "You hold" not in eve.paper.text


async def test_lessons_in_lines(server: Server, snapshot: SnapshotAssertion) -> None:
    """The same lessons as on the screen: a task, a wrong move taken back, a refused one, and on from there."""
    ann = reader(server, "ann", ToLesson())
    await ann.reads("Lay the king of spades")
    for typed, answer in (
        ("end", "Lay at least one stone"),
        ("3 1", "undo it"),
        ("4", "That doesn't work here"),
        ("", "Lay the king of spades"),
        ("KSu", "next lesson"),
        ("", "Lay the king of spades on its upper half"),
        ("help", "next and previous"),
        ("4 2", "Now lay the king of spades again"),
        ("previous", "Lesson 2 of 10"),
        ("next", "directly below the 8 of spades"),
        ("leave", "Type learn"),
        ("learn", "directly below the 8 of spades"),
        ("leave", "Type learn"),
    ):
        ann.types(typed)
        await ann.reads(answer)
    assert ann.paper.text == snapshot


def written(
    game: str, number: int, moves: tuple[msgspec.Raw, ...], wanted: tuple[object, ...]
) -> tuple[str, msgspec.Raw]:
    """One of the `wanted` moves at the lesson after `moves`, and how it is typed."""
    view = lesson_view(GAMES, "ann", Lesson(game, number, moves))
    assert isinstance(view, LessonView)
    speech = SPEECHES[game]
    table = speech.read(view.table.game_view)
    typed = {
        word: speech.enter(view.table, table, speech.fresh(), word, ENGLISH)
        for word, _ in speech.legal(table)
    }
    found = next((word, heard.move) for word, heard in typed.items() if heard.move in wanted)
    assert found[1] is not None
    return found[0], encode_raw(found[1])


@pytest.mark.parametrize("game", GAMES)
async def test_every_lesson_can_be_done_in_lines(server: Server, game: str) -> None:
    ann = reader(server, "ann")
    await ann.reads("0: quit")
    ann.types(f"learn {game}")
    lessons = GAMES[game].lessons
    for number, lesson in enumerate(lessons, 1):
        await ann.reads(f"Lesson {number} of {len(lessons)}")
        moves: tuple[msgspec.Raw, ...] = ()
        for task in lesson.tasks:
            word, move = written(game, number, moves, task.wanted)
            moves = (*moves, move)
            ann.types(word)
        await ann.reads("Press Enter for the next lesson|That was the last lesson")
        ann.types("")
    assert "undo it" not in ann.paper.text
    ann.types("leave")
    await ann.reads("You're ready")


async def test_a_hint_is_a_whole_turn_that_can_be_typed(server: Server, snapshot: SnapshotAssertion) -> None:
    """A first game is against the easy bot, with hints; a hint's line plays it, and hints can be switched off."""
    ann = reader(server, "ann")
    await ann.reads("0: quit")
    ann.types("play")
    await ann.reads("Your turn")
    ann.types("hint")
    hint = re.search("Type (.*) to play it", await ann.reads("Type .* to play it"))
    assert hint is not None
    ann.types(hint[1])
    await ann.reads(r"You ended your turn(.|\n)*Your turn")
    for typed, answer in (
        ("hint off", "Hints are off"),
        ("i", "switch them on"),
        ("hint on", "Hints are on"),
    ):
        ann.types(typed)
        await ann.reads(answer)
    assert ann.paper.text == snapshot


async def test_there_are_no_hints_among_people(server: Server) -> None:
    ann, _ = await two(server)
    ann.types("hint on", "hint")
    await ann.reads("Hints are only for games against bots")


test_talks = talks(__file__)


def test_a_connection_that_can_t_come_back_ends_the_visit() -> None:
    talk = Talk().conversation
    talk.take_lines()
    talk.end_session(LinkEnded(LazyMessage("That server is another one now.")).sentence)
    assert talk.take_lines() == ["That server is another one now."]
    assert talk.farewell is not None
    assert talk.farewell.code == FAILURE


NAMES = (
    *("ann", "bob", "Cartino", "AAAA", "ssh", "host", "join", "hello you", "English", "Deutsch", "greedy"),
    *(*GAMES, "random"),
)


async def test_no_english_is_left(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    speak_pseudo(monkeypatch)
    ann = reader(server, "ann")
    await ann.reads("0: ")
    ann.types("help", "list", "code", "", "settings", "0", "history", "0", "ratings", "who", "profile")
    ann.types("learn", "help", "KSu", "", "leave", "rules", "1", "new", "4", "0", "1")
    await ann.reads("ssh -t host join")
    bob = reader(server, "bob", Join("AAAA"))
    await bob.reads("1: .*2: ")
    for each in (ann, bob):
        each.types("help", "rules", "who", "talk", "shuffle", "scores", "board", "row 2", "card KS", "moves")
        each.types("say hello you", "pause", "pause", "rematch", "cut", "end", "1", "0", "99", "why")
        each.types("nonsense")
        each.types("invite bob", "invite", "rules all", "rules 99", "0")
    for each in (ann, bob):
        await each.reads("hello you")
        each.types("1 1", "end", "leave")
        await each.reads("\n0: ")
        each.types("0", "1")
        assert await each.ends() == 0
        # The promise of the shuffle is no word.
        text = re.sub("[0-9a-f]{64}", "", each.paper.text)
        assert set(plain_words(text, *NAMES)) <= {"hello"}, "what was said in talk stays as it is"


async def test_words_of_the_reader_s_language_mean_the_same(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    speak_pseudo(monkeypatch)
    ann = reader(server, "ann", Create("cartino", {"edition": "1974"}))
    await ann.reads("ssh -t host join")
    await ann.reads("0: ")
    ann.types(f"{pseudo('say')} hello you")
    await ann.reads("hello you")
    ann.types(pseudo("leave"))
    await ann.reads("0: ")
    ann.types(pseudo("leave"))
    assert await ann.ends() == 0
