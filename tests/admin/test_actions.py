"""What hosts are answered: lists, acts on people, tables and settings, each noted before it is told."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_protocol.accounts import AddKey, KeyCode, KeysView, Reported
from cartino_protocol.commands import Back, Create, Hello, Join, Leave, Rename, Report, Say, Watch
from cartino_protocol.exit_status import FAILURE, MISUSE, NOT_FOUND, REFUSED
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import lazy_gettext
from cartino_protocol.views import Bye, ChatView, Left, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.admin import listings
from cartino_server.admin.actions import AdminActions, Drainer
from cartino_server.admin.dispatch import AUDIT_FILE, AUDITED_STRANGERS, AdminDispatcher, AuditLog
from cartino_server.commands.console import CommandError
from cartino_server.lobby.people import connections
from cartino_server.lobby.people.connections import Connections
from cartino_server.operations.health import ServerHealth, ServerStatus
from cartino_server.operations.login import ServerAuthenticator
from cartino_server.operations.settings import SettingsChange
from cartino_server.server import Server
from cartino_server.store import moderation as bans_module
from cartino_server.store.moderation import BanList, add_report
from cartino_server.store.moderation import ChatReport as Report_
from cartino_server.store.people import PersonKeys, open_people
from cartino_server.store.personal_data import DAY
from cartino_server.table.link import Person
from cartino_server.table.seating import Chair
from cartino_server.visitors import LoginRequest, Reply
from cartino_tui.i18n import ENGLISH, translator_for
from tests.support.admission_settings import login_settings
from tests.support.game_server import QUICK, Guest, World, race_bots, texts
from tests.support.race import Race

NOW = 1_769_860_800.0
"""2026-01-31 12:00 UTC."""
ANN, BO, CAT, HOST = (f"SHA256:{letter * 43}" for letter in "abch")
ENDS_NOW = "No games to wait for, so the server stops now. Games in progress resume when it's back.\n"


async def _well() -> ServerStatus:
    return ServerStatus(ServerHealth(True, (), True, 0, 1, 1, 0.0, 1, True), {"people": 1})


class Kept:
    """A server with a desk for its hosts, and people who come through its door."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.people_db = open_people(data)
        self.now = NOW - DAY
        """The time at which games end."""
        ports = msgspec.structs.replace(
            World().ports(), now=lambda: datetime.fromtimestamp(self.now, UTC).isoformat()
        )
        self.dismissed: list[int] = []
        self.bans = BanList(self.people_db, lambda: NOW)
        self.server = Server(
            {"race": Race()},
            race_bots(),
            QUICK,
            ports,
            people_db=self.people_db,
            bans=self.bans,
            connections=Connections(lambda connection, _: self.dismissed.append(connection)),
        )
        self.stopped = asyncio.Event()
        self.reread: Callable[[], SettingsChange] = lambda: SettingsChange(("rooms",), ("port",))
        services, keys = self.server.services, PersonKeys(self.people_db)
        self.keeper = ServerAuthenticator(
            keys,
            self.bans,
            services.connections,
            services.moderation,
            services.overview,
            login_settings(admins=(HOST,)),
            now=lambda: NOW,
        )
        self.keys = keys
        draining = Drainer(services.moderation, services.overview, self.stopped.set, every=0)
        acts = AdminActions(
            services,
            self.keeper,
            self.bans,
            keys,
            self.people_db,
            draining,
            self._again,
            _well,
            lambda: NOW,
        )
        self.dispatcher = AdminDispatcher(acts, AuditLog(data), lambda: NOW, lambda: 0.0)
        self.connections = 0

    def _again(self) -> SettingsChange:
        return self.reread()

    async def comes(self, name: str, key: str = "", source: str = "192.0.2.1") -> Guest:
        """Somebody comes in and is greeted."""
        self.connections += 1
        verdict = await self.keeper.judge(LoginRequest(self.connections, source, key, name, "SSH-2.0-x"))
        person = Person(verdict.person, name, not key, key)
        guest = Guest(self.server.open_link(person, self.connections))
        await guest.ask(Hello(VERSION), Welcome)
        return guest

    async def says(self, words: str) -> Reply:
        return await self.dispatcher.run_command("uid 0", words.split(), ENGLISH)

    async def done(self, words: str) -> str:
        """What is told of what could be done."""
        reply = await self.says(words)
        assert (reply.stderr, reply.status) == ("", 0)
        return reply.stdout

    async def told(self, words: str) -> Any:
        """The same as data."""
        return json.loads(await self.done(f"{words} --json"))

    async def fails(self, words: str, code: int = FAILURE) -> str:
        reply = await self.says(words)
        assert (reply.stdout, reply.status) == ("", code)
        return reply.stderr

    def noted(self) -> list[tuple[str, ...]]:
        """The audit log: words, outcome."""
        path = self.data / AUDIT_FILE
        entries = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [(" ".join(entry["words"]), entry["outcome"]) for entry in entries]


@pytest.fixture
async def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Kept]:
    monkeypatch.setattr(connections, "FAREWELL_SECONDS", 0)
    opened = Kept(tmp_path)
    yield opened
    await opened.server.close()
    await opened.people_db.close()


async def test_a_league_needs_a_game_whose_turns_are_judged(kept: Kept) -> None:
    words = "league new spring --from 2026-03-01 --to 2026-05-31 --game race"
    kept.server.services.registry.catalog.judged = frozenset()
    assert "no bot judges the turns of Race" in await kept.fails(words)
    kept.server.services.registry.catalog.judged = frozenset({"race"})
    assert (await kept.told(words))["game"] == "race"


async def at_table(kept: Kept) -> tuple[Guest, Guest, str]:
    ann, bo = await kept.comes("Ann", ANN), await kept.comes("Bo", BO, "198.51.100.7")
    table = await ann.ask(Create("race"), TableView)
    for guest in (ann, bo):
        guest.say(Join(table.code))
    for guest in (ann, bo):
        await guest.wait(TableView, lambda view: view.state == "playing")
    return ann, bo, table.code


async def reported(kept: Kept, name: str, key: str, source: str) -> str:
    """Somebody comes, watches, is rude, and leaves; Ann has the host read it. The code of the table."""
    ann = await kept.comes("Ann", ANN)
    table = await ann.ask(Create("race"), TableView)
    rude = await kept.comes(name, key, source)
    await rude.ask(Watch(table.code), TableView)
    rude.say(Say("a rude word"))
    chat = await rude.wait(ChatView, lambda chat: "a rude word" in texts(chat))
    rude.link.close()
    kept.keeper.forget_connection(kept.connections)
    await ann.ask(Report(chat.lines[-1].n), Reported)
    return table.code


class TestLists:
    async def test_who_is_connected(self, kept: Kept) -> None:
        assert await kept.done("who") == "Nobody is connected.\n"
        _, _, code = await at_table(kept)
        await kept.comes("guy")
        await kept.bans.add("voice", BO, None, "", "x", "")
        first, second, third = await kept.told("who")
        assert (first["connection"], first["name"], first["tables"], first["key"]) == (1, "Ann", [code], ANN)
        assert (second["source"], second["muted"]) == ("198.51.100.7", True)
        assert (third["guest"], third["name"], third["key"], third["since"]) == (
            True,
            "~guy",
            "",
            "2026-01-31 12:00",
        )
        text = await kept.done("who")
        assert len(text.splitlines()) == 4
        assert text.isascii()
        assert "x (muted)\n" in text
        assert max(map(len, text.splitlines())) < 80

    async def test_nothing_that_strangers_sent_reaches_the_hosts_terminal_as_it_came(
        self, kept: Kept
    ) -> None:
        wild = "a\x1b[2J\x9b\u202e\u200bb\n"
        await kept.keeper.judge(LoginRequest(9, "192.0.2.9", ANN, wild, wild))
        report = Report_(1, BO, wild, ANN, wild, "AAAA", 1, wild, (wild,))
        await kept.people_db.do(lambda db: add_report(db, report))
        for words in ("who", "reports"):
            text = await kept.done(words)
            assert "a[2Jb" in text
            assert not [char for char in text if char != "\n" and not char.isprintable()]
        await kept.says("kick \x9b2J\u202e")
        assert "\x9b" not in (kept.data / AUDIT_FILE).read_text()

    async def test_who_is_nowhere_yet_is_listed_by_their_user_name(self, kept: Kept) -> None:
        await kept.keeper.judge(LoginRequest(9, "192.0.2.9", ANN, "ann", "x"))
        text = await kept.done("who")
        assert "(ann)" in text
        assert "Names in parentheses are the user names of connections" in text

    async def test_all_tables_are_listed_private_ones_too(self, kept: Kept) -> None:
        assert await kept.done("tables") == "There are no tables.\n"
        ann = await kept.comes("Ann", ANN)
        table = await ann.ask(Create("race", open=False), TableView)
        (listed,) = await kept.told("tables")
        assert (listed["code"], listed["listed"]) == (table.code, False)
        assert (await kept.done("tables")).endswith("(private)  192.0.2.1\n")

    async def test_reports_are_read_and_dealt_with(self, kept: Kept) -> None:
        assert await kept.done("reports") == "There are no reports.\n"
        ann, bo, code = await at_table(kept)
        await ann.ask(Say("buy cheap stones"), ChatView, lambda chat: "buy cheap stones" in texts(chat))
        chat = await bo.wait(ChatView, lambda chat: "buy cheap stones" in texts(chat))
        await bo.ask(Report(chat.lines[-1].n), Reported)
        text = await kept.done("reports")
        assert f"at {code}" in text
        assert "> Ann: buy cheap stones" in text
        (report,) = await kept.told("reports")
        assert (report["person"], report["text"]) == (ANN, "buy cheap stones")
        assert await kept.done(f"reports --done {report['number']}") == "Report 1 is closed and deleted.\n"
        assert "There is no report" in await kept.fails(f"reports --done {report['number']}", NOT_FOUND)

    async def test_a_report_says_whose_line_it_is_and_how_they_are_meant(self, kept: Kept) -> None:
        await reported(kept, "cat", CAT, "203.0.113.7")
        text = await kept.done("reports")
        assert f"\n      said by {CAT[:15]}… from 203.0.113.7\n" in text
        assert "`ban key report:1`" in text
        assert max(map(len, text.splitlines())) < 80
        await reported(kept, "kit", "", "203.0.113.8")
        text, (_, report) = await kept.done("reports"), await kept.told("reports")
        assert "\n      said by a guest from 203.0.113.8\n" in text
        assert report["source"] == "203.0.113.8"
        nobody = Report_(1, BO, "bo", "", "old", "AAAA", 1, "x")
        await kept.people_db.do(lambda db: add_report(db, nobody))
        assert "said by someone no longer known" in await kept.done("reports")
        for who in ("ban key", "mute"):
            assert "is no longer known" in await kept.fails(f"{who} report:3")
        assert "isn't known." in await kept.fails("ban source report:3")

    async def test_health_and_help(self, kept: Kept) -> None:
        assert await kept.done("health") == (
            "The server is healthy.\n"
            "Data: 0.0 MB, +0.0 MB in the last day; 0 finished games are kept (parked: 0).\npeople: 1\n"
        )
        assert (await kept.done("help")).startswith("admin:\n")
        assert "admin kick" in await kept.done("kick --help")

    async def test_bans_fit_however_long_their_reasons_are_and_who_made_them(self, kept: Kept) -> None:
        assert await kept.done("bans") == "Nobody is banned or muted.\n"
        host, reason = f"{HOST} (connection 123456)", "because of " + "something long " * 15
        wide = "2001:db8:1234:5678:9abc:def0:1234:5678/128"
        await kept.bans.add("person", CAT, 1_800_000_000, reason, host, "sixteenletters16")
        await kept.bans.add("source", wide, None, "", host, wide)
        await kept.bans.add("voice", f"guest:{'0' * 16}\n{wide}\n192.0.2.1", None, "x", "uid 0", "~loud")
        text = await kept.done("bans")
        assert max(map(len, text.splitlines())) < 80
        assert " ".join(text.split()) == (
            "number kind target until (UTC) "
            f"1 key sixteenletters16 2027-01-15 08:00 {CAT[:15]}…, by {HOST[:15]}… (connection 123456): {reason}"
            f"2 source {wide} permanent by {HOST[:15]}… (connection 123456) "
            f"3 mute ~loud permanent guest:{'0' * 16}, {wide}, 192.0.2.1, by uid 0: x"
        )


class TestWhoHasGone:
    """They are found by what they were called, and by what was reported of them."""

    async def test_by_the_number_of_a_report(self, kept: Kept) -> None:
        await reported(kept, "cat", CAT, "203.0.113.7")
        assert "cat is muted permanently" in await kept.done("mute report:1")
        assert "cat is no longer muted" in await kept.done("unmute report:1")
        assert "cat is banned permanently" in await kept.done("ban key report:1 --because spam")
        assert str((await kept.keeper.judge(LoginRequest(9, "", CAT, "x", ""))).refused).endswith(": spam")
        assert "203.0.113.7/32 is banned" in await kept.done("ban source report:1")
        assert kept.keeper.bans.is_banned("203.0.113.7")
        assert "cat is banned" in await kept.done("ban name report:1 --for 2h")
        kinds = [(ban["kind"], ban["name"]) for ban in await kept.told("bans")]
        assert kinds == [("key", "cat"), ("source", "203.0.113.7/32"), ("name", "cat")]
        assert "isn't connected" in await kept.fails("kick report:1")
        assert await kept.done("reports --done 1")
        for words in ("ban key report:1", "mute report:1", "ban source report:1", "ban name report:1"):
            assert "no report 1, or it was closed." in await kept.fails(words, NOT_FOUND)

    async def test_a_guest_by_where_they_came_from(self, kept: Kept) -> None:
        code = await reported(kept, "kit", "", "203.0.113.8")
        assert "Ban their address instead (203.0.113.8)" in await kept.fails("ban key report:1")
        assert "everyone from 203.0.113.8 who has no key" in await kept.done("mute report:1")
        again = await kept.comes("other", source="203.0.113.8")
        await again.ask(Watch(code), TableView)
        assert await again.refused(Say("x")) == Refusal("muted")
        (report,) = await kept.told("reports")
        assert "no longer muted" in await kept.done(f"unmute {report['person']}")

    async def test_a_report_is_found_however_many_servers_later(self, kept: Kept) -> None:
        other = Report_(1, BO, "bo", CAT, "cat", "AAAA", 1, "x", source="203.0.113.7")
        number = await kept.people_db.do(lambda db: add_report(db, other))
        assert "cat is banned permanently" in await kept.done(f"ban key report:{number}")

    async def test_by_any_name_of_theirs(self, kept: Kept) -> None:
        cat = await kept.comes("cat", CAT, "203.0.113.7")
        await cat.ask(Rename("lynx"), Welcome, lambda welcome: welcome.name == "lynx")
        cat.link.close()
        kept.keeper.forget_connection(1)
        assert "lynx is banned until" in await kept.done("ban key CAT --for 2h")
        assert "lynx is muted until" in await kept.done("mute lynx --for 2h")
        assert [ban["what"].split()[0] for ban in await kept.told("bans")] == [CAT, CAT]

    async def test_where_it_was_the_name_of_several_each_is_named(self, kept: Kept) -> None:
        for number, (key, source) in enumerate(((CAT, "203.0.113.7"), (BO, "203.0.113.8")), 1):
            cat = await kept.comes("cat", key, source)
            cat.link.close()
            kept.keeper.forget_connection(number)
        for words in ("ban key cat", "mute cat --for 2h"):
            assert f"newest first: {BO}, {CAT}." in await kept.fails(words)
        assert kept.bans.all() == ()
        ann = await kept.comes("cat", ANN)
        assert (await kept.told("ban key cat"))["ended"] == 1, "whoever is here is meant before those"
        assert ann.link.closed

    async def test_who_has_a_name_is_known_by_it_after_a_restart(self, kept: Kept) -> None:
        cat = await kept.comes("cat", CAT, "203.0.113.7")
        await cat.ask(Create("race"), TableView)
        cat.say(Leave())
        cat.link.close()
        kept.keeper.forget_connection(1)
        overview = kept.server.services.overview
        overview.visitors.forget(CAT)
        assert [each.person for each in overview.visitors_called("cat")] == [CAT]
        assert "cat is banned" in await kept.done("ban key cat")


class TestPeople:
    async def test_a_kick_ends_all_of_a_person_or_one_connection(self, kept: Kept) -> None:
        ann, bo, _ = await at_table(kept)
        other = await kept.comes("Ann", ANN)
        assert await kept.done("kick 3") == "Ann was disconnected (1 connection).\n"
        assert (await other.end())[-1] == Bye("kicked")
        assert not ann.link.closed
        again = await kept.comes("Ann", ANN)
        assert await kept.told("kick ann --because enough") == {"ended": 2}
        for guest in (ann, again):
            assert (await guest.end())[-1] == Bye("kicked", "enough")
        await bo.wait(ChatView, lambda chat: "Ann lost the connection" in texts(chat))
        assert "isn't connected" in await kept.fails("kick Ann"), "the seat is there, the person is not"
        await asyncio.wait_for(self._all_dismissed(kept, 3), 30)

    async def _all_dismissed(self, kept: Kept, count: int) -> None:
        while len(kept.dismissed) < count:
            await asyncio.sleep(0)

    async def test_whom_nobody_knows(self, kept: Kept) -> None:
        assert "Nobody is called x?y here, now or recently." in await kept.fails("kick x\u202ey", NOT_FOUND)
        assert "no connection 17" in await kept.fails("kick 17", NOT_FOUND)
        assert "isn't connected" in await kept.fails(f"kick {BO}")
        assert "43 characters" in await kept.fails("ban key SHA256:abc --for 2h", MISUSE)

    async def test_digits_are_a_connection_whoever_is_called_so(self, kept: Kept) -> None:
        ann, bad = await kept.comes("Ann", ANN), await kept.comes("17", BO)
        assert "no connection 17" in await kept.fails("kick 17", NOT_FOUND)
        bad.say(Rename("01"))
        await kept.done("kick 2")
        assert bad.link.closed
        assert not ann.link.closed

    async def test_who_is_muted_hears_why_and_until_when_and_is_heard_again(self, kept: Kept) -> None:
        ann, _, _ = await at_table(kept)
        others = "So is everyone from 192.0.2.1 who has no key or finished no game before today.\n"
        assert await kept.done("mute Ann --for 2h --because spam") == (
            f"Ann is muted until 2026-01-31 14:00 UTC.\n{others}"
        )
        assert await ann.wait(Announced) == Announced("muted", "spam", "2026-01-31 14:00")
        assert await ann.refused(Say("x")) == Refusal("muted-until", "2026-01-31 14:00")
        assert await ann.wait(Announced) == Announced("reason", "spam")
        (ban,) = await kept.told("bans")
        assert (ban["kind"], ban["by"], ban["reason"], ban["name"]) == ("mute", "uid 0", "spam", "Ann")
        assert await kept.done("unmute Ann") == "Ann is no longer muted.\n"
        assert await ann.wait(Announced) == Announced("heard")
        assert "isn't muted" in await kept.fails("unmute Ann")
        assert await kept.done("mute Ann") == f"Ann is muted permanently.\n{others}"

    async def test_a_slip_in_the_time_bans_and_mutes_nobody(self, kept: Kept) -> None:
        ann, _, _ = await at_table(kept)
        for words in ("mute Ann --for 1hor", "mute Ann 1h", "ban name Ann --for 30", "ban key Ann forever"):
            await kept.fails(words, MISUSE)
        assert kept.bans.all() == ()
        assert not ann.link.closed

    async def test_a_guest_who_comes_back_by_their_word_is_still_muted(self, kept: Kept) -> None:
        guy, ann = await kept.comes("guy"), await kept.comes("Ann", ANN)
        table = await ann.ask(Create("race"), TableView)
        guy.say(Join(table.code))
        word = (await guy.wait(Welcome, lambda welcome: welcome.word)).word
        await kept.done("mute ~guy")
        guy.link.close()
        back = await kept.comes("other")
        await back.ask(Back(word), Welcome, lambda welcome: welcome.name == "~guy")
        await back.ask(Watch(table.code), TableView)
        assert await back.refused(Say("x")) == Refusal("muted")

    async def test_a_banned_person_goes_with_all_their_keys_and_the_seat_is_kept(self, kept: Kept) -> None:
        ann, bo, code = await at_table(kept)
        await kept.keys.add(ANN, f"SHA256:{'c' * 43}", 1)
        second = await kept.comes("Ann", f"SHA256:{'c' * 43}")
        told = await kept.told(f"ban key SHA256:{'c' * 43} --for 12h --because cheating")
        assert (told["kind"], told["ended"]) == ("key", 2)
        for guest in (ann, second):
            assert (await guest.end())[-1] == Bye("banned", "cheating", "2026-02-01 00:00")
        await bo.wait(ChatView, lambda chat: "Ann lost the connection" in texts(chat))
        verdict = await kept.keeper.judge(LoginRequest(9, "", ANN, "ann", ""))
        assert str(verdict.refused) == "You're banned from this server until 2026-02-01 00:00 UTC: cheating"
        listed = await kept.done("bans")
        assert "cheating" in listed
        assert await kept.done("unban 1") == "Ann is no longer banned.\n"
        assert not (await kept.keeper.judge(LoginRequest(10, "", ANN, "ann", ""))).refused.text
        assert "no ban 1" in await kept.fails("unban 1", NOT_FOUND)
        assert bo.link.closed is False
        assert code

    async def test_a_banned_source_is_a_network_or_that_of_a_connection(self, kept: Kept) -> None:
        ann, bo, _ = await at_table(kept)
        assert await kept.told("ban source 2") == {
            "number": 1,
            "kind": "source",
            "until": None,
            "ended": 1,
        }
        assert (await bo.end())[-1] == Bye("banned-source")
        assert kept.keeper.bans.is_banned("198.51.100.7")
        assert await kept.done("ban source 2001:db8::7") == (
            "2001:db8::/64 is banned permanently.\n0 connections were closed.\n"
        )
        assert not ann.link.closed
        for what in ("Bo", "1.2.3.4/99", "99"):
            assert "isn't an address" in await kept.fails(f"ban source {what}", MISUSE)

    async def test_a_ban_of_half_the_internet_or_of_where_a_host_is_keeps_no_host_out(
        self, kept: Kept
    ) -> None:
        for wide in ("0.0.0.0/0", "128.0.0.0/1", "::/0", "2000::/3"):
            assert "is too large for one ban" in await kept.fails(f"ban source {wide} --for 2h", MISUSE)
        assert "isn't an address" in await kept.fails("ban source ::ffff:0.0.0.0/90 --for 2h", MISUSE)
        await kept.comes("hosty", HOST, "203.0.113.9")
        for there in ("203.0.113.0/24", "203.0.113.9", "::ffff:203.0.113.9", "1"):
            assert "an admin is connected from there" in await kept.fails(f"ban source {there} --for 2h")
        assert kept.bans.all() == ()
        await kept.done("ban source ::ffff:198.51.100.0/120 --for 2h")
        assert kept.keeper.bans.is_banned("198.51.100.7")

    async def test_a_banned_name_is_gone_with_its_look_alikes(self, kept: Kept) -> None:
        ann, _, _ = await at_table(kept)
        cy = await kept.comes("Cyril", f"SHA256:{'c' * 43}")
        assert (await kept.told("ban name \u0421yril"))["ended"] == 1
        assert (await cy.end())[-1] == Bye("banned-name")
        assert await ann.refused(Rename("Cyril")) == Refusal("name-taken", "Cyril")
        late = await kept.keeper.judge(LoginRequest(9, "", BO, "cyril", ""))
        assert "name is banned" in str(late.refused)
        assert "16 characters" in await kept.fails("ban name \u202e", MISUSE)

    async def test_guests_and_hosts_have_no_key_to_ban(self, kept: Kept) -> None:
        await kept.comes("guy")
        await kept.comes("hosty", HOST)
        assert "is a guest" in await kept.fails("ban key ~guy")
        for who in ("hosty", HOST, "2"):
            assert "is an admin" in await kept.fails(f"ban key {who}")
        assert kept.bans.all() == ()

    async def test_there_are_only_so_many_bans(self, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bans_module, "MAX_BANS", 0)
        assert "too many bans" in await kept.fails("ban source 1.2.3.4")


class TestServer:
    async def test_something_is_said_to_all(self, kept: Kept) -> None:
        ann, bo, _ = await at_table(kept)
        assert await kept.done("say good evening") == "Sent to 2 people.\n"
        for guest in (ann, bo):
            assert await guest.wait(Announced) == Announced("says", "good evening")

    async def test_a_table_is_closed(self, kept: Kept) -> None:
        ann, _, code = await at_table(kept)
        assert await kept.done(f"close {code.lower()} --because too loud") == f"Table {code} is closed.\n"
        assert await ann.wait(Left) == Left("host", code, "too loud")
        assert "no table" in await kept.fails(f"close {code}", NOT_FOUND)

    async def test_several_codes_may_have_blanks_or_commas_between_them(self, kept: Kept) -> None:
        guests = [await kept.comes(f"p{n}", key=f"SHA256:{n:043d}") for n in range(4)]
        codes = [(await guest.ask(Create("race"), TableView)).code for guest in guests]
        none = "ZZZZ"
        assert none not in codes
        done = await kept.done(f"close {codes[0]} {codes[1].lower()} {none} --because go home")
        assert done.splitlines() == [
            f"Table {codes[0]} is closed.",
            f"Table {codes[1]} is closed.",
            f"There is no table {none}. `admin tables` lists all tables.",
        ]
        for guest, code in zip(guests[:2], codes, strict=False):
            assert await guest.wait(Left) == Left("host", code, "go home")
        await kept.told(f"close {codes[2]}, {codes[3]}")
        assert await guests[3].wait(Left) == Left("host", codes[3], "")

    async def test_several_are_closed_by_codes_by_where_they_are_from_and_what_nobody_has_begun(
        self, kept: Kept
    ) -> None:
        codes = []
        for number in range(1, 5):
            guest = await kept.comes(f"p{number}", key=f"SHA256:{number:043d}", source=f"203.0.113.{number}")
            codes.append((await guest.ask(Create("race"), TableView)).code)
            if number == 4:
                await guest.ask(Leave(), Left)
        listed = await kept.told("tables")
        assert [table["source"] for table in listed] == [f"203.0.113.{number}" for number in range(1, 5)]
        assert "203.0.113.3" in await kept.done("tables")
        assert await kept.told("close --unplayed --because a flood") == {"closed": codes[3:]}
        assert await kept.told("close --from 203.0.113.2") == {"closed": codes[1:2]}
        assert await kept.told("close --from 198.51.100.0/24") == {"closed": []}
        assert "isn't an address" in await kept.fails("close --from here", MISUSE)
        done = await kept.done(f"close {codes[0]},{codes[1]}")
        assert done.splitlines()[0] == f"Table {codes[0]} is closed."
        assert f"no table {codes[1]}" in done
        assert await kept.done("close --from 203.0.113.0/24") == "1 table is closed.\n"
        assert await kept.told("tables") == []

    async def test_where_no_game_runs_it_ends_now(self, kept: Kept) -> None:
        assert await kept.done("drain") == ENDS_NOW
        await asyncio.wait_for(kept.stopped.wait(), 10)

    async def test_a_game_whose_people_are_away_is_not_said_not_to_run(self, kept: Kept) -> None:
        ann, bo, _ = await at_table(kept)
        ann.link.close()
        bo.link.close()
        (listed,) = await kept.told("tables")
        assert listed["state"] == "playing"
        assert await kept.done("drain") == ENDS_NOW

    async def test_it_drains_and_goes_on(self, kept: Kept) -> None:
        await at_table(kept)
        told = await kept.done("drain --for 10m")
        assert told == "The server stops when 1 game is over, at 2026-01-31 12:10 UTC at the latest.\n"
        assert "Only players with a seat in a running game can come in" in str(
            (await kept.keeper.judge(LoginRequest(9, "", HOST[:-1], "x", ""))).refused
        )
        assert await kept.done("undrain") == "The server keeps running; new games can start.\n"
        assert "isn't draining" in await kept.fails("undrain")
        await kept.told("drain --for 1s")
        await kept.done("undrain")
        assert not kept.stopped.is_set()

    async def test_settings_are_read_again_or_it_is_said_what_is_wrong(self, kept: Kept) -> None:
        assert await kept.done("reload") == "Changed: rooms.\nThese need a restart: port.\n"
        kept.reread = lambda: SettingsChange((), ())
        assert await kept.done("reload") == "Settings reloaded. Nothing changed.\n"

        def wrong() -> SettingsChange:
            raise CommandError(lazy_gettext("The settings in x are wrong."), MISUSE)

        kept.reread = wrong
        assert await kept.fails("reload", MISUSE) == "The settings in x are wrong.\n"


class TestAudit:
    async def test_what_is_done_is_noted_before_and_after_what_is_read_once(self, kept: Kept) -> None:
        await kept.says("say hello")
        await kept.says("who")
        await kept.says("kick nobody")
        await kept.says("nonsense")
        await kept.says("help")
        await kept.says("health")
        assert kept.noted() == [
            ("say hello", "asked"),
            ("say hello", "done"),
            ("who", "done"),
            ("kick nobody", "asked"),
            ("kick nobody", "failed"),
            ("nonsense", "refused"),
        ]

    async def test_what_cannot_be_noted_is_not_done(self, kept: Kept) -> None:
        ann = await kept.comes("Ann", ANN)
        (kept.data / AUDIT_FILE).mkdir()
        assert "so nothing was done" in await kept.fails("kick Ann")
        assert not ann.link.closed
        (kept.data / AUDIT_FILE).rmdir()
        await kept.done("kick Ann")

    async def test_whoever_goes_away_has_it_done_and_noted_all_the_same(self, kept: Kept) -> None:
        ann = await kept.comes("Ann", ANN)
        asking = asyncio.create_task(kept.says("kick Ann"))
        await asyncio.sleep(0)
        asking.cancel()
        await ann.end()
        await kept.says("who")
        assert ("kick Ann", "done") in kept.noted()

    async def test_strangers_fill_no_log(self, kept: Kept) -> None:
        with capture_logs() as logs:
            for n in range(AUDITED_STRANGERS + 20):
                reply = await kept.dispatcher.refuse_stranger(BO, ["kick", "Ann", str(n)], ENGLISH)
                assert (reply.stdout, reply.status) == ("", REFUSED)
                assert reply.stderr.startswith("Only admins of this server can do that.")
        assert [outcome for _, outcome in kept.noted()] == ["refused"] * AUDITED_STRANGERS
        assert len([line for line in logs if line["event"] == "not an admin"]) == AUDITED_STRANGERS + 20

    async def test_what_breaks_is_one_sentence_and_noted(
        self, kept: Kept, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def boom(*_: object) -> object:
            raise RuntimeError("a secret")

        monkeypatch.setattr(listings, "connection_rows", boom)
        with capture_logs() as logs:
            assert await kept.fails("who") == "Something went wrong; see the log for details.\n"
        assert "a secret" not in str(logs)
        assert kept.noted() == [("who", "failed")]


async def test_hosts_are_answered_in_their_language(kept: Kept) -> None:
    words: Sequence[str] = ["kick", "nobody"]
    said = await kept.dispatcher.run_command("uid 0", words, translator_for("de"))
    assert said.status == NOT_FOUND


class TestKeysThatMove:
    """A ban of somebody who has just added their key to another person holds all the same."""

    CY = f"SHA256:{'c' * 43}"

    async def moved(self, kept: Kept) -> tuple[Guest, Guest]:
        """Ann, and whoever has just made her second key of theirs, before their connection is closed."""
        ann, evil = await kept.comes("Ann", ANN), await kept.comes("evil", self.CY)
        code = (await ann.ask(KeyCode(), KeysView)).code
        evil.say(AddKey(code), Create("race"))
        return ann, evil

    async def test_nobody_goes_on_as_whom_no_ban_can_name(self, kept: Kept) -> None:
        _, evil = await self.moved(kept)
        assert (await evil.end())[-1] == Bye("key-added")
        assert [each.connection for each in kept.keeper.active] == [1]
        assert (await kept.told("ban key evil"))["ended"] == 1, "it is Ann now"
        (ban,) = await kept.told("bans")
        assert (ban["what"], ban["name"]) == (ANN, "Ann")
        for key in (ANN, self.CY):
            assert (await kept.keeper.judge(LoginRequest(9, "", key, "x", ""))).refused.text

    async def test_who_is_looked_up_meanwhile_is_looked_up_again(self, kept: Kept) -> None:
        _, evil = await self.moved(kept)
        coming = asyncio.create_task(kept.keeper.judge(LoginRequest(9, "", self.CY, "evil", "")))
        await evil.end()
        verdict = await coming
        present = {each.connection: each.person for each in kept.keeper.active}
        assert present in ({1: ANN}, {1: ANN, 9: ANN}), verdict

    async def test_a_seat_of_who_is_nobody_any_more_is_banned_as_whom_their_key_is_now(
        self, kept: Kept
    ) -> None:
        await kept.comes("Ann", ANN)
        evil = await kept.comes("evil", self.CY)
        await evil.ask(Create("race"), TableView)
        # They sat down in the moment in which the key was written.
        await kept.keys.add(ANN, self.CY, 1)
        assert (await kept.told("ban key evil"))["ended"] == 1
        assert kept.bans.find_ban("person", ANN) is not None


class TestBannedNames:
    """Nobody comes by one, takes one, comes back to one, or is called so at a table."""

    @pytest.mark.parametrize(
        "typed", ["Mallory", "Mallory ", " Mallory", "Mallory\u3000", "\uff2dallory", "mallory"]
    )
    async def test_it_is_not_taken_by_a_rename(self, kept: Kept, typed: str) -> None:
        await kept.done("ban name Mallory")
        zed, guy = await kept.comes("zed", ANN), await kept.comes("guy")
        assert (await zed.refused(Rename(typed))).reason == "name-taken"
        for before in ("", "~"):
            assert (await guy.refused(Rename(before + typed))).reason == "name-taken"
        table = await zed.ask(Create("race"), TableView)
        assert (await zed.refused(Rename(typed))).reason == "name-taken", "nor at a table"
        assert table.seats[0].name == "zed"

    @pytest.mark.parametrize("typed", ["Mallory", "Mallory ", "Mallory\u3000", "\uff2dallory", "~mallory"])
    async def test_nobody_comes_by_it_however_it_is_typed(self, kept: Kept, typed: str) -> None:
        await kept.done("ban name Mallory")
        verdict = await kept.keeper.judge(LoginRequest(9, "", BO, typed, ""))
        assert "name is banned" in str(verdict.refused)

    async def test_a_guest_comes_back_by_a_word_but_not_to_the_name(self, kept: Kept) -> None:
        ann, slur = await kept.comes("Ann", ANN), await kept.comes("slur")
        table = await ann.ask(Create("race"), TableView)
        slur.say(Join(table.code))
        word = (await slur.wait(Welcome, lambda welcome: welcome.word)).word
        await kept.done("ban name slur")
        assert (await slur.end())[-1] == Bye("banned-name")
        seen = await ann.wait(TableView, lambda view: view.seats[1].name != "~slur")
        assert seen.seats[1].name == "~player"
        nice = await kept.comes("nice")
        assert (await nice.ask(Back(word), Welcome, lambda welcome: welcome.back)).name == "~player"

    async def test_a_guest_whose_seat_is_gone_does_not_come_back_by_a_word(self, kept: Kept) -> None:
        ann, slur = await kept.comes("Ann", ANN), await kept.comes("slur")
        table = await ann.ask(Create("race"), TableView)
        slur.say(Join(table.code))
        word = (await slur.wait(Welcome, lambda welcome: welcome.word)).word
        slur.link.close()
        await kept.done(f"close {table.code}")
        await ann.wait(Left)
        await kept.done("ban name slur")
        nice = await kept.comes("nice")
        nice.say(Back(word))
        assert (await nice.end())[-1] == Bye("banned-name")

    async def test_who_sits_somewhere_is_called_otherwise_and_says_nothing_under_it(self, kept: Kept) -> None:
        _, bo, code = await at_table(kept)
        await kept.done("ban name Ann")
        await bo.wait(TableView, lambda view: view.seats[0].name == "player")
        verdict = await kept.keeper.judge(LoginRequest(9, "192.0.2.1", ANN, "zed", ""))
        assert verdict.person == ANN
        assert await kept.server.services.remote_tables.do(ANN, code, Say("here I am again")) is None
        chat = await bo.wait(ChatView, lambda chat: "here I am again" in texts(chat))
        assert chat.lines[-1].name == "player"

    async def test_who_was_called_so_comes_by_another_name_as_they_are_told(self, kept: Kept) -> None:
        ann = await kept.comes("x", ANN)
        await ann.ask(Rename("Ann"), Welcome)
        await kept.done("ban name Ann")
        assert (await ann.end())[-1] == Bye("banned-name")
        again = await kept.comes("zed", ANN)
        assert (await again.ask(Rename("Zed"), Welcome, lambda welcome: welcome.name == "Zed")).name == "Zed"

    async def test_the_name_of_a_host_who_is_here_is_theirs(self, kept: Kept) -> None:
        host = await kept.comes("Ivan", HOST)
        table = await host.ask(Create("race"), TableView)
        await kept.done("ban name lvan")
        assert not host.link.closed
        assert table.seats[0].name == kept.server.services.overview.name_of(HOST) == "Ivan"


class TestMutedGuests:
    """Who has no key is somebody new each time they come, and muted all the same."""

    async def loud(self, kept: Kept, source: str = "192.0.2.1") -> tuple[Guest, Guest, str]:
        """Ann at her table, and a guest who watches her."""
        ann = await kept.comes("Ann", ANN, "198.51.100.9")
        table = await ann.ask(Create("race"), TableView)
        loud = await kept.comes("loud", source=source)
        await loud.ask(Watch(table.code), TableView)
        return ann, loud, table.code

    async def comes_again(self, kept: Kept, code: str, key: str = "", source: str = "192.0.2.1") -> Guest:
        guest = await kept.comes("meek", key, source)
        await guest.ask(Watch(code), TableView)
        return guest

    async def test_they_stay_muted_however_often_they_come(self, kept: Kept) -> None:
        _, loud, code = await self.loud(kept)
        told = await kept.done("mute ~loud")
        assert told.splitlines()[:2] == [
            "~loud is muted permanently.",
            "So is everyone from 192.0.2.1 who has no key or finished no game before today.",
        ]
        assert await loud.refused(Say("x")) == Refusal("muted")
        loud.link.close()
        kept.keeper.forget_connection(2)
        again = await self.comes_again(kept, code)
        assert await again.refused(Say("x")) == Refusal("muted")
        assert [each["muted"] for each in await kept.told("who")] == [False, True]
        # So is a new key from there; people who have played are heard, and guests from elsewhere.
        fresh = await self.comes_again(kept, code, CAT)
        assert await fresh.refused(Say("x")) == Refusal("muted")
        kept.server.services.presence.people.book.store_seated_names(
            [Chair("human", "bo", BO)], lambda *_: True, over=True
        )
        for key, source in ((BO, "192.0.2.1"), ("", "192.0.2.2")):
            other = await self.comes_again(kept, code, key, source)
            await other.ask(Say(f"by {source}"), ChatView, lambda chat: "by 192" in str(texts(chat)))

    @pytest.mark.parametrize("days", [0, 1, 30])
    async def test_a_new_key_is_muted_too_whatever_it_plays_from_that_day_on(
        self, kept: Kept, days: int
    ) -> None:
        _, _, code = await self.loud(kept)
        await kept.done("mute ~loud")
        kept.now = NOW + days * DAY
        kept.server.services.presence.people.book.store_seated_names(
            [Chair("human", "bo", BO)], lambda *_: True, over=True
        )
        fresh = await self.comes_again(kept, code, BO)
        assert await fresh.refused(Say("x")) == Refusal("muted")

    async def test_an_ipv6_network_is_one_place(self, kept: Kept) -> None:
        _, _, code = await self.loud(kept, "2001:db8::1")
        assert "from 2001:db8::/64 who" in await kept.done("mute 2 --for 2h")
        again = await self.comes_again(kept, code, source="2001:db8::ffff")
        assert (await again.refused(Say("x"))).reason == "muted-until"

    async def test_it_is_listed_in_a_line_and_ends_with_one_word(self, kept: Kept) -> None:
        _, loud, code = await self.loud(kept)
        await kept.done("mute ~loud")
        assert len((await kept.done("bans")).splitlines()) == 3
        (ban,) = await kept.told("bans")
        assert ban["what"].split()[1:] == ["192.0.2.1"]
        # A muted guest says nothing by their name.
        meek = await self.comes_again(kept, code)
        await kept.done("mute ~player --for 2h")
        assert await kept.done("unmute ~player") == "~player is no longer muted.\n"
        await loud.wait(Announced, lambda said: said == Announced("heard"))
        for guest in (loud, meek):
            await guest.ask(Say("at last"), ChatView, lambda chat: "at last" in texts(chat))
        assert await kept.told("bans") == []

    async def test_who_is_away_is_muted_as_whom_they_come_back(self, kept: Kept) -> None:
        ann, loud, code = await self.loud(kept)
        loud.say(Join(code))
        word = (await loud.wait(Welcome, lambda welcome: welcome.word)).word
        loud.link.close()
        kept.keeper.forget_connection(2)
        assert "everyone from 192.0.2.1 who has no key" in await kept.done("mute ~loud")
        back = await kept.comes("loud", source="198.51.100.1")
        await back.ask(Back(word), Welcome, lambda welcome: welcome.back)
        await back.ask(Watch(code), TableView)
        assert await back.refused(Say("x")) == Refusal("muted")
        assert not ann.link.closed
