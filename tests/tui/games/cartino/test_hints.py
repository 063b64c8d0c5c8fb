from cartino_tui.games.cartino.hints import hint_at, own_hints
from cartino_tui.games.cartino.marks import ASCII, UNICODE
from cartino_tui.games.plug import Around
from tests.support.cartino import position, random_game
from tests.support.cartino_table import drawn, room_of, view_of

STATE = position("AH 7S", "7D", bag="9C")


def test_players_see_the_keys_through_the_whole_game_and_spectators_none() -> None:
    hints = [own_hints(room_of(STATE, you), view_of(room_of(STATE, you)), UNICODE) for you in (0, 1, None)]
    assert hints[0] == hints[1] != ()
    assert hints[2] == ()
    *_, (over, _) = random_game(1, "1974", 2)
    room = room_of(over, 0)
    assert own_hints(room, view_of(room), UNICODE) == ()


def test_the_cells_of_a_hint_are_those_of_its_words() -> None:
    room = room_of(STATE, 0)
    row = drawn(STATE, 0).text().split("\n")[23]
    found = [hint_at(room, view_of(room), False, x) for x in range(80)]
    for words, key in (("Enter lay", "enter"), ("e end turn", "e")):
        start = row.index(words)
        assert found[start : start + len(words)] == [key] * len(words)
    assert sum(map(bool, found)) == len("Enter lay") + len("e end turn")


def test_without_arrows_the_hint_says_them_in_words() -> None:
    room = room_of(STATE, 0)
    assert [what for what, *_ in own_hints(room, view_of(room), ASCII)] == ["1-5", "up/dn", "Enter", "e"]


def test_while_a_question_is_asked_or_a_record_replayed_only_the_frames_keys_show() -> None:
    shown = drawn(STATE, 0, around=Around("t", hints=(("y", "yes"),), alone=True))
    assert shown.text().splitlines()[-1] == " y yes"
