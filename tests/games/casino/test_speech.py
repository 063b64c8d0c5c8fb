"""Casino in sentences: the table told, plays by number and typed, what is wrong with a typed play."""

import random

import msgspec
import pytest

from cartino_engine.port import Step
from cartino_games.casino.rules import CasinoState
from cartino_games.casino.typing_moves import parse_play, write
from cartino_games.casino.views import Play
from cartino_games.kit.spoken import in_english, in_letters
from cartino_protocol.wire import encode
from cartino_tui.i18n import ENGLISH, translator_for
from tests.support.casino import DEFAULTS, GAME, Table, build, position, random_game
from tests.support.casino_table import SPEECH, table_of

TABLE = position(
    "9H 2H 9S AH",
    "3D 4D 5D 6D",
    loose="3C 6S 7C KD",
    builds=[build("10:8S+2S", 1), build("9:5H+4S", 1, multiple=True)],
    pack="AD 2D 3S 4C 5S 6C 7S 8D",
    sweeps=(1, 0),
    totals=(12, 20),
)


class Talker:
    """Somebody who types lines at a table; moves are made."""

    def __init__(self, state: CasinoState) -> None:
        self.state = state
        self.hold = SPEECH.fresh()
        self.move: msgspec.Struct | None = None

    def type(self, text: str, seat: int | None = None) -> tuple[str, ...]:
        seat = GAME.on_turn(self.state)[0] if seat is None else seat
        heard = SPEECH.enter(
            table_of(self.state, seat), GAME.view(self.state, seat), self.hold, text, ENGLISH
        )
        assert heard.taken
        self.hold, self.move = heard.hold, heard.move
        if isinstance(heard.move, Play):
            step = GAME.apply(self.state, seat, heard.move)
            assert isinstance(step, Step)
            self.state = step.state
        return heard.lines


def test_the_table_is_told_with_builds_owners_and_locks() -> None:
    lines = SPEECH.standing(table_of(TABLE, 0), GAME.view(TABLE, 0), ENGLISH)
    assert lines == (
        "Your turn.",
        "On the table: the 3 of clubs, the 6 of spades, the 7 of clubs, the king of diamonds.",
        "Build of 10 by Bartholomew XVI.: the 8 of spades, the 2 of spades.",
        "Build of 9 by Bartholomew XVI., locked: the 5 of hearts, the 4 of spades.",
        "You hold 1: the 9 of hearts; 2: the 2 of hearts; 3: the 9 of spades; 4: the ace of hearts.",
    )


def test_an_empty_table_says_so() -> None:
    empty, built = (position("9H 9D", "3D 4D", builds=builds) for builds in ([], [build("9:2H+7C", 0)]))
    view = GAME.view(empty, 0)
    assert "The table is empty." in SPEECH.standing(table_of(empty, 0), view, ENGLISH)
    assert SPEECH.picture(table_of(empty, 0), view, ENGLISH) == ("The table is empty.",)
    table, view = table_of(built, 0), GAME.view(built, 0)
    assert SPEECH.standing(table, view, ENGLISH)[2] == "Build of 9 by Ann: the 2 of hearts, the 7 of clubs."
    assert SPEECH.picture(table, view, ENGLISH) == (">9 2H 7C (Ann)",)


def test_scores_tell_counts_and_sweeps() -> None:
    assert SPEECH.describe_table(table_of(TABLE, 0), GAME.view(TABLE, 0), ENGLISH) == (
        "Ann: 12 points, 4 cards in hand, 0 in the pile, 1 sweep.",
        "Bartholomew XVI.: 20 points, 4 cards in hand, 0 in the pile, 0 sweeps.",
    )


def test_a_card_and_a_play_by_their_numbers() -> None:
    talker = Talker(TABLE)
    lines = talker.type("1")
    assert lines[0] == "What do you want to do with the 9 of hearts?"
    assert lines[1].startswith(
        "1: take the 3 of clubs, the 6 of spades, the 5 of hearts, the 4 of spades: 5 cards, clubs 1"
    )
    assert lines[-1] == "0: put it back."
    assert talker.type("0") == ("You put the card back.",)
    talker.type("1")
    talker.type("1")
    assert isinstance(talker.move, Play)
    assert talker.state.piles[0]


def test_a_play_is_told_to_all() -> None:
    table = Table(TABLE)
    table.play("9Hx3C+6S,>9")
    before, after = GAME.view(TABLE, 1), GAME.view(table.state, 1)
    assert SPEECH.describe_events(table_of(table.state, 1), before, after, ENGLISH) == (
        "Ann takes the 3 of clubs, the 6 of spades, the 5 of hearts, the 4 of spades with the 9 of hearts.",
    )
    before, after = GAME.view(TABLE, 0), GAME.view(table.state, 0)
    assert SPEECH.describe_events(table_of(table.state, 0), before, after, ENGLISH)[0].startswith(
        "You take the 3 of clubs"
    )


def test_a_scored_deal_is_told_with_what_each_player_got() -> None:
    state = position("QH", "", loose="QD 3C 4H", piles=("10D 8C 9C JC KC", "2C AD AC"), taker=1)
    table = Table(state)
    table.play("QHxQD")
    lines = SPEECH.describe_events(
        table_of(table.state, 0), GAME.view(state, 0), GAME.view(table.state, 0), ENGLISH
    )
    assert lines[:4] == (
        "You take the queen of diamonds with the queen of hearts.",
        "You get the remaining cards: the 3 of clubs, the 4 of hearts.",
        "Deal 1 has been scored.",
        "Ann: 6 points in this deal (most clubs 2, most cards 1, big casino 2, last capture 1), 6 in total.",
    )


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("9Hx3C,3C", "You named the same card twice."),
        ("9Hx3C+7C", "Those cards don't add up to that value."),
        ("9Hx>8", "That isn't on the table."),
        ("KHxKD", "You don't hold that card."),
        ("AH>9", "That build is locked and can't be raised."),
        ("2H+3C=5", "You hold no other card of that value to take the build with."),
        ("9H=14xKD", "That card doesn't have that value."),
        ("2H+7C=9", "There's already a build of that value: add to it instead."),
    ],
)
def test_a_typed_play_that_is_refused_says_why_and_changes_nothing(typed: str, why: str) -> None:
    talker = Talker(TABLE)
    assert talker.type(typed) == (why,)
    assert talker.move is None
    assert talker.state == TABLE


def test_the_same_words_in_a_command_line_are_refused_for_the_same_reason() -> None:
    for typed, rule in (
        ("9Hx3C,3C", "card-twice"),
        ("9Hx3C+7C", "does-not-add-up"),
        ("9Hx>8", "not-on-table"),
    ):
        move = SPEECH.move(typed, GAME.view(TABLE, 0))
        assert move is not None
        refusal = GAME.check(TABLE, 0, move)
        assert refusal is not None
        assert refusal.detail == rule
    assert SPEECH.move("nonsense", GAME.view(TABLE, 0)) is None
    assert SPEECH.move("9H") == Play("9H", "trail")


def test_numbers_and_words_out_of_turn_make_no_move() -> None:
    talker = Talker(TABLE)
    assert talker.type("1", seat=1) == ("It's Ann's turn.",)
    assert talker.type("3D", seat=1) == ("It's Ann's turn.",)
    assert talker.move is None
    assert talker.type("9") == ("Type a number from 1 to 4, or a word.",)
    assert not SPEECH.enter(table_of(TABLE, 0), GAME.view(TABLE, 0), SPEECH.fresh(), "hello", ENGLISH).taken


def test_questions_are_answered_in_every_language() -> None:
    table, view = table_of(TABLE, 0), GAME.view(TABLE, 0)
    for name, words in (
        ("fr", ("main", "points", "plateau")),
        ("de", ("hand", "punkte", "zug")),
        ("en", ("turn", "scores", "moves")),
    ):
        translator = translator_for(name)
        for word in words:
            heard = SPEECH.enter(table, view, SPEECH.fresh(), word, translator)
            assert heard.taken
            assert heard.lines or word == "moves"


def test_court_cards_are_typed_and_shown_in_the_letters_of_the_language() -> None:
    assert in_english("dhxdc,rs") == "QHXQC,KS"
    assert in_english("Bh+2C=13") == "JH+2C=13"
    assert in_english("qhxdd") == "QHXQD"
    for language, move in (("fr", "DHxDC,RS+VD"), ("de", "DHxDC,KS+BD"), ("en", "QHxQC,KS+JD")):
        assert in_letters("QHxQC,KS+JD", translator_for(language)) == move
        assert in_english(move) == "QHXQC,KS+JD".upper()


@pytest.mark.parametrize(("language", "code"), [("fr", "RD"), ("de", "KD"), ("en", "KD")])
def test_what_a_command_line_shows_can_be_typed(language: str, code: str) -> None:
    table, view = table_of(TABLE, 0), GAME.view(TABLE, 0)
    translator = translator_for(language)
    assert code in SPEECH.picture(table, view, translator)[0]
    for word, _ in SPEECH.legal(view):
        shown = SPEECH.shown_move(word, translator)
        assert SPEECH.move(shown, view) == SPEECH.move(word, view)


@pytest.mark.parametrize(("language", "typed"), [("en", "QHxQD"), ("fr", "DHxDD"), ("de", "DHxDD")])
def test_a_hint_is_in_the_letters_of_the_language(language: str, typed: str) -> None:
    state = position("QH", "3D", loose="QD", pack="AD 2D 3S 4C")
    table, view = table_of(state, 0), GAME.view(state, 0)
    assert f" {typed}" in SPEECH.hint(table, view, translator_for(language))[-1]


def test_a_game_by_typed_plays_alone() -> None:
    talker, rng = Talker(next(random_game(1, DEFAULTS | {"target": "11"}, 3))[0]), random.Random(1)
    plays = 0
    while GAME.on_turn(talker.state):
        (seat,) = GAME.on_turn(talker.state)
        legal = SPEECH.legal(GAME.view(talker.state, seat))
        assert not talker.type(rng.choice(legal)[0])
        assert talker.move is not None
        plays += 1
    assert plays > 40
    lines = SPEECH.standing(table_of(talker.state, 0), GAME.view(talker.state, 0), ENGLISH)
    assert lines[0].startswith("The game is over.")
    assert len(lines) == 4


def test_a_game_by_numbers_alone() -> None:
    talker = Talker(next(random_game(2, DEFAULTS | {"target": "11"}, 2))[0])
    while GAME.on_turn(talker.state):
        hand = talker.state.hands[GAME.on_turn(talker.state)[0]]
        for number in range(1, len(hand) + 1):
            talker.type(str(number))
            if talker.hold.moves:
                break
        talker.type("1")
        assert talker.move is not None
    assert GAME.result(talker.state) is not None


def test_show_lists_the_hand_the_table_and_the_plays_as_typed() -> None:
    table, view = table_of(TABLE, 0), GAME.view(TABLE, 0)
    assert SPEECH.picture(table, view, ENGLISH)[0] == "On the table: 3C 6S 7C KD."
    owned = (">10 8S 2S (Bartholomew XVI.)", ">9# 5H 4S (Bartholomew XVI.)")
    assert SPEECH.picture(table, view, ENGLISH)[1:] == owned
    assert SPEECH.own(table, view, ENGLISH)[0].startswith("You hold: 9H (the 9 of hearts), 2H")
    for word, points in SPEECH.legal(view):
        play = parse_play(word, view)
        assert play is not None
        assert GAME.check(TABLE, 0, play) is None
        assert write(play)
        assert points >= 0


def test_titles_name_what_is_not_usual() -> None:
    assert SPEECH.title_of(DEFAULTS, ENGLISH) == "Casino (card game)"
    options = {"special_suit": "spades", "sweeps_cancel": "off", "hand_values": "high", "target": "11"}
    assert SPEECH.title_of(options, ENGLISH) == "Casino (card game), spades, all sweeps, high values, to 11"


def test_every_rule_that_refuses_has_a_sentence_and_every_best_a_name() -> None:
    from typing import get_args

    from cartino_games.casino import views

    kinds = (views.CardRule, views.CaptureRule, views.BuildRule)
    rules = {"over", "use-add", *(rule for kind in kinds for rule in get_args(kind))}
    assert set(SPEECH.refusals) == rules
    assert SPEECH.fact("deal", ENGLISH) == "best deal"


@pytest.mark.parametrize(
    ("play", "said"),
    [
        (Play("6D", "trail"), "trail the 6 of diamonds"),
        (
            Play("AD", "capture", 14, ("6C", "8S")),
            "take the 6 of clubs, the 8 of spades with the ace of diamonds",
        ),
        (Play("2H", "build", 9, ("7C",)), "build 9 with the 2 of hearts on the 7 of clubs"),
        (Play("AH", "raise", 10, ("9C",)), "raise a build to 10 with the ace of hearts"),
        (Play("5H", "add", 9, ("4C", "9C")), "add the 5 of hearts to the build of 9"),
    ],
)
def test_a_move_by_itself_is_said_in_words(play: Play, said: str) -> None:
    table = table_of(next(random_game(1, DEFAULTS, 2))[0], 0)
    assert SPEECH.move_said(msgspec.Raw(encode(play)), table, ENGLISH) == said
