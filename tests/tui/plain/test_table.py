"""A table in plain mode: what comes after the end of a game is told once, and the time that is left."""

import msgspec
import pytest

from cartino_games.cartino.moves import EndTurn, Lay
from cartino_protocol.deals import AttemptLine, DealView, Duplicate
from cartino_protocol.views import MissedTurn, RatingChange, TableView
from cartino_protocol.wire import encode_raw
from cartino_server.server import Server
from cartino_tui.plain.menu import PlainContext
from cartino_tui.plain.table import TableMenu
from tests.support.cartino import position, random_game
from tests.support.cartino_table import table_of
from tests.support.plain import Reader, Talk, on_turn, two
from tests.support.visit import chat

OVER = [state for state, _ in random_game(3, "1974", 2)][-1]
RATING = RatingChange(1012, 1040)
MISSED = MissedTurn(9, 5, 19, tuple(map(encode_raw, (Lay("KS", "KSu"), Lay("*", "QSl"), EndTurn()))))


def reviewed(rating: RatingChange | None = None, missed: MissedTurn | None = None) -> TableView:
    table = table_of(OVER, 0)
    assert table.result is not None
    return msgspec.structs.replace(
        table, result=msgspec.structs.replace(table.result, rating=rating, missed=missed)
    )


def test_rating_and_missed_turn_are_told_as_they_come_and_once() -> None:
    talk = Talk(reviewed(), chat())
    assert talk.hears(reviewed(RATING)) == ["Your rating: 1040 (+28)."]
    assert talk.hears(reviewed(RATING, MISSED)) == [
        "The best turn you missed: 19 points instead of 5 in turn 9 (the king of spades, upper half; "
        "a joker as the queen of spades, lower half)."
    ]
    assert talk.hears(reviewed(RATING, MISSED)) == []


def test_the_player_of_a_shared_deal_hears_what_it_lost_and_asks_for_its_results() -> None:
    once = msgspec.structs.replace(reviewed(), once=True, sealed="2026-02-04 00:00")
    talk = Talk(once, chat())
    assert once.result is not None
    result = msgspec.structs.replace(once.result, lost=7.5, place=2)
    assert talk.hears(msgspec.structs.replace(once, result=result)) == [
        "You were 7.5 points short: rank 2 so far."
    ]
    assert talk.sends("results") == Duplicate(once.code)
    own = AttemptLine("Ann", "played", 2, total=214, lost=7.5, you=True)
    close = "2026-02-04T00:00:00Z"
    deal = DealView("cartino", {}, ("greedy",), close, True, "ab" * 32, 34, own=own, rows=(own,))
    assert "Rank 2: Ann, 7.5 short, total 214." in talk.hears(deal)


def test_moves_that_are_none_of_the_game_are_left_out() -> None:
    talk = Talk(reviewed(), chat())
    assert talk.hears(
        reviewed(missed=MissedTurn(9, 5, 19, (encode_raw(Lay("KS", "ZZu")), encode_raw(RATING))))
    ) == ["The best turn you missed: 19 points instead of 5 in turn 9."]


def test_the_time_that_is_left_goes_on_between_two_views(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(PlainContext, "now", staticmethod(lambda: now[0]))
    timed = table_of(position("KS QS", "9D", bag="7D 8D"), 0)
    seats = (msgspec.structs.replace(timed.seats[0], left=30.0), *timed.seats[1:])
    talk = Talk()
    assert "You have 30 seconds." in talk.hears(msgspec.structs.replace(timed, seats=seats), chat())
    now[0] += 12
    assert "You have 18 seconds." in talk.types("")


def lays(each: Reader) -> list[str]:
    """Return lays for the whole turn, in words for `move`: of one suit, at once possible."""
    assert each.conversation is not None
    table = each.conversation.context.topics[-1]
    assert isinstance(table, TableMenu)
    speech = each.conversation.context.speeches["cartino"]
    return [word for word, _ in speech.legal(speech.read(table.table.game_view)) if not word.startswith("*")]


async def test_several_moves_in_one_line_are_made_in_order(server: Server) -> None:
    first, _ = on_turn(*await two(server))
    (lay, *_) = lays(first)
    first.types(f"{lay} end")
    await first.reads("You laid ")
    await first.reads("You ended your turn")


async def test_a_refused_move_of_a_line_is_named_and_is_the_last(server: Server) -> None:
    first, _ = on_turn(*await two(server))
    (lay, *_) = lays(first)
    first.types(f"{lay} {lay} end")
    await first.reads("You laid ")
    said = await first.reads("(can't be laid there|hold|is over|not made|taken)")
    first.types("turn")
    assert "You ended" not in first.unread, said
    await first.reads("(Lay more |It's )")
