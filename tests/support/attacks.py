"""Attacks on a running server, each by one stranger from an address of their own: `python -m tests.support.attacks`.

The words are the port, the address to come from and the attack's name. It says "begun 1" once the first of it is under
way, with the number of connections that it made for that from its address, and "cut" when the server has ended it;
what the server only holds back goes on until this process is ended.
"""

import asyncio
import itertools
import logging
import random
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import asyncssh
from asyncssh.constants import MSG_CHANNEL_DATA, MSG_IGNORE
from asyncssh.packet import Boolean, String, UInt32

from tests.support.raw_client import RawChannel, RawClient, connect_raw, rsa_blob

LARGEST: Final = (1 << 32) - 1
MOST_UNSENT: Final = 1 << 20
"""Bytes that an attacker has waiting, so that it is the server that has to hold them."""
SESSIONS: Final = 18
KEYS: Final = 60
"""A second."""
NASTY: Final = "\x1b[2J\x1b]0;owned\x07\u202e\u200b\u2066\u0301\ufeff\x00[red]x[/red]\r\n\t\x9b31m"
SEQUENCES: Final = (
    *(b"\x1b[1;;;u", b"\x1b[99999999999999999999u", b"\x1b[55296u", b"\x1b[-1u", b"\x1b[1:2:3;4:5u"),
    *(b"\x1b[48;0;0;0;0t", b"\x1b[48;99999;99999;1;1t", b"\x1b[48;-1;-1t", b"\x1b[48;t", b"\x1b[48;1t"),
    *(b"\x1b[<999999;999999;999999M", b"\x1b[<;;M", b"\x1b[<0;-1;-1m", b"\x1b[M\xff\xff\xff"),
    *(b"\x1b[<0;0;0M", b"\x1b", b"\x1b\x1b\x1b", b"\x1b[", b"\x1b]", b"\x1bP", b"\x1b_", b"\x1b[200~"),
    *(b"\x1b[201~", b"\x1b[1;1R", b"\xc3", b"\xf0\x9f", b"\xed\xa0\x80", b"\xff\xfe", b"\xe2\x80\xae"),
    *(b"\x9b31m", b"\x00", b"\x7f"),
)


class Attacker:
    """One stranger."""

    def __init__(self, port: int, source: str) -> None:
        self._port = port
        self.source = source
        """The address that the next connection comes from."""
        self._first = source
        self._said = False
        self._made = 0

    async def connect(self, **options: object) -> RawClient:
        self._made += self.source == self._first
        return await connect_raw(self._port, local_addr=(self.source, 0), **options)

    async def inside(self) -> RawClient:
        client = await self.connect()
        await client.comes_in()
        return client

    async def at_a_screen(self, window: int = 1 << 20) -> tuple[RawClient, RawChannel]:
        client = await self.inside()
        channel = await client.session(window)
        channel.pty(b"xterm-256color")
        channel.shell()
        return client, channel

    def begun(self) -> None:
        if not self._said:
            self._said = True
            print("begun", self._made, flush=True)

    async def goes_on(
        self, client: RawClient, send: Callable[[], object], channel: RawChannel | None = None
    ) -> None:
        """Send in vain until the server has enough of the connection, or of the `channel`; that may be never."""
        count = 0
        while not client.is_over and not (channel is not None and channel.is_closed):
            transport = client.connection._transport
            if transport is None or transport.get_write_buffer_size() > MOST_UNSENT:
                self.begun()
                await asyncio.sleep(0.01)
                continue
            for _ in range(50):
                send()
            count += 50
            if count >= 1000:
                self.begun()
            await asyncio.sleep(0)
        self.begun()


Attack = Callable[[Attacker], Awaitable[None]]
Opened = Callable[[Attacker], Awaitable[tuple[RawClient, RawChannel]]]


async def _session(stranger: Attacker) -> tuple[RawClient, RawChannel]:
    client = await stranger.inside()
    return client, await client.session()


async def _lines(stranger: Attacker) -> tuple[RawClient, RawChannel]:
    client, channel = await _session(stranger)
    channel.runs(b"plain")
    return client, channel


async def _huge_screen(stranger: Attacker) -> tuple[RawClient, RawChannel]:
    client, channel = await _session(stranger)
    channel.pty(width=LARGEST, height=LARGEST)
    channel.shell()
    return client, channel


async def _pasting(stranger: Attacker) -> tuple[RawClient, RawChannel]:
    client, channel = await stranger.at_a_screen()
    channel.types(b"\x1b[200~")
    return client, channel


async def _before_session(stranger: Attacker) -> tuple[RawClient, RawChannel]:
    client = await stranger.inside()
    return client, RawChannel(client, 0)


async def _before_login(stranger: Attacker) -> tuple[RawClient, RawChannel]:
    client = await stranger.connect()
    return client, RawChannel(client, 0)


def _repeating(opened: Opened, step: Callable[[RawClient, RawChannel], object]) -> Attack:
    """Return the attack that does `step` again and again on what is `opened`."""

    async def attack(stranger: Attacker) -> None:
        client, channel = await opened(stranger)
        await stranger.goes_on(client, lambda: step(client, channel))

    return attack


async def _bombs(stranger: Attacker) -> None:
    """Packed packets, which are refused, and packed bytes where the native client talks."""
    refused = await stranger.connect(compression_algs=["zlib", "zlib@openssh.com"])
    assert not refused.ready.is_set()
    client, channel = await _session(stranger)
    channel.request(b"subsystem", String("cartino"), reply=True)
    await stranger.goes_on(client, lambda: channel.types(b"\x78\xda" + b"\xed\xc1" * 500), channel)


async def _letters(stranger: Attacker) -> None:
    client, channel = await _session(stranger)
    nasty = NASTY.encode()
    for name in (b"LANG", b"LC_ALL", b"COLORTERM", b"TZ"):
        channel.request(b"env", String(name), String(nasty))
    channel.runs(b"plain new --bots 1")
    lines = [b"chat " + nasty, b"name " + nasty, nasty, b"join " + nasty, b"watch " + nasty]
    await stranger.goes_on(client, lambda: channel.types(b"\n".join(lines) + b"\n"))


async def _reader(stranger: Attacker) -> None:
    """Has everything drawn again and reads nothing of it."""
    client, channel = await stranger.at_a_screen(window=1 << 30)
    client.connection._transport.pause_reading()  # type: ignore[union-attr]
    sizes = [(100, 30), (101, 31)]

    def again() -> None:
        sizes.reverse()
        channel.resize(*sizes[0])
        channel.send(MSG_CHANNEL_DATA, String(b"?"))

    await stranger.goes_on(client, again)


async def _sessions(stranger: Attacker) -> None:
    """Comes to a table and leaves it, over and over."""
    client = await stranger.inside()

    def once() -> None:
        channel = client.channels[-1] if client.channels else None
        if channel is not None and channel.theirs is not None and not channel.is_closed:
            channel.runs(b"games")
            channel.close()
        elif channel is None or channel.is_closed or channel.is_refused:
            client.opens()

    await stranger.goes_on(client, once)


async def _many_who_type(stranger: Attacker) -> None:
    """Has as many sessions as one source may, nearly, each with as many keys as it may."""
    visits = []
    for _ in range(SESSIONS):
        client = await stranger.inside()
        channel = await client.session(1 << 30)
        channel.pty(b"xterm-256color", 120, 40)
        channel.shell()
        visits.append((client, channel))
    await _press(stranger, visits, (b":", b"a", b"\x7f", b"\x1b"))


async def _many_who_open_help(stranger: Attacker) -> None:
    """Opens and closes help, which costs more than other keys, in as many sessions as one source may have."""
    await _press(stranger, [await stranger.at_a_screen(1 << 30) for _ in range(SESSIONS)], (b"?", b"\x1b"))


async def _three_who_open_help(stranger: Attacker) -> None:
    """The same from three sources."""
    visits = []
    for source in (stranger.source, *(f"127.0.2.{number}" for number in (1, 2))):
        stranger.source = source
        visits += [await stranger.at_a_screen(1 << 30) for _ in range(SESSIONS)]
    await _press(stranger, visits, (b"?", b"\x1b"))


async def _press(
    stranger: Attacker, visits: list[tuple[RawClient, RawChannel]], keys: tuple[bytes, ...]
) -> None:
    for key in itertools.cycle(keys):
        if all(client.is_over for client, _ in visits):
            return
        for client, channel in visits:
            if not client.is_over:
                channel.types(key)
        if all(channel.read for _, channel in visits):
            stranger.begun()
        await asyncio.sleep(1 / KEYS)


async def _readers(stranger: Attacker) -> None:
    """Has its windows drawn for ever other sizes and reads nothing of it, in as many sessions as one source may."""
    visits = []
    for _ in range(SESSIONS):
        client, channel = await stranger.at_a_screen(1 << 30)
        client.connection._transport.pause_reading()  # type: ignore[union-attr]
        visits.append((client, channel))
    stranger.begun()
    for size in itertools.cycle(((100, 30), (101, 31))):
        if all(client.is_over for client, _ in visits):
            return
        for client, channel in visits:
            if not client.is_over:
                channel.resize(*size)
        await asyncio.sleep(1 / KEYS)


_screen: Final = Attacker.at_a_screen
_chance: Final = random.Random("attacks")
_names: Final = itertools.cycle(b"name%d" % number for number in range(463))
_variable: Final = (String(b"LC_ALL"), String(b"x" * 30_000))
_huge_key: Final = rsa_blob(200_000)

ATTACKS: Final[Mapping[str, Attack]] = {
    "channels": _repeating(_before_session, lambda client, _: client.opens()),
    "resizes": _repeating(
        _screen, lambda _, channel: channel.resize(_chance.randint(1, 400), _chance.randint(1, 200))
    ),
    "a terminal of 2^32 by 2^32": _repeating(
        _huge_screen, lambda _, channel: channel.resize(LARGEST, LARGEST - 1)
    ),
    "variables of 30 KB": _repeating(
        _session, lambda _, channel: channel.request(b"env", *_variable, reply=True)
    ),
    "compressed bombs": _bombs,
    "a paste of 100 MB": _repeating(_pasting, lambda _, channel: channel.types(b"paste " * 10_000)),
    "a paste of 100 MB in lines": _repeating(
        _lines, lambda _, channel: channel.types(b"help\n" * 2_000 + b"x" * 10_000)
    ),
    "ESC, bidi, zero width": _letters,
    "malformed keys": _repeating(
        _screen, lambda _, channel: channel.types(b"".join(_chance.choices(SEQUENCES, k=20)))
    ),
    "RSA keys of 200,000 bits": _repeating(
        _before_login, lambda client, _: client.shows(b"eve", b"ssh-rsa", _huge_key)
    ),
    "none, with 463 names": _repeating(_before_login, lambda client, _: client.tries(next(_names), b"none")),
    "key exchanges": _repeating(_screen, lambda client, _: client.renew_keys()),
    "empty packets": _repeating(_screen, lambda client, _: client.send(MSG_IGNORE, String(b""))),
    "global requests": _repeating(
        _screen, lambda client, _: client.asks(b"tcpip-forward", String("x" * 100), UInt32(1))
    ),
    "channel requests": _repeating(
        _screen, lambda _, channel: channel.request(b"break", UInt32(1), reply=True)
    ),
    "a reader that stops": _reader,
    "packets in pieces": _repeating(_screen, lambda _, channel: channel.request(b"pty-req", Boolean(True))),
    "sessions": _sessions,
    "many who type": _many_who_type,
    "many who open help": _many_who_open_help,
    "three who open help": _three_who_open_help,
    "many who resize and don't read": _readers,
}


def most_kept(name: str) -> float:
    """MB that may be left of it: more of as many as play in a small server, which the next of them take again."""
    return {"many who type": 12.0, "many who open help": 12.0, "three who open help": 36.0}.get(name, 5.0)


def source_of(name: str) -> str:
    """Where strangers come from: none of what they do counts against those who play, nor against other strangers."""
    return f"127.0.1.{list(ATTACKS).index(name) + 1}"


async def attack(port: int, source: str, name: str) -> None:
    """Attack until it is cut."""
    logging.disable()
    stranger = Attacker(port, source)
    try:
        await ATTACKS[name](stranger)
    except (asyncssh.Error, OSError, AssertionError):
        stranger.begun()
    print("cut", flush=True)


if __name__ == "__main__":
    asyncio.run(attack(int(sys.argv[1]), *sys.argv[2:]))
