"""Title, status and hints, at every table alike."""

from collections.abc import Sequence

import msgspec
import pytest

from cartino_games.kit.bars import (
    Hint,
    describe_end,
    draw_hints,
    draw_status,
    draw_title,
    end_hints,
    fitting_hints,
    hint_at,
    waiting,
)
from cartino_games.kit.scene import TableScene
from cartino_protocol.base import Seat
from cartino_protocol.views import TableView
from cartino_tui.game_port.screen import Look, TableChrome
from tests.support.kit_table import AROUND, AWAY, LOOKS, canvas_of, kit_scene, kit_table, lines_of, saying

OWN = (Hint("1-4", "colour"), Hint("Enter", "lay", "enter"))


def title(scene: TableScene, *facts: str) -> str:
    canvas = canvas_of(scene)
    draw_title(canvas, scene, [("#", "heart")], facts)
    return lines_of(canvas)[0]


def status(scene: TableScene, state: str) -> list[str]:
    canvas = canvas_of(scene)
    draw_status(canvas, scene, state)
    return lines_of(canvas)


def hints(scene: TableScene, own: Sequence[Hint] = OWN) -> str:
    canvas = canvas_of(scene)
    draw_hints(canvas, scene, own)
    return lines_of(canvas)[-1]


def test_the_games_facts_stand_before_the_apps_and_the_least_important_go_first() -> None:
    assert title(kit_scene(), "round 2 of 3", "9 left") == (
        " # Caro · K7QP                               round 2 of 3 · 9 left · 3 watching"
    )
    narrow = kit_scene(look=Look(60, 20))
    assert title(narrow, "a fact of many words", "another one here").split("  ")[-1] == (
        "a fact of many words · another one here"
    )
    assert title(narrow, "a fact of many words", "another one in even more words").endswith(
        "  a fact of many words"
    )


def test_a_long_name_is_cut_before_the_code() -> None:
    around = msgspec.structs.replace(AROUND, title=f"{'Long ' * 15}· K7QP2ABC · PAUSED")
    assert (
        title(kit_scene(look=Look(60, 20), around=around)).split("· ", 1)[1].startswith("K7QP2ABC · PAUSED")
    )


@pytest.mark.parametrize("paused", [True, False])
def test_a_pause_is_a_banner_from_edge_to_edge(paused: bool) -> None:
    scene = kit_scene(msgspec.structs.replace(kit_table(), paused=paused), around=saying("Paused."))
    canvas = canvas_of(scene)
    draw_status(canvas, scene, "")
    row = canvas.frame().rows[scene.status_row]
    banner = ((" Paused.".ljust(scene.width), "selected"),)
    assert (row == banner) is paused


def test_the_apps_sentence_replaces_the_games_and_a_lead_stands_before_it() -> None:
    assert status(kit_scene(), "Your turn.")[22] == " Your turn."
    assert status(kit_scene(around=saying("Paused.")), "Your turn.")[22] == " Paused."
    led = msgspec.structs.replace(AROUND, lead="Ann laid red.")
    assert status(kit_scene(around=led), "Your turn.")[22] == " Ann laid red. Your turn."


def test_a_long_sentence_goes_on_above() -> None:
    found = status(kit_scene(around=saying("word " * 20)), "")
    assert [line.count("word") for line in found[21:23]] == [15, 5]


@pytest.mark.parametrize(
    ("you", "seat", "substitutes", "said"),
    [
        (0, 1, (), ("Waiting for Bartholomew XVI..",)),
        (0, AWAY, (), ("Waiting for Léa, who is away.", "Waiting for Léa.")),
        (
            0,
            AWAY,
            (AWAY,),
            ("Léa is away; a substitute bot is playing.", "A substitute bot is playing for Léa."),
        ),
        (None, 0, (), ("You're watching. It's Ann's turn.", "It's Ann's turn.")),
        (None, AWAY, (), ("You're watching. It's Léa's turn, but they're away.", "It's Léa's turn.")),
    ],
)
def test_what_the_table_waits_for_is_said_in_fewer_and_fewer_words(
    you: Seat | None, seat: Seat, substitutes: tuple[Seat, ...], said: tuple[str, ...]
) -> None:
    assert waiting(kit_scene(kit_table(you=you, turn=(seat,), substitutes=substitutes)), seat) == said


def test_only_players_can_play_another_game() -> None:
    assert describe_end(kit_scene(kit_table(turn=()))) != describe_end(
        kit_scene(kit_table(you=None, turn=()))
    )
    once = msgspec.structs.replace(kit_table(turn=()), once=True)
    assert "rematch" not in describe_end(kit_scene(once))


@pytest.mark.parametrize("look", LOOKS)
def test_the_cells_of_a_hint_are_those_of_its_words(look: Look) -> None:
    row = hints(kit_scene(look=look))
    found = [hint_at(OWN, x) for x in range(look.width)]
    start = row.index("Enter lay")
    assert [x for x, key in enumerate(found) if key] == list(range(start, start + len("Enter lay")))
    assert row.endswith("q leave")


def test_where_there_is_no_room_the_way_out_stays_then_the_help() -> None:
    many = (("p", "pause for a very long while"), (":", "more of it all"), ("?", "help"), ("q", "leave"))
    around = TableChrome("t", hints=many)
    assert hints(kit_scene(look=Look(60, 20), around=around)) == (
        " 1-4 colour  Enter lay  : more of it all  ? help  q leave"
    )


def test_the_apps_hints_can_stand_alone() -> None:
    assert hints(kit_scene(around=TableChrome("t", hints=(("y", "yes"),), alone=True))) == " y yes"


def test_the_games_hints_leave_room_for_help_and_the_way_out() -> None:
    variants = ((Hint("a", "x" * 60), *OWN), (Hint("a", "x" * 20), *OWN), OWN)
    assert fitting_hints(kit_table(), Look(120, 40), variants) is variants[1]
    assert fitting_hints(kit_table(), Look(140, 40), variants) is variants[0]
    assert fitting_hints(_against_bots(), Look(120, 40), variants) is variants[0]
    assert fitting_hints(_against_bots(), Look(80, 24), variants) is variants[1]
    assert fitting_hints(kit_table(), Look(60, 20), variants) is OWN
    lesson = msgspec.structs.replace(kit_table(), code="")
    assert fitting_hints(lesson, Look(80, 24), variants) is OWN


def _against_bots() -> TableView:
    table = kit_table()
    others = (msgspec.structs.replace(seat, kind="bot") for seat in table.seats[1:])
    return msgspec.structs.replace(table, seats=(table.seats[0], *others))


def test_where_people_play_pause_and_chat_stay_in_the_hints_of_80_columns() -> None:
    frames = (("p", "pause"), ("t", "talk"), ("v", "why"), (":", "more"), ("?", "help"), ("q", "leave"))
    around = TableChrome("t", hints=frames)
    own = (Hint("1-5", "stone"), Hint("Enter", "lay"), Hint("e", "end turn"))
    assert hints(kit_scene(look=Look(80, 24), around=around), own) == (
        " 1-5 stone  Enter lay  e end turn  p pause  t talk  : more  ? help  q leave"
    )


def test_when_the_game_is_over_a_hint_turns_the_pages() -> None:
    assert [hint.key for hint in end_hints(Look(80, 24))] == ["tab"]
