"""Back to the table one was cut off from: by oneself, with a guest's word, from another terminal; stone in hand."""

import pytest

from cartino_protocol.commands import Act, Back, Create, Join, Watch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Left, Mine, SavedSelection, TableView, Welcome
from cartino_protocol.wire import encode_raw
from cartino_tui.screens.lobby import LobbyScreen
from cartino_tui.screens.table import TableScreen
from cartino_tui.visit.pending import SelectionSync
from cartino_tui.visit.routes import StartRoute
from tests.support.visit import LayOne, line, lobby, toy_table, welcome
from tests.tui.conftest import Visiting

CUT_OFF = (welcome(back="K7QP"), lobby())
GUEST = (welcome("guest-1", guest=True), lobby())
BACK = "Welcome back."


def kept(number: int, picked: int) -> SavedSelection:
    """The toy's stone `picked`, kept in the state `number`."""
    keep = SelectionSync().keep(number, bytes([picked]))
    assert keep is not None
    return SavedSelection(keep.selection)


@pytest.mark.parametrize("view", [toy_table(), toy_table("Ann -", "open"), toy_table(state="finished")])
async def test_who_was_cut_off_goes_straight_back(visit: Visiting, view: TableView) -> None:
    async with visit(greeting=CUT_OFF) as v:
        await v.says(Join("K7QP"))
        await v.hears(view)
        assert v.status.startswith(BACK)
        await v.types("t", "escape")
        assert BACK not in v.status
        await v.hears(welcome(back="K7QP"))
        await v.says(Join("K7QP"))


@pytest.mark.parametrize("intent", [Watch("B4ZT")])
async def test_another_wish_comes_first(visit: Visiting, intent: StartRoute) -> None:
    async with visit(greeting=CUT_OFF, intent=intent) as v:
        await v.says(Watch("B4ZT"))
        await v.hears(toy_table(code="B4ZT", you=None))
        assert v.status == ""


async def test_a_table_that_has_gone_meanwhile_leaves_one_in_the_lobby(visit: Visiting) -> None:
    async with visit(greeting=CUT_OFF) as v:
        gone = Refusal("unknown-code", "K7QP", to="Join")
        await v.hears(gone)
        assert v.status == gone.sentence()
        await v.hears(toy_table(code="B4ZT"))
        assert v.status == "", "that is another table"


async def test_what_is_typed_on_the_way_back_is_for_the_table(visit: Visiting) -> None:
    async with visit(greeting=CUT_OFF) as v:
        await v.types("1", "enter")
        await v.says(Join("K7QP"))
        await v.hears(toy_table())
        await v.says(Join("K7QP"), Act(1, encode_raw(LayOne(1))))


async def test_a_word_leads_back_and_what_is_typed_waits_for_the_table(visit: Visiting) -> None:
    async with visit(greeting=GUEST, intent=Back("amber-otter")) as v:
        await v.types("1", "enter")
        await v.says(Back("amber-otter"))
        assert v.text == "", "nobody sees the lobby who only passes through"
        await v.hears(welcome("Ann", guest=True, back="K7QP", word="blue-heron"))
        await v.says(Back("amber-otter"), Join("K7QP"))
        await v.hears(toy_table())
        assert isinstance(v.app.screen, TableScreen)
        await v.says(Back("amber-otter"), Join("K7QP"), Act(1, encode_raw(LayOne(1))))


async def test_a_word_that_is_no_good_ends_in_the_lobby_with_the_sentence(visit: Visiting) -> None:
    async with visit(greeting=GUEST, intent=Back("amber-otter")) as v:
        await v.types("p")
        await v.hears(Refusal("bad-word", to="Back"))
        assert v.status == Refusal("bad-word").sentence()
        await v.hears(welcome(back="K7QP"))
        await v.says(Back("amber-otter"))


async def test_a_word_whose_table_has_gone_says_so(visit: Visiting) -> None:
    async with visit(greeting=GUEST, intent=Back("amber-otter")) as v:
        await v.hears(welcome("Ann", guest=True))
        assert v.status == "Signed back in. Your table has closed."
        assert "you are Ann (guest)" in v.text
        await v.types("b", "escape", "question_mark")
        await v.until(lambda: "Help: the lobby" in v.text, "keys are heard again")


async def test_the_lobby_asks_for_a_word_too(visit: Visiting) -> None:
    async with visit(greeting=GUEST) as v:
        await v.types("b", *"amber-otter", "enter")
        await v.says(Back("amber-otter"))
        await v.hears(welcome("Ann", guest=True, back="K7QP"))
        await v.says(Back("amber-otter"), Join("K7QP"))


async def test_the_old_terminal_stands_in_the_lobby_and_does_not_fight_for_the_seat(visit: Visiting) -> None:
    tables = (line("B4ZT", "Ann Bo"), line("K7QP", "Ann Bo", "playing"))
    async with visit(toy_table()) as v:
        await v.hears(Left("moved", "K7QP"), lobby())
        assert isinstance(v.app.screen, LobbyScreen)
        assert v.status == "You're now playing from your other terminal. Press Enter to move back here."
        await v.hears(lobby(), Mine(tables))
        assert v.status.startswith("You're now playing from your other terminal")
        assert v.link.sent == []
        await v.types("enter")
        await v.says(Join("K7QP"))


async def test_a_key_that_moves_the_cursor_moves_it_for_good(visit: Visiting) -> None:
    async with visit(lobby(line("B4ZT")), toy_table()) as v:
        await v.hears(Left("moved", "K7QP"), lobby(line("B4ZT")))
        await v.types("down")
        await v.hears(Mine((line("K7QP", "Ann Bo", "playing"),)))
        await v.types("enter")
        await v.says(Join("B4ZT"))


async def test_the_table_that_was_selected_is_selected_again_after_a_game(visit: Visiting) -> None:
    tables = [line(code) for code in ("B4ZT", "QQ2M", "N8RW")]
    async with visit(lobby(*tables)) as v:
        await v.types("down")
        await v.hears(toy_table(), Left("left", "K7QP"), lobby(line("AAAA"), *tables))
        await v.types("enter")
        await v.says(Join("QQ2M"))


KEPT_2 = kept(1, 2)


@pytest.mark.parametrize("answers", [(toy_table(), KEPT_2), (KEPT_2, toy_table())])
async def test_the_stone_in_hand_is_in_hand_again(visit: Visiting, answers: tuple[Answer, ...]) -> None:
    async with visit(*answers, greeting=CUT_OFF) as v:
        assert "picked 2" in v.text
        assert v.link.kept == []
        await v.types("escape")
        await v.hears(toy_table(watchers=("eve",)))
        assert "picked 0" in v.text, "it comes back once"


async def test_a_stone_of_another_state_of_the_table_is_not(visit: Visiting) -> None:
    async with visit(toy_table(number=4), kept(3, 2)) as v:
        assert "picked 0" in v.text


async def test_a_stone_kept_at_one_table_is_not_in_hand_at_the_next(visit: Visiting) -> None:
    async with visit(toy_table("Ann -", "open"), kept(1, 2)) as v:
        await v.hears(Left("left", "K7QP"), toy_table(code="B4ZT"))
        assert "picked 0" in v.text


async def test_what_is_in_hand_is_kept_when_it_changes(visit: Visiting) -> None:
    async with visit(toy_table(number=5)) as v:
        await v.types("1", "t", "escape")
        await v.until(lambda: v.link.kept == [[5, 1]])
        await v.types("2", "question_mark", "escape")
        await v.until(lambda: v.link.kept == [[5, 1], [5, 2]])
        await v.types("escape")
        await v.until(lambda: v.link.kept == [[5, 1], [5, 2], None])


async def test_what_was_just_taken_up_is_told_as_the_visit_ends(visit: Visiting) -> None:
    async with visit(toy_table(number=5)) as v:
        await v.types("1")
        v.app.exit()
        assert v.link.kept == [[5, 1]]


async def test_a_move_says_no_more_than_the_move(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("1", "enter")
        await v.hears(toy_table(number=2, laid=1))
        await v.types("2")
        await v.until(lambda: v.link.kept == [[2, 2]])


async def test_who_watches_keeps_nothing(visit: Visiting) -> None:
    async with visit(toy_table(you=None)) as v:
        await v.types("1", "2")
        assert "picked 2" in v.text
        assert v.link.kept == []


async def test_nobody_waits_for_an_answer_about_what_is_kept_nor_hears_of_a_refusal(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("1")
        assert not v.app.context.typeahead.waiting
        await v.hears(Refusal("busy", to="SaveSelection"))
        assert v.status == ""
        assert "picked 1" in v.text


NEW = Create("toy")
NOT_NEW = "You're back at your table. To open another, press n in the lobby."


@pytest.mark.parametrize("view", [toy_table(), toy_table("Ann -", "open")])
async def test_who_opened_a_table_and_connects_again_in_the_same_way_is_back_there(
    visit: Visiting, view: TableView
) -> None:
    async with visit(greeting=CUT_OFF, intent=NEW) as v:
        await v.says(Join("K7QP"))
        await v.hears(welcome(back="K7QP"), view)
        assert v.status == NOT_NEW
        await v.says(Join("K7QP"))
        await v.hears(Left("left", "K7QP"), toy_table(code="B4ZT"))
        assert v.status == ""


async def test_that_gives_way_to_a_vote(visit: Visiting) -> None:
    async with visit(greeting=CUT_OFF, intent=NEW) as v:
        await v.hears(toy_table(votes=(1,)))
        assert v.status == "Bo wants to pause. Press p to agree."


@pytest.mark.parametrize(
    "there",
    [welcome(back="K7QP", elsewhere=True), welcome(back="K7QP", over=True)],
    ids=["other terminal", "game over"],
)
async def test_who_sits_at_another_terminal_or_where_the_game_is_over_opens_one_more(
    visit: Visiting, there: Welcome
) -> None:
    async with visit(greeting=(there, lobby()), intent=NEW) as v:
        await v.says(Create("toy"))
        await v.hears(toy_table(code="B4ZT"))
        assert v.status == ""


async def test_a_word_comes_after_the_table_and_is_shown(visit: Visiting) -> None:
    async with visit(greeting=GUEST, intent=Back("amber-otter")) as v:
        await v.hears(welcome("Ann", guest=True, back="K7QP"), toy_table())
        await v.hears(welcome("Ann", guest=True, word="blue-heron"))
        assert ": Your resume code: blue-heron" in v.text


async def test_a_pause_says_more_than_that_one_is_back(visit: Visiting) -> None:
    async with visit(greeting=CUT_OFF) as v:
        await v.says(Join("K7QP"))
        await v.hears(toy_table(paused=True))
        await v.until(lambda: v.status == "Paused. Press p to vote to resume.")
