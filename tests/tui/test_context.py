"""Unread chat, presence, and being called when it is one's turn, only while one looks elsewhere."""

import pytest

from cartino_protocol.views import Answer, Left, Mine
from cartino_tui.context import IDLE_SECONDS, MAX_UNREAD_TABLES, AppContext, Presence, TurnAlerts, UnreadChat
from cartino_tui.preferences import Preferences
from cartino_tui.visit.events import TurnStarted
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.visit import Visit
from tests.support.visit import TOYS, chat, line, toy_table, welcome
from tests.support.visit_script import visits


class Noted:
    """A window that notes what is said to it."""

    def __init__(self) -> None:
        self.title = ""
        self.calls: list[str] = []

    def set_title(self, text: str) -> None:
        self.title = text

    def ring(self) -> None:
        self.calls.append("bell")

    def note(self, heading: str, text: str) -> None:
        self.calls.append(f"{heading}: {text}")


class World:
    """Somebody called Ann, at a table of two, whose terminal is in front or not, or never said."""

    def __init__(self, in_front: bool | None, *, ascii: bool = False) -> None:
        self.seconds = 0.0
        self.visit = Visit(None, Preferences(ascii=ascii), ShellCommands(), "test")
        self.context = AppContext(
            TOYS,
            self.visit.preferences,
            now=lambda: self.seconds,
            presence=Presence(lambda: self.seconds),
        )
        if in_front is not None:
            self.context.presence.note_focus(in_front)
        self.calling = TurnAlerts(self.context, "House")
        self.window = Noted()
        self.hears(welcome())

    def hears(self, answer: Answer) -> None:
        for effect in self.visit.handle(answer):
            if isinstance(effect, TurnStarted):
                self.calling.alert(effect.codes[0], self.window)
        self.calling.set_title(self.visit.state, self.window)

    def turn_of(self, seat: int, number: int = 1, *, paused: bool = False) -> None:
        self.hears(toy_table(number=number, paused=paused, turn=(seat,)))

    def waits(self, *codes: str) -> None:
        self.hears(Mine(tuple(line(code, "Ann Bo", "playing", turn=(0,)) for code in codes)))


SENTENCE = "House: It's your turn at table K7QP."


def test_who_looks_elsewhere_is_called_once_a_turn() -> None:
    world = World(in_front=False)
    world.turn_of(1)
    assert world.window.calls == []
    world.turn_of(0, 2)
    assert world.window.calls == ["bell", SENTENCE]
    world.turn_of(0, 3)
    assert len(world.window.calls) == 2
    world.turn_of(1, 4)
    world.turn_of(0, 5)
    assert len(world.window.calls) == 4


def test_who_looks_here_is_not() -> None:
    world = World(in_front=True)
    world.seconds = 1000
    world.turn_of(0)
    assert world.window.calls == []


def test_where_nobody_knows_the_bell_rings_for_who_has_typed_nothing_for_a_while() -> None:
    world = World(in_front=None)
    world.turn_of(0)
    assert world.window.calls == []
    world.turn_of(1)
    world.seconds = 60
    world.turn_of(0)
    assert world.window.calls == ["bell"]


@pytest.mark.parametrize(("switch", "left"), [("bell", [SENTENCE]), ("notify", ["bell"])])
def test_each_can_be_switched_off(switch: str, left: list[str]) -> None:
    world = World(in_front=False)
    world.context.preferences.choose(**{switch: False})
    world.turn_of(0)
    assert world.window.calls == left


def test_the_title_says_where_one_is_and_whose_turn_it_is() -> None:
    world = World(in_front=True)
    world.turn_of(1)
    assert world.window.title == "Toy K7QP"
    world.turn_of(0)
    assert world.window.title == "● your turn – Toy K7QP"
    world.turn_of(0, paused=True)
    assert world.window.title == "Toy K7QP"
    world.hears(Left("left", "K7QP"))
    assert world.window.title == ""


def test_the_title_can_be_switched_off_and_needs_no_more_than_ascii() -> None:
    world = World(in_front=True, ascii=True)
    world.turn_of(0)
    assert world.window.title == "o your turn - Toy K7QP"
    world.context.preferences.choose(title=False)
    world.turn_of(0)
    assert world.window.title == ""


def test_in_the_lobby_one_is_called_to_a_table_that_waits() -> None:
    world = World(in_front=False)
    world.waits("K7QP")
    assert world.window.calls == ["bell", SENTENCE]
    assert world.window.title == "● your turn – K7QP"
    world.waits("K7QP", "B4ZT")
    assert world.window.calls[2:] == ["bell", "House: It's your turn at table B4ZT."]


class Now:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_where_the_terminal_says_nothing_it_goes_by_what_is_typed() -> None:
    now = Now()
    presence = Presence(now)
    assert (presence.is_away, presence.is_reported_away) == (False, False)
    now.seconds += IDLE_SECONDS + 1
    assert (presence.is_away, presence.is_reported_away) == (True, False)
    presence.typed()
    assert (presence.is_away, presence.is_reported_away) == (False, False)


def test_what_the_terminal_says_counts() -> None:
    now = Now()
    presence = Presence(now)
    presence.note_focus(False)
    assert presence.is_away
    assert presence.is_reported_away
    presence.note_focus(True)
    now.seconds += 10 * IDLE_SECONDS
    assert not presence.is_away


HI, HO, HE = ("Bo", "hi"), ("Cy", "ho"), ("Ann", "he")


def test_what_is_there_when_one_comes_is_not_new_and_what_comes_unseen_is() -> None:
    unread = UnreadChat()
    unread.update("K7QP", chat(HI), "Ann", seen=False)
    assert unread.count("K7QP") == 0
    unread.update("K7QP", chat(HI, HO, HE, HI), "Ann", seen=False)
    assert unread.count("K7QP") == 2
    assert unread.count("B4ZT") == 0


def test_what_comes_before_ones_eyes_is_read_but_does_not_hide_what_came_unseen() -> None:
    unread = UnreadChat()
    unread.update("K7QP", chat(), "Ann", seen=True)
    unread.update("K7QP", chat(HI), "Ann", seen=True)
    assert unread.count("K7QP") == 0
    unread.update("K7QP", chat(HI, HO), "Ann", seen=False)
    unread.update("K7QP", chat(HI, HO, HI), "Ann", seen=True)
    assert unread.count("K7QP") == 2
    unread.read("K7QP", chat(HI, HO, HI))
    assert unread.count("K7QP") == 0


def test_only_so_many_tables_are_remembered() -> None:
    unread = UnreadChat()
    for number in range(MAX_UNREAD_TABLES + 1):
        unread.update(f"T{number}", chat(), "Ann", seen=True)
    unread.update("T0", chat(HI), "Ann", seen=False)
    assert unread.count("T0") == 0
    unread.update(f"T{MAX_UNREAD_TABLES}", chat(HI), "Ann", seen=False)
    assert unread.count(f"T{MAX_UNREAD_TABLES}") == 1


test_visits = visits(__file__)
