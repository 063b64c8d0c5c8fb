"""The form for a new table as a value: defaults, limits, and the command it comes to."""

import msgspec
import pytest

from cartino_protocol.commands import Create
from cartino_tui.game_port.screen import Look
from cartino_tui.widgets.table_form import BRACKETS, FormDrawing, TableForm, new_form
from tests.support.pseudo import in_pseudo
from tests.support.visit import welcome


def form(*, odd: bool = False) -> TableForm:
    begun = new_form(welcome(odd=odd))
    assert begun is not None
    return begun


def line_of(form: TableForm, name: str) -> int:
    return [field.name for field in form.fields].index(name)


def test_the_defaults_open_a_listed_table_of_two() -> None:
    assert form().command() == Create("toy", {"size": "small"}, 2, (), True)


def test_a_server_without_games_has_no_form() -> None:
    assert new_form(msgspec.structs.replace(welcome(), games=())) is None


def test_one_game_needs_no_line_and_several_do() -> None:
    assert "game" not in {field.name for field in form().fields}
    assert "game" in {field.name for field in form(odd=True).fields}


def test_bots_leave_a_seat_for_oneself_however_the_seats_change() -> None:
    four = form().choose(line_of(form(), "seats"), 2)
    full = four.choose(line_of(four, "bots"), 3)
    assert full.command().bots == ("greedy",) * 3
    two = full.choose(line_of(full, "seats"), 0)
    assert two.command().seats == 2
    assert two.command().bots == ("greedy",)


def test_another_game_brings_its_own_options_and_seats() -> None:
    odd = form(odd=True).choose(0, 1)
    assert odd.command() == Create("odd", {}, 2, (), True)
    assert odd.fields[line_of(odd, "seats")].choices == ("2", "3")


def test_the_cursor_goes_round_and_choices_stop_at_the_ends() -> None:
    begun = form()
    assert begun.step(-1).cursor == len(begun.fields) - 1
    assert begun.turn(-1).command() == begun.command()
    assert begun.step(-1).turn(5).command() == Create("toy", {"size": "big"}, 2, (), True)
    assert begun.fields[0].name == "seats", "options in words come last"


def test_only_private_tables_offer_hints_among_people() -> None:
    begun = form()
    assert "hints" not in {field.name for field in begun.fields}
    private = begun.choose(line_of(begun, "open"), 1)
    with_hints = private.choose(line_of(private, "hints"), 1)
    assert [each.command().hints for each in (begun, private, with_hints)] == [False, False, True]
    assert not with_hints.choose(line_of(with_hints, "open"), 0).command().hints


def test_the_clock_and_what_happens_with_who_is_away_are_chosen_too() -> None:
    begun = form()
    clock, absence = line_of(begun, "clock"), line_of(begun, "absence")
    assert [begun.choose(clock, n).command().clock for n in range(5)] == ["none", "30s", "60s", "120s", "day"]
    assert [begun.choose(absence, n).command().absence for n in range(4)] == ["never", "30s", "2m", "10m"]
    both = begun.choose(clock, 4).choose(absence, 3).command()
    assert (both.clock, both.absence) == ("day", "10m")


def test_bots_stand_from_the_weakest_to_the_strongest_and_the_usual_one_is_chosen() -> None:
    """The order in which a game names its bots tells people nothing; one without a level comes first."""
    told = welcome()
    (game,) = told.games
    told = msgspec.structs.replace(
        told, games=(msgspec.structs.replace(game, bots=("greedy", "random", "expert", "beginner")),)
    )
    levels = {game.name: ("beginner", "greedy", "expert")}
    begun = new_form(told, levels)
    assert begun is not None
    field = begun.fields[line_of(begun, "bot")]
    assert field.choices == ("random", "beginner", "greedy", "expert")
    assert (field.value, bool(field.note)) == ("greedy", True)
    full = begun.choose(line_of(begun, "bots"), 1)
    assert full.choose(line_of(full, "bot"), 3).command().bots == ("expert",)
    unknown = new_form(told)
    assert unknown is not None
    assert unknown.fields[line_of(unknown, "bot")].choices == ("greedy", "random", "expert", "beginner")


STATUS = "There is a sentence here about what the server has refused, and it is longer than a row of it all."


@pytest.mark.parametrize("size", [(60, 20), (61, 21), (80, 24), (120, 40)])
@pytest.mark.parametrize("status", ["", STATUS])
def test_every_choice_in_sight_is_where_a_click_finds_it(size: tuple[int, int], status: str) -> None:
    english = Look(*size)
    for look in (english, in_pseudo(english)):
        for line, field in enumerate(form(odd=True).fields):
            begun = form(odd=True).choose(line, 0)
            drawing = FormDrawing(begun, look, status)
            rows = drawing.frame().text().split("\n")
            first = next(y for y, row in enumerate(rows) if row.startswith("  ►"))
            left = rows[first].index(BRACKETS[0])
            for number, choice in enumerate(begun.fields[line].choices):
                said = look.translator.gettext(choice) if field.words else choice
                text = said.join(BRACKETS) if number == 0 else f" {said} "
                y = next(y for y in range(first, look.height) if text.rstrip() in rows[y][left - 1 :])
                x = rows[y].index(text.rstrip(), left - 1)
                assert drawing.choice_at(x + 1, y) == (line, number)
                assert drawing.choice_at(x + len(text) - 1, y) == (line, number)
                assert drawing.choice_at(x + len(text), y) is None
                assert drawing.choice_at(x + 1, 2) is None


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
def test_the_button_is_where_its_words_are(size: tuple[int, int]) -> None:
    look = Look(*size)
    for status in ("", STATUS):
        drawing = FormDrawing(form(odd=True), look, status)
        rows = drawing.frame().text().split("\n")
        y = next(y for y, row in enumerate(rows) if "Open the table" in row)
        x = rows[y].index("Open the table")
        assert drawing.is_on_button(x, y)
        assert not drawing.is_on_button(x, y - 1)
        assert not drawing.is_on_button(x + 20, y)
