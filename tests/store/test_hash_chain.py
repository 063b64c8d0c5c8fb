"""The chain finds every change of what was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_server.store.hash_chain import (
    ChainHead,
    StoredEntry,
    VerificationError,
    extend_chain,
    start_chain,
    verify_chain,
)

BODIES = st.lists(st.binary(max_size=50), max_size=8)


def chain(game: int, code: str, bodies: list[bytes]) -> tuple[ChainHead, list[StoredEntry]]:
    head, entries = start_chain(game, code), []
    for body in bodies:
        head = extend_chain(head, game, "open", body)
        entries.append(StoredEntry(head.seq, b"open", head.hash, body))
    return head, entries


@given(BODIES)
def test_what_was_written_is_whole(bodies: list[bytes]) -> None:
    head, entries = chain(7, "K7QP", bodies)
    assert verify_chain(7, "K7QP", entries) == head
    assert head.seq == len(bodies)


@given(BODIES.filter(bool), st.data())
def test_any_flipped_bit_breaks_it(bodies: list[bytes], data: st.DataObject) -> None:
    _, entries = chain(7, "K7QP", bodies)
    place = data.draw(st.integers(0, len(entries) - 1))
    entry = entries[place]
    name = data.draw(st.sampled_from([name for name in ("state", "hash", "body") if getattr(entry, name)]))
    content = bytearray(getattr(entry, name))
    bit = data.draw(st.integers(0, len(content) * 8 - 1))
    content[bit // 8] ^= 1 << bit % 8
    changed = {"state": entry.state, "hash": entry.hash, "body": entry.body} | {name: bytes(content)}
    entries[place] = StoredEntry(entry.place, **changed)
    with pytest.raises(VerificationError, match=f"entry {place + 1} was altered"):
        verify_chain(7, "K7QP", entries)


@given(BODIES.filter(lambda bodies: len(set(bodies)) > 1), st.data())
def test_order_and_company_are_proved(bodies: list[bytes], data: st.DataObject) -> None:
    head, entries = chain(7, "K7QP", bodies)
    gone = data.draw(st.integers(0, len(entries) - 2))
    with pytest.raises(VerificationError):
        verify_chain(7, "K7QP", entries[:gone] + entries[gone + 1 :])
    with pytest.raises(VerificationError):
        verify_chain(7, "K7QP", entries[::-1])
    assert verify_chain(7, "K7QP", entries[:-1]) != head


def test_the_game_and_its_table_are_in_it() -> None:
    _, entries = chain(7, "K7QP", [b"x"])
    with pytest.raises(VerificationError):
        verify_chain(8, "K7QP", entries)
    with pytest.raises(VerificationError):
        verify_chain(7, "K7QR", entries)
    assert start_chain(7, "K7QP") != start_chain(7, "K7QR")
