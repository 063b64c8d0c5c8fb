"""What is in hand is said to the server when it changes, never twice, and taken up again once."""

import msgspec
import pytest

from cartino_protocol.commands import SaveSelection
from cartino_protocol.views import SavedSelection
from cartino_tui.visit.pending import SelectionSync

A, B = msgspec.msgpack.encode("a"), msgspec.msgpack.encode("b")


def said(keep: SaveSelection | None) -> object:
    assert keep is not None
    return msgspec.msgpack.decode(keep.selection)


def kept(number: int, selection: bytes) -> SavedSelection:
    """What the server gives back of what it was told."""
    keep = SelectionSync().keep(number, selection)
    assert keep is not None
    return SavedSelection(keep.selection)


def test_it_is_said_when_it_changes_and_only_then() -> None:
    hand = SelectionSync()
    assert hand.keep(7, b"") is None
    assert said(hand.keep(7, A)) == [7, "a"]
    assert hand.keep(7, A) is None
    assert said(hand.keep(7, B)) == [7, "b"]
    assert said(hand.keep(7, b"")) is None
    assert hand.keep(7, b"") is None


def test_a_move_that_took_it_needs_no_word() -> None:
    hand = SelectionSync()
    hand.keep(7, A)
    assert hand.keep(8, b"") is None
    assert said(hand.keep(8, A)) == [8, "a"]
    assert said(hand.keep(9, A)) == [9, "a"], "still in hand in another state"


def test_what_was_kept_comes_back_once_and_need_not_be_said_again() -> None:
    hand, back = SelectionSync(), kept(7, A)
    assert hand.recall(7, None) is None
    selection = hand.recall(7, back)
    assert selection is not None
    assert msgspec.msgpack.decode(selection) == "a"
    assert hand.recall(7, back) is None
    assert hand.keep(7, A) is None


@pytest.mark.parametrize(
    "selection",
    [
        b"",
        b"\xc0",
        b"\xc1",
        msgspec.msgpack.encode(7),
        msgspec.msgpack.encode(("x", 1)),
        kept(6, A).selection,
    ],
)
def test_what_cannot_be_read_or_is_of_another_state_is_nothing(selection: bytes) -> None:
    assert SelectionSync().recall(7, SavedSelection(msgspec.Raw(selection))) is None
