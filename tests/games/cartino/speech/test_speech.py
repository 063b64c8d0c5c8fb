"""A Cartino table in sentences: what happened, what can be typed, and that all of it can be said in any language."""

from itertools import pairwise

import msgspec
import pytest

from cartino_games.cartino.board import BOARDS, JOKER, Edition
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.rules.state import RECENT, CartinoState
from cartino_games.cartino.speech.speech import CartinoSpeech
from cartino_games.kit.spoken import find_new_events
from cartino_tui.game_port.speech import Lines
from cartino_tui.i18n import ENGLISH, translator_for
from tests.support.cartino import Table, position, random_game
from tests.support.cartino_table import table_of, view_of

VOICE = CartinoSpeech()


def asked(state: CartinoState, text: str, you: int | None = 0, *before: str) -> Lines:
    """What is said to a question of seat `you`, after the lines `before`; none of them may move."""
    table = table_of(state, you)
    hold = VOICE.fresh()
    heard = None
    for line in (*before, text):
        heard = VOICE.enter(table, view_of(table), hold, line, ENGLISH)
        assert heard.taken, line
        assert heard.move is None, line
        hold = heard.hold
    assert heard is not None
    return heard.lines


def moved(state: CartinoState, *lines: str) -> object:
    """The move to which the last of `lines` leads."""
    table = table_of(state, 0)
    hold = VOICE.fresh()
    heard = VOICE.enter(table, view_of(table), hold, lines[0], ENGLISH)
    for line in lines[1:]:
        heard = VOICE.enter(table, view_of(table), heard.hold, line, ENGLISH)
    return heard.move


A_TURN = position("KS QS 7H *", "9D", stones=("ASu", "AHu", "QSl"), jokers=("KSl",), bag="7D 8D 9D")


@pytest.mark.parametrize("edition", ["1974", "1969"])
def test_what_is_new_is_what_was_not_there_before(edition: Edition) -> None:
    views = [view_of(table_of(state, None)) for state, _ in random_game(3, edition, 3)]
    for before, after in pairwise(views):
        events, missed = find_new_events(before.recent, after.recent)
        assert events
        assert not missed
        assert (*before.recent, *events)[-RECENT:] == after.recent
    first, last = views[1], views[-1]
    events, missed = find_new_events(first.recent, last.recent)
    assert missed
    assert events == last.recent


@pytest.mark.parametrize("edition", ["1974", "1969"])
def test_every_lay_can_be_typed_in_every_way(edition: Edition) -> None:
    for state, _ in random_game(5, edition, 2):
        if state.settlement is not None:
            break
        table = table_of(state, state.seat)
        view = view_of(table)
        for lay in view.lays:
            wanted = Lay(lay.stone, lay.spot)
            word = (JOKER if lay.stone == JOKER else "") + lay.spot
            assert VOICE.move(word) == wanted
            for typed in (word, word.lower()):
                assert VOICE.enter(table, view, VOICE.fresh(), typed, ENGLISH).move == wanted
        offered = VOICE.legal(view)
        assert [word for word, _ in offered if word == "end"] == (["end"] if view.can_end else [])
        assert len([word for word, _ in offered if word != "end"]) == len(view.lays)


def test_a_stone_is_chosen_by_number_or_name_and_laid_on_a_numbered_spot() -> None:
    lines = asked(A_TURN, "2")
    assert lines[0] == "Where do you want to lay the queen of spades?"
    assert lines[1].startswith("1: upper half: ")
    assert lines[-1] == "0: put it back."
    assert moved(A_TURN, "2", "1") == moved(A_TURN, "2 1") == Lay("QS", "QSu")
    assert moved(A_TURN, "queen of spades upper") == Lay("QS", "QSu")
    assert moved(A_TURN, "qs", "1") == Lay("QS", "QSu")
    assert moved(A_TURN, "joker KSu") == moved(A_TURN, "*KSu") == Lay(JOKER, "KSu")
    assert moved(A_TURN, "joker king of spades, upper half") == Lay(JOKER, "KSu")
    assert moved(A_TURN, "joker", "asl") == Lay(JOKER, "ASl")
    assert asked(A_TURN, "0", 0, "2") == ("You put the queen of spades back.",)


def test_where_a_stone_takes_a_joker_out_it_is_said() -> None:
    assert any("replaces the joker" in line for line in asked(A_TURN, "ks"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("end", "Lay at least one stone before you end your turn."),
        ("6", "You hold 4 stones; type a number from 1 to 4."),
        ("8d", "You don't hold the 8 of diamonds."),
        ("KSl", "the king of spades"),
        ("why", "Nothing has been laid yet."),
        ("row 9", "The board has 4 rows."),
        ("card", "Type a card on this board, like KS for the king of spades, or a suit."),
        ("board clubs", "clubs: no stones."),
        ("board spades", "spades: queen, lower half; king, joker on the lower half; ace, upper half."),
        ("moves", "Nothing has been laid yet."),
    ],
)
def test_questions_are_answered(text: str, said: str) -> None:
    if text == "KSl":
        assert moved(A_TURN, text) == Lay("KS", "KSl")
    else:
        assert asked(A_TURN, text)[0] == said


def test_a_card_is_told_with_what_a_stone_there_would_touch() -> None:
    assert asked(A_TURN, "card KS") == (
        "the king of spades: worth 4 points, row 2, column 3 from the left.",
        "Its upper half is free; a stone there would touch the ace of spades 5, joker as the king of spades 4.",
        "There's a joker on its lower half; the real stone can replace it.",
        "On the board: the 8 of spades above it, the ace of spades to its right, the king of diamonds below it, "
        "the queen of spades to its left.",
    )


def test_who_is_not_on_turn_is_told_so_and_can_look() -> None:
    assert asked(A_TURN, "1", 1) == (f"It's {table_of(A_TURN, 1).seats[0].name}'s turn.",)
    assert asked(A_TURN, "1", None) == ("You're watching; only players can lay stones.",)
    assert asked(A_TURN, "board hearts", None) == ("hearts: ace, upper half.",)


def test_what_is_for_the_frame_is_let_be() -> None:
    table = table_of(A_TURN, 0)
    for text in ("say hello", "0", "nonsense", "999"):
        assert not VOICE.enter(table, view_of(table), VOICE.fresh(), text, ENGLISH).taken


def test_a_turn_is_told_as_it_happens() -> None:
    game_table = Table(A_TURN)
    before = view_of(table_of(game_table.state, 0))
    game_table.lay("QSu", "*@KSu")
    game_table.end()
    table = table_of(game_table.state, 0)
    told = VOICE.describe_events(table, before, view_of(table), ENGLISH)
    assert told[:3] == (
        "You laid the queen of spades, upper half: 3 points.",
        "You laid a joker as the king of spades, upper half: 12 points.",
        "You ended your turn: 15 points.",
    )
    watched = table_of(game_table.state, None)
    assert VOICE.describe_events(watched, before, view_of(watched), ENGLISH)[0].startswith(
        "Bartholomew XVI. laid the queen"
    )


def test_five_stones_and_the_end_are_told() -> None:
    game_table = Table(position("7S 8S 9S 10S JS", "AH *", bag=""))
    before = view_of(table_of(game_table.state, 1))
    game_table.lay("7Su", "8Su", "9Su", "10Su", "JSu")
    table = table_of(game_table.state, 1)
    told = VOICE.describe_events(table, before, view_of(table), ENGLISH)
    assert "Five stones in one turn: 10 points extra." in told
    assert told[-1] == "Bartholomew XVI. is out of stones: 10 points."
    over = VOICE.standing(table, view_of(table), ENGLISH)
    assert over[0].startswith("The game is over. Bartholomew XVI. wins with ")
    assert over[1:] == (
        "Bartholomew XVI. had the best turn: 13 points in turn 1.",
        "Bartholomew XVI.: 23 points in total, including 10 points for going out. For stones laid: 3 points. "
        "For five stones in one turn: 10 points.",
        "Léa: minus 11 points in total, after losing 11 points for the stones in hand: the ace of hearts, joker. "
        "For stones laid: 0 points.",
    )
    sealed = msgspec.structs.replace(view_of(table), hands=())
    assert VOICE.standing(table, sealed, ENGLISH)[3] == (
        "Léa: minus 11 points in total, after losing 11 points for the stones in hand. For stones laid: 0 points."
    ), "hands stay hidden until a daily game's day is over"


def test_the_picture_is_narrow_and_ascii() -> None:
    for edition in BOARDS:
        table = table_of(position("KS", "9D", edition=edition), None)
        for line in VOICE.picture(table, view_of(table), ENGLISH):
            assert line.isascii()
            assert len(line) <= 80


def test_words_of_a_command_line_are_moves_or_nothing() -> None:
    assert VOICE.move("END") == EndTurn()
    assert VOICE.move("joker-10Hl") == Lay(JOKER, "10Hl")
    for word in ("", "K", "KS", "KSx", "1Su", "*", "KSuu", "ende"):
        assert VOICE.move(word) is None
    assert VOICE.only_ends(EndTurn())
    assert not VOICE.only_ends(Lay("KS", "KSu"))


@pytest.mark.parametrize(
    ("language", "line", "end"),
    [("en", "KSu QSu", "end"), ("fr", "RSu DSu", "fin"), ("de", "KSu DSu", "ende")],
)
def test_a_hint_is_in_the_letters_of_the_language_and_english_ones_are_taken_too(
    language: str, line: str, end: str
) -> None:
    table = table_of(position("KS QS 7H", "9D", stones=("ASu",), bag="7D 8D 9D"), 0)
    view, translator = view_of(table), translator_for(language)
    assert f" {line}" in VOICE.hint(table, view, translator)[-1]
    for words in (f"{line} {end}", "KSu QSu end"):
        moves = [VOICE.typed_move(word, view, translator) for word in words.split()]
        assert moves == [Lay("KS", "KSu"), Lay("QS", "QSu"), EndTurn()]
