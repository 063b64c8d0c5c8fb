"""Where a caro may go and what it scores: the cases of table.txt, and each rule that a lay may break."""

from pathlib import Path

import pytest

from cartino_engine.chance import GivenOrder, Impossible
from cartino_games.caro.rules.table import FULL
from cartino_games.caro.views import SPANS, CaroLay, place_at, read_lay
from tests.support.caro import GAME, NOTATION, lay, position, refused
from tests.support.rules_script import cases, run


@pytest.mark.parametrize(
    ("pair", "worth"), [("RB", 10), ("RG", 8), ("RW", 6), ("BG", 4), ("BW", 2), ("GW", 1)]
)
def test_a_pair_scores_by_its_colours_whichever_lies_first(pair: str, worth: int) -> None:
    for lying, laid in ((pair[0], pair[1]), (pair[1], pair[0])):
        run(NOTATION, [f"board: {lying}", f"0 {laid}1,0 -> lay points={worth}"])


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("table.txt")))
def test_rules(case: list[str]) -> None:
    run(NOTATION, case)


SINS = [
    ("RB", "B2,0", "beside"),
    ("RB", "R-1,0", "beside"),
    (".R. R.R", "G1,1", "crowd"),  # the new one has three reds around
    (".R. RW.", "R2,1", "crowd"),  # its neighbour has
    (".R. RW.", "R1,2", "crowd"),
    ("R... .RW. .... ...R", "R2,2", "diagonal"),  # two and one are joined, downwards
    ("...R .WR. .... R...", "R1,2", "diagonal"),  # and upwards
    ("R... .R.. ..R. ..W.", "R3,3", "diagonal"),  # at the end of three
]


@pytest.mark.parametrize(("picture", "text", "rule"), SINS)
def test_a_strict_referee_refuses_what_breaks_a_rule_and_the_other_takes_it(
    picture: str, text: str, rule: str
) -> None:
    strict, honour = position(picture), position(picture, honour=True)
    assert refused(strict, 0, text) == rule
    assert GAME.check(honour, 0, lay(text)) is None
    for state in (strict, honour):
        assert lay(text) not in list(GAME.legal(state, 0)), "offered to nobody"


@pytest.mark.parametrize(
    ("picture", "text"),
    [
        ("R. B.", "R1,1"),  # two of a colour may touch by a corner
        (".R. .W.", "R0,1"),  # two reds around the white one
        (".R. ...  .R.", "G1,1"),  # two around the new one
        ("R... .RW.", "R2,2"),  # a diagonal of three
        ("R.... .RW.. ..... ..... ....R", "R2,2"),  # a gap parts the fourth
        ("R... .RW. .... ...G", "R2,2"),  # another colour ends it
        ("RR", "B0,1"),  # old sins, beside
        (".R. RWR", "G1,2"),  # around the neighbour
        ("R... .R.. ..R. ...R", "W1,2"),  # on a diagonal
    ],
)
def test_what_breaks_no_rule_is_legal(picture: str, text: str) -> None:
    state = position(picture)
    assert GAME.check(state, 0, lay(text)) is None
    assert lay(text) in list(GAME.legal(state, 0))


def test_places_have_names_in_the_widest_area_there_could_be() -> None:
    assert [place_at(0, 0, span) for span in SPANS.values()] == ["f6", "g7", "h8"]
    assert place_at(1, -2, 6) == "g4"
    for seats, span in SPANS.items():
        reach = range(1 - span, span)
        names = {place_at(x, y, span): (x, y) for x in reach for y in reach}
        assert len(names) == (2 * span - 1) ** 2
        for name, place in names.items():
            assert read_lay("r" + name.upper(), span) == CaroLay("R", *place)
        state = position("", *(FULL,) * seats)
        assert f"R{place_at(0, 0, span)}" in GAME.view(state, 0).lays
        assert next(GAME.legal(state, 0)) == CaroLay("R", 0, 0)
    offered = GAME.view(position("R"), 0).lays
    assert {word for word in offered if word[0] == "W"} == {"Wf5", "We6", "Wg6", "Wf7"}


def test_a_game_that_cannot_be_is_an_error_for_people() -> None:
    options = GAME.read_options({})
    assert isinstance(options, dict)
    for seats, given in ((1, options), (5, options), (2, {**options, "rounds": "5"}), (2, {})):
        with pytest.raises(Impossible):
            GAME.start(given, ["ann"] * seats, GivenOrder(range(seats)))
