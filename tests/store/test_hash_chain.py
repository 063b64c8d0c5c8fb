"""The chain finds every change of what was written; only a valid head is believed."""

import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_server.store.hash_chain import (
    SLOT_BYTES,
    ChainHead,
    HeadFile,
    HeadSlot,
    StoredEntry,
    VerificationError,
    extend_chain,
    read_heads,
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


OURS, OTHER = b"a" * 16, b"b" * 16
HEAD = ChainHead(3, bytes(range(32)))


def written(path: Path) -> None:
    heads = HeadFile(path, OURS)
    heads.put(5, "K7QP", HEAD)
    heads.put_time(12.5)
    heads.close()


def test_what_was_put_is_read(tmp_path: Path) -> None:
    path = tmp_path / "heads"
    written(path)
    read = read_heads(path, OURS)
    assert dict(read.slots()) == {5: HeadSlot("K7QP", 3, HEAD.hash[:16])}
    assert HeadSlot("K7QP", 3, HEAD.hash[:16]).fits(HEAD)
    assert not HeadSlot("K7QP", 3, HEAD.hash[:16]).fits(ChainHead(4, HEAD.hash))
    assert (read.time, read.foreign) == (12.5, False)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("code", ["AAAA", "9999", "AAAAAAAA", "99999999", "K7QPWX3M", "A9AAAAAB"])
def test_a_code_of_any_table_is_kept_whole(tmp_path: Path, code: str) -> None:
    heads = HeadFile(tmp_path / "heads", OURS)
    heads.put(5, code, HEAD)
    assert heads.get(5) == HeadSlot(code, 3, HEAD.hash[:16])
    heads.close()


def test_a_start_reads_the_slots_of_what_may_be_open(tmp_path: Path) -> None:
    path = tmp_path / "heads"
    heads = HeadFile(path, OURS)
    for game in range(1, 300):
        heads.put(game, "K7QP", HEAD, over=game not in {7, 298})
    assert heads.get(7) == HeadSlot("K7QP", 3, HEAD.hash[:16])
    assert heads.get(8) == HeadSlot("K7QP", 3, HEAD.hash[:16], over=True)
    assert [heads.get(game) for game in (-1, 0, 300, 1 << 62)] == [None] * 4
    heads.put(1000, "K7QP", HEAD, over=True)
    heads.close()
    read = read_heads(path, OURS)
    assert [game for game, _ in read.slots(open_only=True)] == [7, 298]
    assert (read.last, read.count) == (1000, 300)
    assert len(dict(read.slots())) == 300


def test_a_slot_without_a_state_may_be_open(tmp_path: Path) -> None:
    path = tmp_path / "heads"
    written(path)
    # As they were before there was a state in them.
    slot = struct.pack("<Q4s16s", 3, b"K7QP", HEAD.hash[:16])
    content = path.read_bytes()[: 6 * SLOT_BYTES] + slot + struct.pack("<I", zlib.crc32(slot, 6))
    path.write_bytes(content)
    assert dict(read_heads(path, OURS).slots(open_only=True))[6] == HeadSlot("K7QP", 3, HEAD.hash[:16])


def test_opening_it_again_keeps_it_and_another_journal_empties_it(tmp_path: Path) -> None:
    path = tmp_path / "heads"
    written(path)
    HeadFile(path, OURS).close()
    assert read_heads(path, OURS).get(5)
    assert read_heads(path, OTHER).foreign
    assert read_heads(path, None).get(5)
    HeadFile(path, OTHER).close()
    assert read_heads(path, OTHER).last == 0


def test_a_damaged_slot_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "heads"
    written(path)
    whole = path.read_bytes()
    for bit in range(5 * SLOT_BYTES * 8, 6 * SLOT_BYTES * 8):
        content = bytearray(whole)
        content[bit // 8] ^= 1 << bit % 8
        path.write_bytes(content)
        assert read_heads(path, OURS).last == 0
    for length in range(6 * SLOT_BYTES):
        path.write_bytes(whole[:length])
        assert read_heads(path, OURS).last == 0


def test_a_slot_holds_only_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "heads"
    written(path)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[5 * SLOT_BYTES :])
    assert [game for game, _ in read_heads(path, OURS).slots()] == [5]


def test_a_write_that_fails_is_no_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    heads = HeadFile(tmp_path / "heads", OURS)
    monkeypatch.setattr("os.pwrite", full)
    heads.put(5, "K7QP", HEAD)
    heads.close()
    assert read_heads(tmp_path / "heads", OURS).last == 0
