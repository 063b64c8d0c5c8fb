"""The waiting room: seats, start, cut, talk, the way out; by keys and by mouse."""

import re

import msgspec
import pytest

from cartino_protocol.commands import Command, Cut, Leave, Say, Sit, Stand, Start
from cartino_protocol.notices import News
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import TableView
from tests.support.visit import chat, lobby, toy_table, welcome
from tests.tui.conftest import Visiting

OWNER = toy_table("Ann Bo - -", "open")
WATCHER = toy_table("Bo - Chika -", "open", you=None)


@pytest.mark.parametrize(
    ("view", "keys", "said"),
    [
        (WATCHER, ("enter",), Sit(1)),
        (WATCHER, ("down", "down", "enter"), Sit(3)),
        (WATCHER, ("k", "k", "enter"), Sit(3)),
        (WATCHER, ("4",), Sit(3)),
        (OWNER, ("u",), Stand()),
        (OWNER, ("s",), Start()),
        (OWNER, ("x", *"my [b]cut", "enter"), Cut("my [b]cut")),
        (OWNER, ("t", *"hi all", "enter"), Say("hi all")),
        (WATCHER, ("t", *"me too", "enter"), Say("me too")),
        (OWNER, ("q",), Leave()),
        (OWNER, ("escape",), Leave()),
        (OWNER, ("backspace",), Leave()),
    ],
)
async def test_every_key_says_its_command(
    visit: Visiting, view: TableView, keys: tuple[str, ...], said: Command
) -> None:
    async with visit(view) as v:
        await v.types(*keys)
        await v.says(said)


@pytest.mark.parametrize(
    ("view", "key", "sentence"),
    [
        (WATCHER, "1", "That seat is taken. Choose a free one."),
        (WATCHER, "7", "This table has 4 seats."),
        (WATCHER, "x", "Only seated players can add text to the shuffle; take a seat first."),
        (OWNER, "1", "You're already sitting there."),
        (OWNER, "3", "You already have a seat. Press u to give it up."),
    ],
)
async def test_what_cannot_be_is_said_at_once(
    visit: Visiting, view: TableView, key: str, sentence: str
) -> None:
    async with visit(view) as v:
        await v.types(key)
        assert v.status == sentence
        assert v.link.sent == []


async def test_what_the_server_refuses_is_said_too(visit: Visiting) -> None:
    async with visit(OWNER) as v:
        await v.types("s")
        await v.hears(Refusal("too-few", "2"))
        assert v.status == Refusal("too-few", "2").sentence()


@pytest.mark.parametrize("size", [(80, 24), (160, 50), (200, 60)])
async def test_a_click_marks_a_seat_and_another_takes_it(visit: Visiting, size: tuple[int, int]) -> None:
    async with visit(WATCHER, size=size) as v:
        await v.click("4 ○ free")
        assert v.link.sent == []
        await v.click("4 ○ free")
        await v.says(Sit(3))


async def test_start_typed_with_the_first_turn_plays_it(visit: Visiting) -> None:
    async with visit(OWNER) as v:
        await v.types("s", "1", "enter")
        await v.says(Start())
        await v.hears(toy_table())
        await v.until(lambda: len(v.link.sent) == 2)


async def test_the_talk_and_the_cuts_of_others_show_as_they_come(visit: Visiting) -> None:
    async with visit(OWNER) as v:
        await v.hears(chat(News("watches", "Chika"), ("Bo", "[b]hello[/b]")))
        assert "Chika is watching" in v.text
        assert "Bo  [b]hello[/b]" in v.text
        await v.hears(toy_table("Ann Bo - -", "open", cut=(1,)))
        assert "Bo text added" in v.text


async def test_a_line_half_typed_when_the_game_begins_is_finished_at_the_table(visit: Visiting) -> None:
    async with visit(OWNER) as v:
        await v.types("t", "h", "e")
        await v.hears(toy_table())
        await v.types("y", "enter", "2")
        await v.says(Say("hey"))
        await v.until(lambda: "picked 2" in v.text)


async def test_no_more_can_be_typed_than_the_server_takes(visit: Visiting) -> None:
    told = msgspec.structs.replace(welcome(), chat_length=5)
    async with visit(told, OWNER) as v:
        await v.types("t", *"hello!", "enter")
        await v.says(Say("hello"))


async def test_a_cut_half_typed_when_the_game_begins_is_given_up(visit: Visiting) -> None:
    async with visit(OWNER) as v:
        await v.types("x", "h", "e")
        await v.hears(toy_table())
        await v.types("2")
        await v.until(lambda: "picked 2" in v.text)
        assert v.link.sent == []


async def test_a_guest_reads_the_word_and_everybody_the_terms(visit: Visiting) -> None:
    told = welcome(guest=True, word="amber-otter")
    async with visit(toy_table("Ann -", "open", clock="30s", absence="never"), greeting=(told, lobby())) as v:
        assert re.search(r"RESUME +ssh -t games.example.org back amber-otter\n", v.text)
        assert "lets you come back from anywhere; you then get a new code" in v.text
        assert "30 seconds per turn. The table waits for absent players." in v.text


async def test_help_has_the_waiting_rooms_keys_and_the_games(visit: Visiting) -> None:
    async with visit(OWNER) as v:
        await v.types("question_mark")
        await v.until(lambda: "Help: Toy" in v.text)
        assert v.text.index("Then end the turn.") < v.text.index("Available now")
        await v.types("tab")
        assert v.text.index("Available now") < v.text.index("Before the game")
        assert "take the selected seat" not in v.text.split("Before the game")[0], "one sits already"


async def test_a_refusal_is_gone_when_other_people_sit_there(visit: Visiting) -> None:
    async with visit(toy_table("Ann - -", "open")) as v:
        await v.types("1")
        assert v.status == "You're already sitting there."
        await v.hears(toy_table("Ann - -", "open"), chat(("Bo", "hm")))
        assert v.status == "You're already sitting there."
        await v.hears(toy_table("Ann Bo -", "open"))
        assert "You're already sitting there." not in v.text
