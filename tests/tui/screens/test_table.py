"""The table: the plug first, bursts of keys over a slow line, refusals, talk, and the ways out."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from cartino_protocol.commands import Act, Command, Cut, Leave, Pause, Rematch, Say
from cartino_protocol.deals import Duplicate
from cartino_protocol.notices import News
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, TableView
from cartino_protocol.wire import encode_raw
from cartino_tui.game_port.screen import MIN_LOOK, Look, Reaction
from cartino_tui.pages.deals import DEAL_PAGE
from cartino_tui.screens import table_timers
from cartino_tui.screens.table import TableScreen
from cartino_tui.visit.pending import Typeahead
from tests.support.pages import is_open
from tests.support.visit import (
    Counter,
    End,
    LayOne,
    Pick,
    ScriptedLink,
    ToyScreen,
    chat,
    lobby,
    toy_table,
    welcome,
)
from tests.tui.conftest import Visiting

LAY_1 = Act(1, encode_raw(LayOne(1)))
END_AFTER = Act(2, encode_raw(End()))


async def test_the_screen_draws_with_the_frames_words_around(visit: Visiting) -> None:
    talk = chat(News("sits", "Bo"), ("Bo", "[red]hi[/] there"))
    async with visit(toy_table(watchers=("eve",)), talk) as v:
        rows = v.text.splitlines()
        assert rows[0] == "Toy small · K7QP | eve is watching"
        assert rows[2:4] == [": Bo takes a seat", "Bo: [red]hi[/] there"]
        assert rows[-1] == "p pause  t chat  v why  : more  ? help  q leave"


async def test_a_coming_is_gone_by_itself_and_the_chat_stays(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_tui.screens.chat.PASSING_SECONDS", 0.05)
    async with visit(toy_table(), chat(("Bo", "hi there"), News("watches", "Eve"))) as v:
        await v.until(lambda: "Eve is watching" not in v.text, "the notice goes")
        assert "Bo: hi there" in v.text
        await v.types("T")
        assert "Eve is watching" in v.text


async def test_a_burst_is_a_turn_though_the_answer_comes_late(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("1", "enter", "e")
        await v.says(LAY_1)
        assert v.app.context.typeahead.waiting
        await v.hears(toy_table(number=2, laid=1))
        await v.says(LAY_1, END_AFTER)


async def test_a_view_that_is_no_answer_lets_nothing_through(visit: Visiting) -> None:
    """Another spectator comes while the move is on its way: same number, so the line does not move."""
    async with visit(toy_table()) as v:
        await v.types("1", "enter", "e")
        await v.hears(toy_table(watchers=("eve",)), chat(("Bo", "hm")))
        assert "eve is watching" in v.text
        await v.says(LAY_1)
        await v.hears(toy_table(number=2, laid=1, watchers=("eve",)))
        await v.says(LAY_1, END_AFTER)


async def test_many_turns_in_one_burst_are_played_in_order(visit: Visiting) -> None:
    """The server answers every move; four turns of three keys are typed before the first answer."""
    link = ScriptedLink()
    number = 1

    def answer(command: Command) -> None:
        nonlocal number
        if isinstance(command, Act):
            assert command.number == number
            number += 1
            link.tell(toy_table(number=number, laid=(number + 1) % 2))

    link.reacts = answer
    async with visit(toy_table(), link=link) as v:
        await v.types(*("1", "enter", "e") * 4)
        await v.until(lambda: number == 9)
        moves = [bytes(c.move) for c in link.sent if isinstance(c, Act)]
        assert moves == [bytes(encode_raw(LayOne(1))), bytes(encode_raw(End()))] * 4


async def test_a_click_waits_in_the_same_line(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("1", "enter")
        await v.says(LAY_1)
        await v.pilot.click(offset=(4, 4))
        assert "picked 1" in v.text
        await v.hears(toy_table(number=2, laid=1))
        await v.until(lambda: "laid 1 picked 4" in v.text)


async def test_a_refusal_shows_until_the_next_key_and_changes_nothing_else(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("1", "enter")
        await v.says(LAY_1)
        before = v.text.splitlines()[:-2]
        await v.hears(Refusal("stale"))
        assert v.status == Refusal("stale").sentence()
        assert v.text.splitlines()[:-2] == before
        await v.types("2")
        assert v.status == ""


async def test_that_a_move_came_too_late_stands_though_the_table_is_new(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("1", "enter")
        await v.hears(Refusal("stale", to="Act"), toy_table(number=2, laid=1))
        assert v.status == Refusal("stale").sentence()
        await v.types("2")
        assert v.status == ""


async def test_what_is_typed_too_far_ahead_is_said_to_be_dropped(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("1", "enter", *["2"] * Typeahead.MOST, "3", "4", "5")
        await v.hears(toy_table(number=2, laid=1))
        assert "picked 2" in v.text
        assert v.status.startswith("Typed too fast: 3 keys were dropped.")
        await v.types("3")
        assert v.status == ""


async def test_what_the_rules_refuse_is_said_in_the_games_words(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.hears(Refusal("illegal", "own-cell"))
        assert v.status == "The toy forbids own-cell."


async def test_a_refused_move_takes_what_was_typed_behind_it_along(visit: Visiting) -> None:
    async with visit(toy_table(laid=1)) as v:
        await v.types("1", "enter", "e")
        await v.hears(Refusal("not-saved", to="Act"))
        assert v.status == Refusal("not-saved").sentence()
        await v.says(LAY_1)


async def test_why_a_move_was_not_saved_stands_until_a_key_does_something(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("1", "enter")
        await v.hears(Refusal("not-saved", to="Act"))
        await v.types("e")
        assert v.status == Refusal("not-saved").sentence()
        await v.types("2", "e")
        assert v.status == "Lay first."
        await v.types("enter")
        await v.hears(Refusal("not-saved", to="Act"), toy_table(number=2))
        assert v.status == ""
        await v.types("e")
        assert v.status == "Lay first."


async def test_the_plugs_status_shows_and_the_frames_keys_come_after_the_plugs(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("e")
        assert v.status == "Lay first."
        await v.types("3", "escape")
        assert "picked 0" in v.text
        assert v.app.screen.is_current
        assert v.status == ""


@pytest.mark.parametrize("key", ["q", "escape", "backspace"])
async def test_leaving_a_running_game_is_asked_about(visit: Visiting, key: str) -> None:
    async with visit(toy_table()) as v:
        await v.types(key)
        assert v.status == "Leave the table? Your seat is kept. (y/n)"
        assert v.text.splitlines()[-1] == "y yes  n no"
        await v.types("n")
        assert v.status == ""
        assert v.link.sent == []
        await v.types(key, "y")
        await v.says(Leave())
        await v.hears(Left("left", "K7QP"), lobby())
        assert "Game server" in v.text


async def test_a_key_that_is_no_answer_leaves_the_question_standing(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("escape", "5", "enter")
        assert v.status.startswith("Leave the table?")
        assert v.link.sent == []
        await v.types("backspace")
        assert v.status == ""


@pytest.mark.parametrize("view", [toy_table(you=None), toy_table(state="finished")])
async def test_who_watches_or_has_finished_leaves_at_once(visit: Visiting, view: object) -> None:
    async with visit(view) as v:
        await v.types("q")
        await v.says(Leave())


async def test_the_question_is_answered_by_the_mouse_too(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.click("q leave")
        await v.click("y yes")
        await v.says(Leave())


async def test_talk_is_typed_in_a_line_at_the_bottom_even_in_one_burst(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("t", "q", "1", "[", "b", "]", "enter", "2")
        await v.says(Say("q1[b]"))
        await v.until(lambda: "picked 2" in v.text, "keys after Enter are the table's again")


async def test_escape_and_enter_in_an_empty_line_close_it_unsaid(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("t", "a", "escape", "3")
        await v.until(lambda: "picked 3" in v.text)
        await v.types("t", "a", "backspace", "backspace", "enter", "4")
        await v.until(lambda: "picked 4" in v.text)
        assert v.link.sent == []


async def test_the_line_says_who_will_hear(visit: Visiting) -> None:
    async with visit(toy_table(you=None), chat(("eve", "psst"), watchers=True)) as v:
        await v.types("t")
        await v.until(lambda: "To spectators" in v.text)
        assert "eve (watching): psst" in v.text


async def test_help_has_the_games_keys_and_rules_and_comes_back(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        for back in ("escape", "backspace", "q", "question_mark"):
            await v.types("question_mark")
            await v.until(lambda: "Help: Toy" in v.text)
            assert "pick a stone" in v.text
            assert "Lay a stone." in v.text
            await v.types(back)
            await v.until(lambda: "picked 0" in v.text)
        assert v.link.sent == []


async def test_what_is_typed_right_behind_the_way_back_from_help_is_the_tables(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("question_mark", "escape", "2")
        await v.until(lambda: "picked 2" in v.text)


async def test_a_refusal_behind_the_help_is_there_after_it(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("question_mark")
        await v.until(lambda: "Help: Toy" in v.text)
        await v.hears(Refusal("stale"))
        await v.types("escape")
        await v.until(lambda: v.status == Refusal("stale").sentence())


async def test_another_game_is_wanted_once(visit: Visiting) -> None:
    async with visit(toy_table(state="finished")) as v:
        assert "r rematch" in v.text
        await v.types("r")
        await v.says(Rematch())
        await v.hears(toy_table(state="finished", again=(0,)))
        await v.types("r")
        assert v.status == "Rematch requested. Waiting for the others."
        await v.says(Rematch())


async def test_another_game_is_not_for_those_who_watch_or_still_play(visit: Visiting) -> None:
    async with visit(toy_table(you=None, state="finished")) as v:
        await v.types("r")
        assert v.status.startswith("The players decide")
        await v.hears(toy_table())
        await v.types("r")
        assert v.status == "You can ask for a rematch when this game is over."
        assert v.link.sent == []


async def test_after_the_end_any_other_key_says_what_can_be_done(visit: Visiting) -> None:
    async with visit(toy_table(state="finished")) as v:
        await v.types("enter")
        assert v.status == "Game over. Press r for a rematch, q for the lobby."


@pytest.mark.parametrize(
    ("deal", "shown", "command"),
    [
        ({"once": True, "duplicate": "ABCD2345"}, "ABCD2345", "join ABCD2345"),
        ({"once": True}, "daily", "daily --game toy"),
        ({"once": True, "practice": True}, "practice", "daily --game toy"),
        ({}, "K7QP", "join K7QP"),
    ],
)
async def test_title_and_clipboard_have_the_code_that_others_need(
    visit: Visiting, deal: Mapping[str, Any], shown: str, command: str
) -> None:
    sealed = "2026-02-04 00:00" if deal else ""
    async with visit(msgspec.structs.replace(toy_table(code="K7QP"), sealed=sealed, **deal)) as v:
        assert v.text.splitlines()[0].startswith(f"Toy small · {shown}")
        await v.types("y")
        assert v.status.endswith(f"{v.app.context.shell_commands.words} {command}")


async def test_a_closed_deal_has_no_command_for_others(visit: Visiting) -> None:
    async with visit(msgspec.structs.replace(toy_table(), once=True)) as v:
        await v.types("y")
        assert v.status == Refusal("deal-over").sentence()


async def test_a_shared_deal_is_played_once(visit: Visiting) -> None:
    async with visit(msgspec.structs.replace(toy_table(state="finished"), once=True)) as v:
        assert "rematch" not in v.text
        assert not any(v.app.screen.can(action) for action in ("rematch", "cut"))  # type: ignore[attr-defined]
        await v.types("r")
        assert v.status == Refusal("played-once").sentence()
        await v.types("enter")
        assert v.status == "Game over. Press d for the results of this deal, q for the lobby."
        assert v.link.sent == []
        assert "d results" in v.text
        await v.types("d")
        await v.says(Duplicate("K7QP"))
        await v.until(lambda: is_open(v.app, DEAL_PAGE))


async def test_a_rematch_starts_in_the_same_screen_with_a_new_pointer(visit: Visiting) -> None:
    async with visit(toy_table(state="finished", number=9)) as v:
        screen = v.app.screen
        await v.hears(toy_table(number=1))
        assert v.app.screen is screen
        await v.types("1", "enter")
        await v.says(LAY_1)


async def test_a_table_that_breaks_or_closes_says_so_in_the_lobby(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.hears(Left("broken", "K7QP"), lobby())
        assert v.status == "Sorry, that table broke and was closed. Other tables aren't affected."


async def test_a_table_that_cannot_be_read_ends_the_visit_with_a_sentence(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        assert isinstance(v.app.screen, TableScreen)
        v.link.tell(toy_table(number=2, table=msgspec.Raw(b"\xc1")))
        await v.until(lambda: v.app.return_code is not None)
    assert v.app.return_code == 1
    assert v.app.return_value is not None
    assert "can't draw" in v.app.return_value


async def test_the_bag_is_cut_for_the_next_game_while_the_last_one_is_looked_at(visit: Visiting) -> None:
    async with visit(toy_table(state="finished")) as v:
        await v.types("x", *"again", "enter")
        await v.says(Cut("again"))
        assert v.status == "Your text was added to the next game's shuffle."


@pytest.mark.parametrize(
    ("view", "sentence"),
    [
        (toy_table(), "Texts are added before the shuffle; this game has started."),
        (toy_table(you=None, state="finished"), "Only players can add text to the shuffle."),
    ],
)
async def test_a_cut_at_the_wrong_time_is_a_sentence(visit: Visiting, view: TableView, sentence: str) -> None:
    async with visit(view) as v:
        await v.types("x")
        assert v.status == sentence


@pytest.mark.parametrize(
    ("view", "on"),
    [
        (toy_table(), True),
        (toy_table(votes=(1,)), True),
        (toy_table(votes=(0,)), False),
        (toy_table(paused=True), False),
        (toy_table(paused=True, votes=(1,)), False),
        (toy_table(paused=True, votes=(0,)), True),
    ],
)
async def test_p_votes_for_the_other_of_play_and_pause_and_takes_the_vote_back(
    visit: Visiting, view: TableView, on: bool
) -> None:
    async with visit(view) as v:
        await v.types("p")
        await v.says(Pause(on))
        assert not v.app.context.typeahead.waiting


@pytest.mark.parametrize(
    ("view", "sentence"),
    [
        (toy_table(you=None), "Only players can vote on a pause; you're watching."),
        (toy_table(state="finished"), "Only a running game can be paused."),
    ],
)
async def test_who_has_no_vote_is_told_why(visit: Visiting, view: TableView, sentence: str) -> None:
    async with visit(view) as v:
        await v.types("p")
        assert v.status == sentence
        assert v.link.sent == []


async def test_a_review_of_a_running_game_says_when_there_is_one(visit: Visiting) -> None:
    async with visit(toy_table(laid=1)) as v:
        await v.types("f")
        assert v.status == "You can review this game when it's over."
        assert v.link.sent == []


async def test_in_a_pause_one_may_look_but_not_move(visit: Visiting) -> None:
    async with visit(toy_table(paused=True, laid=1)) as v:
        assert v.status == "Paused. Press p to vote to resume."
        assert v.text.splitlines()[0].startswith("Toy small · K7QP · PAUSED"), "at the top, too"
        assert v.text.splitlines()[-1] == "p resume  t chat  v why  : more  ? help  q leave"
        await v.types("3", "enter", "e")
        assert v.status == "Paused. Press p to vote to resume."
        assert "picked 3" in v.text
        assert v.link.sent == []
        await v.click("p resume")
        await v.says(Pause(False))
        await v.hears(toy_table(laid=1))
        assert v.status == ""


async def test_a_vote_of_others_shows_and_goes_with_the_pause(visit: Visiting) -> None:
    async with visit(toy_table(votes=(1,))) as v:
        assert v.status == "Bo wants to pause. Press p to agree."
        assert v.text.splitlines()[-1].startswith("p agree")
        await v.hears(toy_table(paused=True))
        assert v.status == "Paused. Press p to vote to resume."


async def test_the_answer_to_a_key_gives_way_to_a_vote_and_not_to_other_news(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("e")
        assert v.status == "Lay first."
        await v.hears(toy_table(watchers=("eve",)))
        assert v.status == "Lay first."
        await v.hears(toy_table(votes=(1,)))
        assert v.status == "Bo wants to pause. Press p to agree."


async def test_a_substitute_that_plays_for_oneself_is_told(visit: Visiting) -> None:
    async with visit(toy_table(substitutes=(0,))) as v:
        assert v.status == "Time's up: a substitute bot plays this turn. The next one is yours."


async def test_a_move_that_was_not_saved_is_repeated_by_the_same_key(visit: Visiting) -> None:
    """By a plug whose stone leaves the hand at once, as Cartino's does."""

    class Hasty(ToyScreen):
        def update_pointer(self, table: TableView, view: Counter, pointer: Pick) -> Pick:
            return pointer

        def key(
            self, table: TableView, view: Counter, pointer: Pick, key: str, look: Look = MIN_LOOK
        ) -> Reaction[Pick]:
            reaction = super().key(table, view, pointer, key, look)
            return Reaction(Pick(), reaction.move) if reaction.move else reaction

    async with visit(toy_table(game="hasty"), game_screens={"hasty": Hasty()}) as v:
        await v.types("1", "enter")
        await v.says(LAY_1)
        await v.hears(Refusal("not-saved", to="Act"))
        assert v.status == Refusal("not-saved").sentence()
        assert "picked 1" in v.text
        await v.types("enter")
        await v.says(LAY_1, LAY_1)
        await v.hears(Refusal("busy", to="Say"), toy_table(game="hasty", number=2))
        assert "picked 0" in v.text, "the refusal was about something else"


async def test_a_stone_lies_where_it_was_laid_until_the_server_has_it(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("1", "enter")
        await v.says(LAY_1)
        assert "picked 1" in v.text
        await v.hears(toy_table(number=2, laid=1))
        assert "laid 1 picked 0" in v.text


async def test_a_guest_reads_the_word_before_leaving_and_in_the_help(visit: Visiting) -> None:
    told = welcome(guest=True, word="amber-otter")
    async with visit(toy_table(), greeting=(told, lobby())) as v:
        await v.types("q")
        assert v.status == "Leave the table? Your seat is kept. Resume code: amber-otter (y/n)"
        await v.types("n", "question_mark", "end")
        await v.until(lambda: "Your resume code: amber-otter" in v.text)
        assert "  ssh -t games.example.org back amber-otter" in v.text


TOLD = "Your resume code: amber-otter"


async def test_a_guest_is_shown_the_word_once_unasked_and_not_in_place_of_whose_turn_it_is(
    visit: Visiting,
) -> None:
    async with visit(toy_table(), greeting=(welcome(guest=True), lobby())) as v:
        before = v.status
        await v.hears(welcome(guest=True, word="amber-otter"))
        await v.until(lambda: TOLD in v.text)
        assert v.status == before
        await v.types("x")
        assert TOLD in v.text
        await v.hears(chat(("Bo", "hello")), welcome(guest=True, word="amber-otter"))
        assert "amber-otter" not in v.text
        await v.hears(welcome(guest=True, word="blue-heron"))
        await v.until(lambda: "blue-heron" in v.text.split("Bo: hello")[1])


async def test_the_word_goes_by_itself(visit: Visiting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_timers, "PRIVATE_LINE_SECONDS", 0.01)
    async with visit(toy_table(), greeting=(welcome(guest=True), lobby())) as v:
        await v.hears(welcome(guest=True, word="amber-otter"))
        await v.until(lambda: TableScreen is type(v.app.screen) and TOLD not in v.text)


async def test_why_the_points_stays_to_be_read_while_the_others_go_on(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ToyScreen, "why", lambda *_: "It touched a king.")
    async with visit(toy_table(turn=(1,))) as v:
        await v.types("v")
        assert v.status == "It touched a king."
        await v.hears(toy_table(turn=(1,), number=2, laid=1))
        assert v.status == "It touched a king."
        await v.types("t", "escape")
        assert v.status == ""


async def test_who_has_no_word_reads_of_none(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("question_mark")
        await v.until(lambda: "Help: Toy" in v.text)
        assert "resume code" not in v.text


@pytest.mark.parametrize(
    ("view", "hints"),
    [
        (toy_table("Ann bot:greedy"), "v why  i hint  : more  ? help  q leave"),
        (
            toy_table("Ann bot:greedy", watchers=("eve",)),
            "p pause  t chat  v why  i hint  : more  ? help  q leave",
        ),
        (toy_table("bot:greedy bot:keen", you=None, watchers=("Ann",)), "v why  : more  ? help  q leave"),
        (toy_table(votes=(0,)), "p withdraw  t chat  v why  : more  ? help  q leave"),
        (toy_table(paused=True, votes=(0,)), "p withdraw  t chat  v why  : more  ? help  q leave"),
    ],
    ids=["bots", "watched", "watching bots", "wants a pause", "wants to resume"],
)
async def test_pause_and_chat_are_hinted_while_other_people_are_here(
    visit: Visiting, view: TableView, hints: str
) -> None:
    async with visit(view) as v:
        assert v.text.splitlines()[-1] == hints


async def test_what_needs_other_people_is_no_choice_alone(visit: Visiting) -> None:
    async with visit(toy_table("Ann bot:greedy")) as v:
        await v.types("colon", *"pause")
        assert "vote to pause" not in v.text
    async with visit(toy_table()) as v:
        await v.types("colon", *"pause")
        assert "vote to pause" in v.text
