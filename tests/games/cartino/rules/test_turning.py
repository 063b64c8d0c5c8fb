"""How turns close and games end: the bonus for five, the draw, passing, going out, being blocked, the reckoning."""

from cartino_games.cartino.lines import DrawLine, PassLine, SettleLine, TurnLine
from cartino_games.cartino.views import CartinoEvent
from tests.support.cartino import GAME, Table, position

ALL = [card + half for card in position("7D", "7D").tables.board.cards for half in "ul"]


def all_but(*spots: str) -> list[str]:
    return [spot for spot in ALL if spot not in spots]


def test_a_turn_ends_when_the_player_says_so_and_refills_the_hand() -> None:
    table = Table(position("KS QS 7D 8D 9D", "7C", bag="AC AH"))
    table.lay("KSu")
    table.end()
    assert table.lines[1:] == [TurnLine(0, laid=1, bonus=0, total=0), DrawLine(0, ("AC",))]
    assert (table.hand(0), table.state.seat) == ("7D 8D 9D QS AC", 1)


def test_a_turn_ends_by_itself_when_nothing_more_can_be_laid() -> None:
    table = Table(position("KS 7D", "7C"))
    table.lay("KSu")
    assert table.lines[1:] == [TurnLine(0, laid=1, bonus=0, total=0)]
    assert table.state.seat == 1


def test_a_turn_goes_on_while_a_joker_could_be_laid() -> None:
    table = Table(position("KS * 7D", "7C"))
    table.lay("KSu")
    assert table.state.seat == 0


def test_five_stones_in_a_turn_bring_ten_more_and_jokers_count() -> None:
    table = Table(position("AS KS QS JS *", "7C", bag="7D 7D 7H 7H 8H"))
    table.lay("ASu", "KSu", "QSu", "JSu", "*@10Su")
    assert table.state.totals == (5 + 4 + 3 + 10, 0)
    assert table.of(TurnLine) == [TurnLine(0, laid=5, bonus=10, total=22)]
    assert CartinoEvent("five", 0, points=10) in table.state.recent
    assert CartinoEvent("turn", 0, points=22) in table.state.recent
    assert table.of(DrawLine) == [DrawLine(0, ("7D", "7D", "7H", "7H", "8H"))]


def test_1969_a_swap_counts_among_the_five_and_saves_a_draw() -> None:
    table = Table(position("AS KS QS JS 10S", "7C", edition="1969", jokers=("ASu",), bag="2D 3D 4D 5D 6D"))
    table.lay("ASu", "KSu", "QSu", "JSu", "10Su")
    assert table.of(TurnLine) == [TurnLine(0, laid=5, bonus=10, total=5 + 4 + 3 + 2 + 10)]
    assert table.hand(0) == "2D 3D 4D 5D *"


def test_the_bag_runs_dry() -> None:
    table = Table(position("KS QS 7D", "7C", bag="AC"))
    table.lay("KSu", "QSu")
    assert table.of(DrawLine) == [DrawLine(0, ("AC",))]
    assert table.state.bag.count == 0


def test_going_out_ends_the_game_within_the_turn() -> None:
    table = Table(position("KS QS", "AC * 7D", stones=("ASu",), totals=(0, 3)))
    table.lay("KSu", "QSu")
    assert table.lines[2:] == [TurnLine(0, laid=2, bonus=0, total=9), SettleLine((10, 0), (0, 5 + 6 + 1))]
    result = GAME.result(table.state)
    assert result is not None
    assert (result.totals, result.winners, result.reason) == ((19, -9), (0,), "out")
    assert GAME.on_turn(table.state) == ()
    assert table.state.recent[-1] == CartinoEvent("out", 0, points=10)


def test_an_empty_hand_with_stones_in_the_bag_is_no_end() -> None:
    table = Table(position("KS", "7C", bag="AC"))
    table.lay("KSu")
    assert GAME.result(table.state) is None
    assert table.hand(0) == "AC"


def test_who_can_lay_nothing_passes() -> None:
    table = Table(position("KS 7D", "*", "8C", stones=all_but("KSu", "7Dl", "8Cu")))
    table.lay("KSu")
    assert PassLine(1) not in table.lines, "two spots are free for the joker"
    blocked = Table(position("KS 7D", "*", "7C", stones=all_but("KSu"), jokers=("7Du", "7Cu")))
    blocked.lay("KSu")
    assert blocked.of(PassLine) == [PassLine(1)]
    assert blocked.state.seat == 2
    assert CartinoEvent("pass", 1) in blocked.state.recent


def test_when_nobody_can_lay_the_game_ends_without_the_ten() -> None:
    table = Table(position("KS *", "*", stones=all_but("KSu"), totals=(30, 30)))
    table.lay("KSu")
    assert table.of(PassLine) == [PassLine(1), PassLine(0)]
    assert table.lines[-1] == SettleLine((0, 0), (6, 6))
    result = GAME.result(table.state)
    assert result is not None
    assert result.reason == "blocked"
    assert result.totals[1] == 24


def test_equal_totals_share_the_win() -> None:
    table = Table(position("KS", "7D", "AC", totals=(0, 11 + 5 + 8, 0), stones=("ASu", "QSu", "8Sl")))
    table.lay("KSu")
    result = GAME.result(table.state)
    assert result is not None
    assert result.totals == (5 + 3 + 1 + 10, 23, -5)
    assert result.winners == (1,)
    shared = Table(position("KS", "7D", totals=(0, 11)))
    shared.lay("KSu")
    again = GAME.result(shared.state)
    assert again is not None
    assert (again.totals, again.winners) == ((10, 10), (0, 1))


def test_after_the_end_nothing_is_taken() -> None:
    table = Table(position("KS", "7D"))
    table.lay("KSu")
    assert not list(GAME.legal(table.state, 1))
    from cartino_games.cartino.moves import Lay

    assert table.refusal(Lay("7D", "7Du"), seat=1) == "over"
