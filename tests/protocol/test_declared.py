"""Declared views off the wire: what is larger or refers to more than there is can't be read."""

import msgspec
import pytest

from cartino_protocol.declared import (
    Card,
    CardRow,
    Cell,
    Choice,
    Choose,
    DeclaredView,
    Grid,
    Pile,
    Piles,
    Player,
    Ref,
    Text,
    count,
    decode_declared,
    fill_places,
    say,
)
from cartino_protocol.wire import encode

BOARD = Grid(say("Board"), ("a", "b"), ("1",), (Cell("X", 0), Cell()))
VIEW = DeclaredView(
    areas=(
        BOARD,
        CardRow(say("{who}'s hand", who=Player(1)), (Card("7C"), Card(""), Card("W4", "wild four"))),
        Piles(say("Table"), (Pile(say("stock"), 9), Pile(say("pile"), 1, Card("KS")))),
    ),
    facts=((count("{n} card", "{n} cards", 3),), ()),
    status=say("Play {n} of {card}.", n=3, card=Card("10H")),
    totals=(1, -2),
    on_turn=(1,),
    choices=(Choice("7C", say("Play it."), 3, (Ref(1, 0), Ref(0, 1))),),
    log=(say("It begins."),),
    logged=1,
)


def test_a_view_comes_back_as_it_was() -> None:
    assert decode_declared(encode(VIEW)) == VIEW
    assert msgspec.msgpack.decode(encode(Choose("7C")), type=Choose) == Choose("7C")


@pytest.mark.parametrize(
    "changed",
    [
        {"areas": (msgspec.structs.replace(BOARD, cells=(Cell(),)),)},
        {"areas": (BOARD,) * 13, "choices": ()},
        {"choices": (Choice("x", uses=(Ref(3, 0),)),)},
        {"choices": (Choice("x", uses=(Ref(1, 3),)),)},
        {"choices": (Choice("12"),)},
        {"choices": (Choice("two words"),)},
        {"choices": (Choice("x"),) * 401},
        {"on_turn": (2,)},
        {"status": say("x" * 201)},
        {"status": say("{a}", a="x" * 41)},
        {"log": (say("x"),) * 13},
        {"totals": (10**7,)},
    ],
)
def test_what_no_game_should_send_can_t_be_read(changed: dict[str, object]) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_declared(encode(msgspec.structs.replace(VIEW, **changed)))


@pytest.mark.parametrize("frame", [b"", b"\xc1", encode(Choose("a")), b"\x91" * 4000, b"\xa1\xff"])
def test_other_bytes_are_no_view(frame: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_declared(frame)


def test_places_are_filled_without_format_specifications() -> None:
    """`{x:>999999999}` would fill the reader's memory, `{x.__class__}` tell of the reader."""
    text = Text("{x} {x:>999999999} {x.__class__} {0} {missing}")
    shown = fill_places(text.text, lambda name: "1" if name == "x" else f"<{name}>")
    assert shown == "1 {x:>999999999} {x.__class__} <0> <missing>"
