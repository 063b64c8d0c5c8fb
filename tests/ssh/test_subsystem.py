"""The subsystem carries frames both ways within limits; its stream is small, and its length reveals no hand."""

import asyncio
import random
import zlib
from collections.abc import Sequence
from functools import partial
from typing import Any

import asyncssh
import msgspec
import pytest

from cartino_protocol.exit_status import MISUSE
from cartino_protocol.link import LinkClosed
from cartino_protocol.views import ChatLine, ChatView, LobbyView, SeatView, TableView, Welcome
from cartino_protocol.wire import MAX_COMMAND_BYTES, VERSION, FrameReader, encode, encode_raw, frame_bytes
from cartino_server.limits import SessionLimits
from cartino_server.ssh.subsystem import BYTE_BURST, FRAME_COST, Packer, Subsystem, stored
from tests.ssh.conftest import Connect, FakeReception, until


class FakeLink:
    """A link that notes what is said, and says what it is told to."""

    def __init__(self) -> None:
        self.said: list[bytes] = []
        self.taken = 0
        self.closed = False
        self._answers: asyncio.Queue[bytes | None] = asyncio.Queue()

    def send(self, command: object) -> None:
        raise AssertionError("frames only")

    async def receive(self) -> Any:
        raise AssertionError("frames only")

    def send_frame(self, frame: bytes) -> None:
        self.said.append(frame)

    async def receive_frame(self) -> bytes:
        frame = await self._answers.get()
        if frame is None:
            raise LinkClosed
        self.taken += 1
        return frame

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self._answers.put_nowait(None)

    def tell(self, *frames: bytes) -> None:
        for frame in frames:
            self._answers.put_nowait(frame)

    def end(self) -> None:
        self._answers.put_nowait(None)


class FakeChannel:
    """Notes what is written, each write by itself, and whether it is read from."""

    facts: Any = None
    limits = SessionLimits()

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.reads = True

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True


def unpacked(data: bytes) -> list[bytes]:
    return FrameReader().feed(zlib.decompressobj(-zlib.MAX_WBITS).decompress(data))


VIEWS = [
    encode(ChatView(tuple(ChatLine(n, "eve", f"line {n}", "table") for n in range(1, last)), "table"))
    for last in range(20)
]


def holds(written: list[bytes], count: int) -> bool:
    return len(written) == count


class TestAlone:
    async def test_what_waits_together_goes_out_together_and_what_is_like_before_costs_little(self) -> None:
        channel, link = FakeChannel(), FakeLink()
        running = asyncio.create_task(Subsystem(channel, link).run())
        link.tell(*VIEWS[:3])
        await until(lambda: channel.written)
        assert unpacked(b"".join(channel.written)) == VIEWS[:3]
        assert len(channel.written) == 1
        for count, view in enumerate(VIEWS[3:], 2):
            link.tell(view)
            await until(partial(holds, channel.written, count))
            assert len(channel.written[-1]) < 60
        link.end()
        assert await running == 0
        assert unpacked(b"".join(channel.written)) == VIEWS

    async def test_the_last_words_go_out_before_the_end(self) -> None:
        channel, link = FakeChannel(), FakeLink()
        link.tell(b"bye")
        link.end()
        assert await Subsystem(channel, link).run() == 0
        assert unpacked(b"".join(channel.written)) == [b"bye"]
        assert link.closed

    async def test_nothing_is_taken_for_a_channel_that_is_full(self) -> None:
        channel, link = FakeChannel(), FakeLink()
        multiplexer = Subsystem(channel, link)
        running = asyncio.create_task(multiplexer.run())
        multiplexer.stall()
        link.tell(b"one", b"two")
        for _ in range(20):
            await asyncio.sleep(0)
        assert link.taken <= 1, "what was waited for already"
        multiplexer.drained()
        await until(lambda: link.taken == 2)
        multiplexer.hang_up()
        await running

    async def test_commands_come_in_any_pieces(self) -> None:
        link = FakeLink()
        multiplexer = Subsystem(FakeChannel(), link)
        said = frame_bytes(b"hello") + frame_bytes(b"join")
        for place in range(len(said)):
            multiplexer.feed(said[place : place + 1])
        assert link.said == [b"hello", b"join"]

    @pytest.mark.parametrize(
        "data",
        [
            b"GET / HTTP/1.0\r\n\r\n",
            (MAX_COMMAND_BYTES + 1).to_bytes(4, "big"),
            zlib.compress(bytes(1 << 24)),
        ],
    )
    async def test_what_is_no_frame_of_ours_ends_it(self, data: bytes) -> None:
        link = FakeLink()
        multiplexer = Subsystem(FakeChannel(), link)
        multiplexer.feed(frame_bytes(b"hello") + data)
        multiplexer.feed(frame_bytes(b"more"))
        assert await multiplexer.run() == MISUSE
        assert link.said == []

    async def test_a_flood_is_read_no_further_than_the_budget_goes(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        loop = asyncio.get_running_loop()
        passing, now = loop.time, loop.time()
        monkeypatch.setattr(loop, "time", lambda: now)
        channel, link = FakeChannel(), FakeLink()
        multiplexer = Subsystem(channel, link)
        most = int(BYTE_BURST / FRAME_COST)
        multiplexer.feed(frame_bytes(b"") * (most + 5))
        assert len(link.said) <= most
        assert not channel.reads
        # The rest is said once time has passed.
        monkeypatch.setattr(loop, "time", lambda: passing() + 60)
        await until(lambda: channel.reads)
        assert len(link.said) == most + 5


class TestThroughTheDoor:
    async def opened(
        self, connect: Connect, reception: FakeReception, **more: Any
    ) -> tuple[Any, Any, FakeLink]:
        link = FakeLink()
        reception.links.append(link)
        connection = await connect()
        process = await connection.create_process(subsystem="cartino", request_pty=False, **more)
        return connection, process, link

    async def test_it_needs_no_terminal(self, connect: Connect, reception: FakeReception) -> None:
        connection, process, link = await self.opened(connect, reception)
        process.stdin.write(frame_bytes(b"hello"))
        await until(lambda: link.said == [b"hello"])
        link.tell(b"welcome")
        link.end()
        out = await process.stdout.read()
        assert unpacked(out) == [b"welcome"]
        await process.wait_closed()
        assert process.exit_status == 0
        assert reception.visitors[0].guest
        connection.close()
        await connection.wait_closed()

    @pytest.mark.parametrize("name", ["sftp", "Cartino", "cartino2", ""])
    async def test_no_other_subsystem_is_to_be_had(
        self, connect: Connect, reception: FakeReception, name: str
    ) -> None:
        async with connect() as connection:
            with pytest.raises(asyncssh.ChannelOpenError):
                await connection.create_process(subsystem=name or "-", request_pty=False)
        assert reception.visitors == []

    async def test_a_visitor_who_goes_leaves_no_link(
        self, connect: Connect, reception: FakeReception
    ) -> None:
        connection, _, link = await self.opened(connect, reception)
        await until(lambda: reception.visitors)
        connection.abort()
        await until(lambda: link.closed)


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
