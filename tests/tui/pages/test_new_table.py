"""The form for a new table as a value: defaults, limits, and the command it comes to."""

import msgspec

from cartino_protocol.commands import Create
from cartino_tui.pages.new_table import TableForm, new_form
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
