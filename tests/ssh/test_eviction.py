"""Eviction under load spares clients that are about to log in; how far they are is what the kernel counts."""

import asyncio
import fcntl
import itertools
import random
import socket
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Final

import pytest

from cartino_server.limits import AdmissionLimits
from cartino_server.ssh import listener as listener_module
from cartino_server.ssh.admission import AdmissionControl, Admitted, Held
from cartino_server.ssh.eviction import (
    GRACE,
    KEX_REPLY_BYTES,
    KEXINIT_BYTES,
    NO_PROGRESS,
    Progress,
    handshake_progress,
)
from cartino_server.ssh.listener import Listener
from tests.ssh.conftest import Connect, Guest, OpenSSH, until
from tests.ssh.test_admission import LIMITS, NAMES, PROGRESS, World, expanded

SILENT, SPOKEN, BEGUN, ANSWERED = (PROGRESS[name] for name in ("silent", "spoken", "begun", "answered"))
ALL_HERE = {
    "nobody with a key exchange goes for those without": (
        LIMITS,
        "come <1-5>.1.0.1 answered;"
        + "".join(
            f"come {each}.2.0.1 spoken = any; wait 0.3; come {each}.3.0.1 = any;" for each in range(1, 200)
        ),
        "<1-5>.1.0.1",
    ),
    "silence goes first when all places to read are taken": (
        AdmissionLimits(unauthenticated=10, logging_in=20),
        "come <1-23>.1.0.1 answered;" + "come <1-100>.2.0.1 = any; wait 0.1;",
        "<1-23>.1.0.1",
    ),
    "a hundred come in the same moment": (AdmissionLimits(), "come <1-100>.1.0.1", "<1-100>.1.0.1"),
    "there may be no limits to reading": (
        AdmissionLimits(unauthenticated=10, logging_in=0, logging_in_each=0, connections_each=0),
        "come A answered 300;",
        "A",
    ),
    "half of the places are for those who have just come": (
        LIMITS,
        "come <1-9>.1.0.1 begun;" + "".join(f"come {each}.2.0.1 = any; wait 0.05;" for each in range(1, 9)),
        "<5-9>.1.0.1;<4-8>.2.0.1",
    ),
    "sending alone is no progress": (
        LIMITS,
        "".join(f"come {each}.1.0.1 spoken = any; wait 0.1;" for each in range(1, 12)),
        "<2-11>.1.0.1",
    ),
    **{
        f"neighbours in {network} go before others": (
            LIMITS,
            "come <1-5>.1.0.1 spoken; wait 0.1;"
            + "".join(f"come {network.format(each)} spoken = any; wait 0.001;" for each in range(60)),
            ";".join(["<1-5>.1.0.1", *(network.format(each) for each in range(55, 60))]),
        )
        for network in ("192.0.2.{}", "198.18.{}.1", "2001:db8:1:{}::1", "2001:db8:{}::1")
    },
}
"""Limits, a history, and who has a place at its end; `any` is in, whoever goes for it."""


@pytest.mark.parametrize(("limits", "history", "here"), ALL_HERE.values(), ids=ALL_HERE)
def test_a_history_leaves_these(limits: AdmissionLimits, history: str, here: str) -> None:
    world = World(limits)
    world.play(history)
    for pattern in here.split(";"):
        for _, address in expanded(NAMES.get(pattern, pattern)):
            assert address in world.outside.values()


class Crowd(World):
    """A gate, and how far each connecting client is."""

    def __init__(self, limits: AdmissionLimits = LIMITS) -> None:
        super().__init__(limits)
        self.far: dict[int, Progress] = {}
        self._next = 0

    def comes(self, far: Progress = SILENT, address: str = "") -> int:
        """Somebody who is as far; from an address that has no neighbours, where none is named."""
        self._next += 1
        self.now += 0.001
        number: list[int] = []
        admitted = self.admission.request(
            address or f"{self._next % 200 + 1}.{self._next // 200}.0.1",
            lambda: self.far[number[0]] if number else SILENT,
        )
        assert isinstance(admitted, Admitted)
        number.append(admitted.connection)
        self.far[admitted.connection] = far
        return admitted.connection

    def is_there(self, number: int) -> bool:
        return not self.admission.has_ended(number)

    def gone(self, *numbers: int) -> list[int]:
        """Which of them have made room, in that order, while so many others came who say nothing."""
        order: list[int] = []
        while len(order) < len(numbers):
            self.comes()
            assert self._next < 500
            order += [each for each in numbers if not self.is_there(each) and each not in order]
        return order


@pytest.fixture
def crowd() -> Crowd:
    return Crowd()


def test_who_is_further_stays_longer(crowd: Crowd) -> None:
    numbers = [crowd.comes(far) for far in (ANSWERED, BEGUN, SPOKEN, SILENT) for _ in range(2)]
    crowd.comes(), crowd.comes()
    crowd.now += GRACE + 1
    crowd.comes()
    crowd.now += GRACE + 1
    for _ in range(4):
        # They are seen as they are, and then have had a moment to come further.
        crowd.comes()
    crowd.now += GRACE + 1
    assert [crowd.is_there(each) for each in numbers] == [True] * 6 + [False] * 2
    for _ in range(50):
        crowd.comes()
    assert [crowd.is_there(each) for each in numbers] == [True] * 4 + [False] * 4


def test_of_those_who_shake_hands_the_one_goes_who_has_not_come_further_for_longest() -> None:
    crowd = Crowd(AdmissionLimits(unauthenticated=10, logging_in=1))
    player, *strangers = [crowd.comes(BEGUN) for _ in range(10)]
    # The player leaves one place by being the one who logs in.
    for each in range(7):
        crowd.now += 0.2
        crowd.far[player] = Progress(3, 1000 + each)
        strangers.append(crowd.comes(ANSWERED))
    assert crowd.is_there(player)
    assert [crowd.is_there(each) for each in strangers[:6]] == [False] * 6


def test_a_team_that_reads_the_question_about_the_host_key_stays_whoever_else_comes(crowd: Crowd) -> None:
    """Ten behind one address; others of them still come in, and neither silence nor half key exchanges cost a place."""
    team = [crowd.comes(ANSWERED, NAMES["A"]) for _ in range(10)]
    for each in range(400):
        crowd.comes([SILENT, SPOKEN, BEGUN][each % 3])
        crowd.now += 0.3
        if each % 20 == 0:
            crowd.admission.logged_in(late := crowd.comes(SILENT, NAMES["A"]))
            crowd.admission.record_connection_end(late, "done")
    assert all(map(crowd.is_there, team))
    assert crowd.admission.unauthenticated == 20
    for each in team:
        crowd.admission.logged_in(each)
    assert crowd.admission.unauthenticated == 10


def test_of_one_source_ten_read_and_two_more_shake_hands(crowd: Crowd) -> None:
    for _ in range(12):
        crowd.comes(ANSWERED, NAMES["A"])
    assert isinstance(crowd.admission.request(NAMES["A"]), Held)
    crowd.comes(ANSWERED, "192.0.2.2")


def test_two_hundred_strangers_who_read_hold_a_hundred_and_ten_places(crowd: Crowd) -> None:
    """Those of the network that holds most make room, not somebody from elsewhere."""
    alone = crowd.comes(ANSWERED)
    for each in range(200):
        crowd.comes(ANSWERED, f"192.0.2.{each + 1}")
        assert crowd.admission.unauthenticated <= 110
    assert crowd.admission.unauthenticated == 110
    for _ in range(50):
        player = crowd.comes(ANSWERED)
        assert crowd.is_there(player)
        crowd.admission.logged_in(player)
    assert crowd.is_there(alone)


def test_who_says_nothing_for_a_moment_goes_before_who_has_said_something(crowd: Crowd) -> None:
    spoken, silent = crowd.comes(SPOKEN), crowd.comes()
    for _ in range(8):
        crowd.comes(SPOKEN)
    assert crowd.gone(spoken) == [spoken]
    assert crowd.is_there(silent)
    later = Crowd()
    spoken, silent = later.comes(SPOKEN), later.comes()
    later.now += GRACE + 0.1
    for _ in range(8):
        later.comes(SPOKEN)
    assert later.gone(silent, spoken) == [silent, spoken]


def test_whom_a_proxy_is_about_to_bring_is_no_worse_than_others() -> None:
    now = [1000.0]
    admission = AdmissionControl(AdmissionLimits(unauthenticated=10, proxies=("10.0.0.1",)), lambda: now[0])
    known: list[int] = []
    for each in range(10):
        now[0] += 0.01
        number = admission.admit_proxy().connection
        # The last of them has not been told yet.
        if each < 9:
            assert admission.identify(number, f"198.{each}.100.1") == Admitted(number)
        known.append(number)
    now[0] += 0.01
    admission.admit_proxy()
    assert [admission.has_ended(each) for each in known] == [True] + [False] * 9, "it came last"


def test_nobody_is_punished_who_is_put_out_in_a_key_exchange(crowd: Crowd) -> None:
    for _ in range(20):
        crowd.comes(BEGUN, "192.0.2.1")
        for _ in range(10):
            crowd.comes(BEGUN)
    for _ in range(20):
        admitted = crowd.admission.request("192.0.2.1")
        assert isinstance(admitted, Admitted)
        crowd.admission.logged_in(admitted.connection)


WAYS: Final = (0.01, 0.04, 0.1)
"""Seconds one way."""


def fresh(network: str) -> Iterator[str]:
    """Addresses that nobody has come from yet, one after the other."""
    for each in range(1 << 16):
        yield network.format(each >> 8, each & 255, each)


def goes_in(crowd: Crowd, way: float, rate: float, far: Progress, sources: Iterator[str]) -> bool:
    """Whether somebody `way` seconds away logs in while `rate` strangers a second come who come no further."""
    numbers = [crowd.comes(SILENT, "203.0.113.9")]
    # Their name, KEXINIT and key after a way to them and back, and an answer for each way from then on.
    steps = [SPOKEN, ANSWERED, *(Progress(3, 1000 + each) for each in range(1, 4))]
    begun = crowd.now
    for at, step in zip((1, 2, 4, 6, 8), steps, strict=True):
        while crowd.now < begun + at * way:
            crowd.now += 1 / rate
            crowd.comes(far, next(sources))
        if not crowd.is_there(numbers[0]):
            return False
        crowd.far[numbers[0]] = step
    crowd.admission.logged_in(numbers[0])
    crowd.admission.record_connection_end(numbers[0], "done")
    return True


@pytest.mark.parametrize("network", ["127.{}.{}.1", "2001:db8:1:{2:x}::1", "127.100.{}.{}"])
def test_strangers_of_a_few_networks_keep_nobody_out(network: str) -> None:
    for way, far, rate in itertools.product(WAYS, (SILENT, SPOKEN, BEGUN, ANSWERED), (5, 20, 100)):
        crowd, sources = Crowd(), fresh(network)
        for _ in range(10):
            assert goes_in(crowd, way, rate, far, sources), (way, far, rate)


def test_nor_do_strangers_from_everywhere() -> None:
    chance = random.Random("everywhere")

    def everywhere() -> Iterator[str]:
        while True:
            yield ".".join(str(chance.randint(1, 250)) for _ in range(4))

    for way, far in itertools.product(WAYS, (SILENT, SPOKEN)):
        crowd = Crowd()
        for _ in range(10):
            assert goes_in(crowd, way, 20, far, everywhere()), (way, far)


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts")


def unread(client: socket.socket) -> int:
    """Bytes that have come to a connection and wait there, as the system tells without a look at how far it is."""
    return int.from_bytes(fcntl.ioctl(client, termios.FIONREAD, bytes(4)), sys.byteorder)


@on_linux
async def test_what_has_come_counts_before_anybody_reads_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        calling = socket.create_connection(listening.getsockname())
        client, _ = listening.accept()
        assert handshake_progress(client) == NO_PROGRESS
        calling.send(b"S")
        await until(lambda: handshake_progress(client) == Progress(1))
        client.recv(1)
        calling.send(bytes(KEXINIT_BYTES - 2))
        await until(lambda: unread(client) == KEXINIT_BYTES - 2)
        assert handshake_progress(client) == Progress(1)
        calling.send(b"S")
        await until(lambda: handshake_progress(client) == Progress(2))
        client.send(bytes(KEX_REPLY_BYTES))
        await until(lambda: handshake_progress(client) == Progress(3, KEX_REPLY_BYTES))
        client.close()
        assert handshake_progress(client) == NO_PROGRESS
        calling.close()


def test_what_is_no_such_connection_has_not_come_far() -> None:
    near, far = socket.socketpair()
    with near, far:
        far.send(bytes(1000))
        assert handshake_progress(near) == NO_PROGRESS


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Callable[[], Progress]]]:
    """How to look at each connection that the door takes."""
    taken: list[Callable[[], Progress]] = []
    with ExitStack() as kept:

        def look(client: socket.socket) -> Callable[[], Progress]:
            same = kept.enter_context(client.dup())
            taken.append(lambda: handshake_progress(same))
            return taken[-1]

        monkeypatch.setattr(listener_module, "partial", lambda _, client: look(client))
        yield taken


@on_linux
async def test_who_has_said_their_name_has_not_come_as_far_as_our_answer(
    listener: Listener, looks: list[Callable[[], Progress]]
) -> None:
    """Name and KEXINIT of ours are shorter than that, whatever this machine's libraries have."""
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    writer.write(b"SSH-2.0-x\r\n")
    ours = await reader.readline()
    length = await reader.readexactly(4)
    ours += length + await reader.readexactly(int.from_bytes(length))
    assert len(ours) < KEX_REPLY_BYTES - 50
    assert looks[0]() == Progress(1)
    # It takes no more than words to begin a key exchange, and more than that to be answered.
    writer.write(bytes(KEXINIT_BYTES))
    await until(lambda: looks[0]().stage == 2)
    writer.close()


@on_linux
@pytest.mark.parametrize("kex", ["curve25519-sha256", "mlkem768x25519-sha256"])
async def test_who_looks_at_the_host_key_has_our_answer(
    connect: Connect, looks: list[Callable[[], Progress]], kex: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Progress] = []

    def asked(_: Guest) -> str:
        seen.append(looks[0]())
        return ""

    monkeypatch.setattr(Guest, "kbdint_auth_requested", asked)
    async with connect(kex_algs=[kex]):
        assert seen[0].stage == 3
        # Whoever logs in is answered again and again.
        await until(lambda: looks[0]() > seen[0])


@on_linux
async def test_openssh_goes_all_the_way(openssh: OpenSSH, looks: list[Callable[[], Progress]]) -> None:
    screen = openssh.screen()
    await screen.shows("face")
    assert looks[0]().stage == 3
