"""Where a caro may go and what it scores, line by line of the rules."""

import pytest

from cartino_engine.chance import GivenOrder, Impossible
from cartino_games.caro.rules.table import FULL
from cartino_games.caro.views import SPANS, CaroLay, CaroLayLine, place_at, read_lay
from tests.support.caro import GAME, Sitting, lay, position, refused


def points(picture: str, text: str, *supplies: str, honour: bool = False) -> int:
    line = Sitting(position(picture, *supplies, honour=honour)).play((0, text))[0]
    assert isinstance(line, CaroLayLine)
    return line.points


@pytest.mark.parametrize(
    ("pair", "worth"), [("RB", 10), ("RG", 8), ("RW", 6), ("BG", 4), ("BW", 2), ("GW", 1)]
)
def test_a_pair_scores_by_its_colours_whichever_lies_first(pair: str, worth: int) -> None:
    assert points(pair[0], f"{pair[1]}1,0") == worth
    assert points(pair[1], f"{pair[0]}0,-1") == worth


def test_the_first_caro_scores_ten_and_lies_on_the_origin() -> None:
    assert [points("", f"{colour}0,0") for colour in "RBGW"] == [10] * 4
    assert refused(position(""), 0, "R1,0") == "place"


def test_every_pair_that_a_caro_makes_counts_and_no_corner_does() -> None:
    assert points("R.R .W.", "G1,0") == 17  # the example on the sheet
    assert points(".W. R.R .B.", "G1,1") == 8 + 1 + 8 + 4
    assert points("RB", "B0,1") == 10


@pytest.mark.parametrize("colour", list("RBGW"))
def test_a_pair_of_one_colour_scores_nothing(colour: str) -> None:
    assert points(colour, f"{colour}1,0", honour=True) == 0


def test_the_last_caro_of_a_colour_doubles() -> None:
    sitting = Sitting(position("R", "RBBG", FULL, totals=(3, 0)))
    first = sitting.play((0, "B1,0"))[0]
    assert first == CaroLayLine(0, "B", 1, 0, 10, False, 13)
    last = sitting.play((1, "G-1,0"), (0, "B0,1"))[0]
    assert last == CaroLayLine(0, "B", 0, 1, 10 + 10, True, 33)


@pytest.mark.parametrize(("seats", "span"), [(2, 6), (3, 7), (4, 8)])
def test_the_area_grows_to_its_size_in_both_directions(seats: int, span: int) -> None:
    row = "RBRBRBRB"
    full = position(row[:span], *(FULL,) * seats)
    assert refused(full, 0, f"G{span},0" if span < 8 else "G-1,0") == "place"
    assert refused(full, 0, "G-1,0") == "place"
    almost = position(row[: span - 1], *(FULL,) * seats)
    for end in (-1, span - 1):
        grown = Sitting(almost)
        grown.play((0, f"G{end},0"))
        assert refused(grown.state, 1, f"G{span - 2 - end},0") == "place"
    column = position(" ".join(row[:span]), *(FULL,) * seats)
    assert refused(column, 0, "G0,-1") == "place"
    assert isinstance(Sitting(column).play((0, "G1,0"))[0], CaroLayLine)


@pytest.mark.parametrize("honour", [False, True])
def test_some_places_are_closed_under_any_referee(honour: bool) -> None:
    state = position("RB", "RRG", FULL, honour=honour)
    assert refused(state, 0, "G1,0") == "place"
    assert refused(state, 0, "G2,1") == "place"
    assert refused(state, 0, "W2,0") == "colour"
    assert refused(state, 1, "G2,0") == "not-your-turn"
    wide = position("RBRBRB", honour=honour)
    assert refused(wide, 0, "G6,0") == "place"


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
        assert all(
            read_lay("r" + name.upper(), span) == CaroLay("R", *place) for name, place in names.items()
        )
        (first,) = GAME.view(position("", *(FULL,) * seats), 0).lays.keys() & {f"R{place_at(0, 0, span)}"}
        assert (
            read_lay(first, span) == next(GAME.legal(position("", *(FULL,) * seats), 0)) == CaroLay("R", 0, 0)
        )
    offered = GAME.view(position("R"), 0).lays
    assert {word for word in offered if word[0] == "W"} == {"Wf5", "We6", "Wg6", "Wf7"}


def test_a_game_that_cannot_be_is_an_error_for_people() -> None:
    options = GAME.read_options({})
    assert isinstance(options, dict)
    for seats, given in ((1, options), (5, options), (2, {**options, "rounds": "5"}), (2, {})):
        with pytest.raises(Impossible):
            GAME.start(given, ["ann"] * seats, GivenOrder(range(seats)))
