"""Reporting a line: what the host reads of it, what is refused, and what the log has not."""

from structlog.testing import capture_logs

from cartino_protocol.accounts import Reported
from cartino_protocol.commands import Create, Join, Report, Say, Watch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, TableView
from cartino_server.server import Server
from cartino_server.store.moderation import MAX_REPORTS_PER_HOUR, list_reports
from cartino_server.store.moderation import ChatReport as Written
from cartino_server.store.people import PeopleDatabase
from tests.support.game_server import NOW, Guest, World, a_guest, connect, new_server


async def seated(server: Server, *names: str, seats: int = 2) -> tuple[str, list[Guest]]:
    guests = [await a_guest(server, name) for name in names]
    code = (await guests[0].ask(Create("race", seats=seats), TableView)).code
    for guest in guests[1:]:
        await guest.ask(Join(code), TableView)
    return code, guests


async def said(guest: Guest, *texts: str) -> int:
    """Say them; the number of the last."""
    number = 0
    for text in texts:
        guest.say(Say(text))
        while (chat := await guest.wait(ChatView)).lines[-1:] == () or chat.lines[-1].text != text:
            pass
        number = chat.lines[-1].n
    return number


async def test_the_host_reads_the_line_and_what_was_said_before(
    server: Server, people_db: PeopleDatabase
) -> None:
    connect(server, "192.0.2.1", 0)
    code, (ann, eve) = await seated(server, "ann", "eve", seats=3)
    await said(ann, *(f"line {number}" for number in range(6)))
    number = await said(eve, "a rude word")
    await said(ann, "and on")
    with capture_logs() as logs:
        assert await ann.ask(Report(number), Reported) == Reported(number, "eve")
    [written] = (await people_db.do(list_reports)).values()
    before = tuple(f"ann: line {number}" for number in range(1, 6))
    assert written == Written(
        1767268800, "id-ann", "ann", "id-eve", "eve", code, number, "a rude word", before, "192.0.2.1"
    )
    assert NOW == "2026-01-01T12:00:00Z"
    assert [log["event"] for log in logs] == ["a line of chat was reported"]
    assert "rude" not in str(logs)


async def test_only_what_one_may_read_can_be_reported(server: Server, people_db: PeopleDatabase) -> None:
    code, (ann, bob) = await seated(server, "ann", "bob")
    eve, kim = await a_guest(server, "eve"), await a_guest(server, "kim")
    for watcher in (eve, kim):
        await watcher.ask(Watch(code), TableView)
    secret = await said(eve, "a spectator's secret")
    assert await ann.refused(Report(secret)) == Refusal("no-such-line")
    assert await kim.ask(Report(secret), Reported) == Reported(secret, "eve")
    assert await bob.refused(Report(secret + 1)) == Refusal("no-such-line")
    assert await eve.refused(Report(secret)) == Refusal("reported-yourself")
    assert await (await a_guest(server, "far")).refused(Report(1)) == Refusal("not-in-room")


async def test_so_many_an_hour(server: Server) -> None:
    _, (ann, eve) = await seated(server, "ann", "eve", seats=3)
    numbers = [await said(eve, f"rude {number}") for number in range(MAX_REPORTS_PER_HOUR + 1)]
    for number in numbers[:-1]:
        await ann.ask(Report(number), Reported)
    assert await ann.refused(Report(numbers[-1])) == Refusal("too-many-reports")
    assert (await ann.ask(Report(numbers[0]), Reported)).line == numbers[0]


async def test_where_there_is_no_host_nothing_is_reported() -> None:
    server = new_server(World())
    _, (ann, eve) = await seated(server, "ann", "eve", seats=3)
    number = await said(eve, "hello")
    assert await ann.refused(Report(number)) == Refusal("no-such-line")
    await server.close()
