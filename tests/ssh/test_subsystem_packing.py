"""The packer's stream suits any inflater, is small for similar views, and its length reveals no hand."""

import random
import zlib
from collections.abc import Sequence

import msgspec
import pytest

from cartino_protocol.views import ChatLine, ChatView, LobbyView, SeatView, TableView, Welcome
from cartino_protocol.wire import VERSION, FrameReader, encode, encode_raw
from cartino_server.ssh.subsystem import Packer, stored

HANDS = (("AH", "KS", "2D", "JC", "9H"), ("3C", "QD", "7S", "4H", "8D"), ("5D", "5S", "JH", "AC", "6C"))


class Hand(msgspec.Struct):
    """What a game shows of the hand of whom the view is for."""

    hand: Sequence[str]


def table_of(hand: Sequence[str], other: str = "eve", number: int = 1) -> bytes:
    """A table where the reader holds `hand` and somebody sits who is called `other`."""
    seats = SeatView("ada", "human"), SeatView(other, "human")
    return encode(
        TableView(
            "K7QP",
            "cartino",
            {},
            "playing",
            number,
            seats,
            0,
            0,
            0,
            "ab" * 32,
            game_view=encode_raw(Hand(hand)),
        )
    )


def talk(text: str) -> bytes:
    return encode(ChatView((ChatLine(1, "eve", text, "table"),), "table"))


def guess(hand: Sequence[str]) -> str:
    """The hand in letters of which each second byte is what MessagePack puts before a card's name."""
    return "".join(f"\u0122{card}" for card in hand)


def lengths(frames: Sequence[bytes]) -> tuple[int, ...]:
    packer = Packer()
    return tuple(len(packer.pack(frame)) for frame in frames)


def test_talk_is_as_long_whether_it_names_the_hand_or_another() -> None:
    for guessed in HANDS:
        said = talk(guess(guessed))
        assert len({lengths([table_of(hand), said])[1] for hand in HANDS}) == 1


def test_a_hand_is_as_long_whether_it_was_named_before_or_not() -> None:
    for hand in HANDS:
        assert len({lengths([talk(guess(guessed)), table_of(hand)])[1] for guessed in HANDS}) == 1


def test_names_tell_nothing_of_a_hand_either() -> None:
    """Somebody takes the name of a guess while a hand is there, and a hand comes while the name is."""
    for guessed in HANDS:
        name = guess(guessed)
        frames = [[table_of(HANDS[0]), table_of(hand, name), table_of(hand, name, 2)] for hand in HANDS]
        told = [lengths(each) for each in frames]
        alone = [lengths([table_of(HANDS[0]), table_of(hand), table_of(hand, number=2)]) for hand in HANDS]
        assert (
            len({tuple(a - b for a, b in zip(*each, strict=True)) for each in zip(told, alone, strict=True)})
            == 1
        )


WORD = "mar-tu-ke-lo-fi-san-do-ri-bel"


def test_a_guests_word_shares_nothing_with_talk() -> None:
    welcome = encode(Welcome(VERSION, "gus", True, (), word=WORD))
    other = encode(Welcome(VERSION, "gus", True, (), word=WORD[::-1]))
    assert lengths([talk(WORD), welcome, talk(WORD)]) == lengths([talk(WORD), other, talk(WORD)])


def test_what_is_like_before_costs_little() -> None:
    view = table_of([f"{rank}{suit}" for suit in "DHSC" for rank in "A23456789JQK"])
    packer = Packer()
    packer.pack(view)
    assert len(packer.pack(view)) < 60 < len(view) // 4


@pytest.mark.parametrize("seed", range(20))
def test_any_inflater_reads_it(seed: int) -> None:
    chance = random.Random(seed)
    frames = [
        chance.choice(
            (
                lambda: table_of(
                    chance.choice(HANDS) * chance.randint(0, 300), number=chance.randint(0, 999)
                ),
                lambda: encode(TableView("K7QP", "caro", {}, "open", 0, (), None, None, 0, "")),
                lambda: talk(guess(chance.choice(HANDS)) * chance.randint(1, 20)),
                lambda: encode(LobbyView((), chance.randint(0, 1 << 40))),
                lambda: chance.randbytes(chance.choice((0, 1, 300, 70_000))),
                lambda: table_of([chance.randbytes(6000).decode("latin-1")]),
            )
        )()
        for _ in range(60)
    ]
    packer, inflate, unframed = Packer(), zlib.decompressobj(-zlib.MAX_WBITS), FrameReader()
    for frame in frames:
        # Whole, at once, and nothing of the next.
        assert unframed.feed(inflate.decompress(packer.pack(frame))) == [frame]


def test_stored_blocks_hold_any_length() -> None:
    data = bytes(range(256)) * 1000
    assert zlib.decompressobj(-zlib.MAX_WBITS).decompress(stored(data)) == data
