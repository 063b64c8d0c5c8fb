"""What players have in hand is kept, up to a length, for each of them."""

from cartino_server.table.commands import MAX_SELECTION_BYTES, Selections


def test_the_newest_is_kept_for_each() -> None:
    in_hand = Selections({"ann": b"old"})
    assert in_hand.keep("ann", b"new")
    assert in_hand.keep("bob", b"his")
    assert (in_hand.of("ann"), in_hand.of("bob"), in_hand.of("eve")) == (b"new", b"his", None)
    before = in_hand.memos
    assert before == {"ann": b"new", "bob": b"his"}
    in_hand.keep("ann", b"newer")
    assert before["ann"] == b"new", "what was saved stays what it was"


def test_what_is_too_long_changes_nothing() -> None:
    in_hand = Selections({})
    assert in_hand.keep("ann", b"x" * MAX_SELECTION_BYTES)
    assert not in_hand.keep("ann", b"x" * (MAX_SELECTION_BYTES + 1))
    assert in_hand.of("ann") == b"x" * MAX_SELECTION_BYTES
