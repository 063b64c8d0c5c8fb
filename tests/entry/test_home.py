"""The house in this process, as its workers need it."""

from collections.abc import Sequence

from structlog.testing import capture_logs

from cartino_server.entry.home import BROKEN, HouseHome
from cartino_server.entry.hosting import HouseHost
from cartino_server.rooms.house import House
from cartino_server.ssh.ports import Reply, Visitor
from cartino_server.workers.messages import Caller, Told

CALLER = Caller("s1", "SHA256:ann", "ann", guest=False)


class MadeUp(HouseHost):
    """A host that says `said` to whatever it is asked, or breaks where there is none."""

    def __init__(self, said: Reply | None) -> None:
        super().__init__(House())
        self._said = said
        self.asked: list[tuple[Visitor, Sequence[str]]] = []

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        self.asked.append((visitor, words))
        if self._said is None:
            raise RuntimeError("boom")
        return self._said


async def test_it_answers_as_its_host() -> None:
    host = MadeUp(Reply("out", "err", 2))
    assert await HouseHome(host).answer(CALLER, ("games",)) == Told("out", "err", 2)
    assert host.asked == [(Visitor("s1", "SHA256:ann", "ann", guest=False), ("games",))]
    home = HouseHome(HouseHost(House()))
    assert (await home.answer(CALLER, ("games",))).stdout.startswith("No tables yet")


async def test_a_link_is_of_whoever_has_come() -> None:
    home = HouseHome(HouseHost(House()))
    assert home.open_link(CALLER).person == home.open_link(CALLER).person
    guest = home.open_link(Caller("s2", "guest-7", "bob", guest=True)).person
    assert (guest.id, guest.name, guest.guest) == ("guest-7", "bob", True)


async def test_what_breaks_in_the_house_is_told_as_a_number() -> None:
    with capture_logs() as logs:
        told = await HouseHome(MadeUp(None)).answer(CALLER, ("games",))
    assert told == Told(stderr=f"{BROKEN.format(id='s1')}\n", status=1)
    assert [(line["event"], line["session"]) for line in logs] == [("a question broke", "s1")]
