"""Title, status and hints, at every table alike."""

from collections.abc import Sequence

import msgspec
import pytest

from cartino_games.kit.bars import (
    Hint,
    draw_hints,
    draw_status,
    draw_title,
    fitting_hints,
    hint_at,
    waiting,
)
from cartino_games.kit.scene import TableScene
from cartino_protocol.base import Seat
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
    narrow, first = kit_scene(look=Look(60, 20)), "a fact of many words"
    assert title(narrow, first, "another one here").endswith(f"  {first} · another one here")
    assert title(narrow, first, "another one in even more words").endswith(f"  {first}")
    long = msgspec.structs.replace(AROUND, title=f"{'Long ' * 15}· K7QP2ABC · PAUSED")
    shown = title(kit_scene(look=Look(60, 20), around=long))
    assert shown.split("· ", 1)[1].startswith("K7QP2ABC · PAUSED"), "the name is cut before the code"


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


@pytest.mark.parametrize("look", LOOKS)
def test_the_cells_of_a_hint_are_those_of_its_words(look: Look) -> None:
    row = hints(kit_scene(look=look))
    found = [hint_at(OWN, x) for x in range(look.width)]
    start = row.index("Enter lay")
    assert [x for x, key in enumerate(found) if key] == list(range(start, start + len("Enter lay")))
    assert row.endswith("q leave")


def test_the_games_hints_leave_room_for_help_and_the_way_out() -> None:
    table = kit_table()
    bots = (table.seats[0], *(msgspec.structs.replace(seat, kind="bot") for seat in table.seats[1:]))
    against_bots = msgspec.structs.replace(table, seats=bots)
    lesson = msgspec.structs.replace(table, code="")
    variants = ((Hint("a", "x" * 60), *OWN), (Hint("a", "x" * 20), *OWN), OWN)
    for room, look, expected in (
        (table, Look(120, 40), 1),
        (table, Look(140, 40), 0),
        (against_bots, Look(120, 40), 0),
        (against_bots, Look(80, 24), 1),
        (table, Look(60, 20), 2),
        (lesson, Look(80, 24), 2),
    ):
        assert fitting_hints(room, look, variants) is variants[expected]


def test_what_stays_where_there_is_no_room() -> None:
    """The way out, then the help; at 80 columns, where people play, pause and chat as well."""
    many = (("p", "pause for a very long while"), (":", "more of it all"), ("?", "help"), ("q", "leave"))
    assert hints(kit_scene(look=Look(60, 20), around=TableChrome("t", hints=many))) == (
        " 1-4 colour  Enter lay  : more of it all  ? help  q leave"
    )
    frames = (("p", "pause"), ("t", "talk"), ("v", "why"), (":", "more"), ("?", "help"), ("q", "leave"))
    own = (Hint("1-5", "stone"), Hint("Enter", "lay"), Hint("e", "end turn"))
    assert hints(kit_scene(look=Look(80, 24), around=TableChrome("t", hints=frames)), own) == (
        " 1-5 stone  Enter lay  e end turn  p pause  t talk  : more  ? help  q leave"
    )
    assert hints(kit_scene(around=TableChrome("t", hints=(("y", "yes"),), alone=True))) == " y yes"
