"""Admin commands about people: most are scripts in `people_commands.txt`."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from cartino_protocol.accounts import AddKey, KeyCode, KeysView
from cartino_protocol.commands import Create, Leave, Say, Watch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, TableView
from cartino_server.admin.dispatch import AUDIT_FILE
from cartino_server.lobby.people import connections
from cartino_server.store import moderation
from cartino_server.store.moderation import ChatReport, add_report
from cartino_server.store.personal_data import DAY
from cartino_server.table.seating import Chair
from tests.support.game_server import Guest
from tests.support.script import NOW, ScriptServer, key_of, run_script, scripts_in

ANN, BO, CAT, HOST = map(key_of, ("ann", "bo", "cat", "hosty"))


@pytest.fixture
async def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ScriptServer]:
    monkeypatch.setattr(connections, "FAREWELL_SECONDS", 0)
    opened = ScriptServer(tmp_path)
    yield opened
    await opened.close()


async def prints(server: ScriptServer, words: str, error: str = "") -> str:
    """What an admin command prints; `error` is a part of what it says if it fails."""
    reply = await server.administer(words)
    assert error in reply.stderr
    assert bool(reply.status) is bool(error), reply
    return reply.stdout


@pytest.mark.parametrize("script", scripts_in(Path(__file__).with_name("people_commands.txt")))
async def test_script(server: ScriptServer, script: Sequence[str]) -> None:
    await run_script(script, server)


async def test_a_terminal_gets_nothing_as_strangers_sent_it(server: ScriptServer) -> None:
    wild = "a\x1b[2J\x9b\u202e\u200bb\n"
    await server.log_in("x", user=wild)
    await server.people_db.do(
        lambda db: add_report(db, ChatReport(1, BO, wild, ANN, wild, "AAAA", 1, wild, (wild,)))
    )
    for words in ("who", "reports"):
        text = await prints(server, words)
        assert "a[2Jb" in text
        assert not [char for char in text if char != "\n" and not char.isprintable()]
    await prints(server, "kick \x9b2J\u202e", "Nobody is called ?2J? here")
    assert "\x9b" not in (server.data / AUDIT_FILE).read_text()


async def test_who_is_not_in_the_lobby_yet_is_listed_by_their_user_name(server: ScriptServer) -> None:
    await server.log_in("ann")
    text = await prints(server, "who")
    assert "(ann)" in text
    assert "Names in parentheses are the user names of connections" in text


async def test_a_report_is_about_somebody_known_or_not(server: ScriptServer) -> None:
    for line, (person, name) in enumerate(((CAT, "cat"), ("", "old"))):
        report = ChatReport(1, BO, "bo", person, name, "AAAA", line, "x")
        await server.people_db.do(partial(add_report, report=report))
    assert "said by someone no longer known" in await prints(server, "reports")
    for words in ("ban key report:2", "mute report:2"):
        await prints(server, words, "is no longer known")
    await prints(server, "ban source report:2", "isn't known.")
    assert "cat is banned permanently" in await prints(server, "ban key report:1"), "after a restart, too"


async def test_bans_fit_however_long_their_reasons_are(server: ScriptServer) -> None:
    host, reason = f"{HOST} (connection 123456)", "because of " + "something long " * 15
    wide = "2001:db8:1234:5678:9abc:def0:1234:5678/128"
    await server.bans.add("person", CAT, 1_800_000_000, reason, host, "sixteenletters16")
    await server.bans.add("source", wide, None, "", host, wide)
    await server.bans.add("voice", f"guest:{'0' * 16}\n{wide}\n192.0.2.1", None, "x", "uid 0", "~loud")
    text = await prints(server, "bans")
    assert max(map(len, text.splitlines())) < 80
    assert " ".join(text.split()) == (
        "number kind target until (UTC) "
        f"1 key sixteenletters16 2027-01-15 08:00 {CAT[:15]}…, by {HOST[:15]}… (connection 123456): {reason}"
        f"2 source {wide} permanent by {HOST[:15]}… (connection 123456) "
        f"3 mute ~loud permanent guest:{'0' * 16}, {wide}, 192.0.2.1, by uid 0: x"
    )


async def test_there_is_a_limit_on_bans(server: ScriptServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moderation, "MAX_BANS", 0)
    await prints(server, "ban source 1.2.3.4", "too many bans")


async def test_a_seated_name_is_known_after_a_restart(server: ScriptServer) -> None:
    cat = await server.come("cat")
    await cat.ask(Create("race"), TableView)
    cat.say(Leave())
    server.leave("cat")
    server.server.services.overview.visitors.forget(CAT)
    assert "cat is banned" in await prints(server, "ban key cat")


@pytest.mark.parametrize(("days", "muted"), [(-1, False), (0, True), (1, True), (30, True)])
async def test_a_mute_covers_new_keys_whatever_they_play_from_that_day_on(
    server: ScriptServer, days: int, muted: bool
) -> None:
    ann = await server.come("ann", "198.51.100.9")
    table = await ann.ask(Create("race"), TableView)
    await server.come("~loud")
    await prints(server, "mute ~loud")
    server.game_time = NOW + days * DAY
    server.server.services.presence.people.book.store_seated_names(
        [Chair("human", "bo", BO)], lambda *_: True, over=True
    )
    fresh = await server.come("bo")
    await fresh.ask(Watch(table.code), TableView)
    if muted:
        assert await fresh.refused(Say("x")) == Refusal("muted")
    else:
        fresh.say(Say("x"))
        assert not [each for each in fresh.heard if isinstance(each, Refusal)]


class TestKeysThatMove:
    """A ban of somebody who has just added their key to another person holds all the same."""

    async def moved(self, server: ScriptServer) -> tuple[Guest, Guest]:
        """Ann, and a person who has just added their key to her account, before their connection is closed."""
        ann, evil = await server.come("ann"), await server.come("evil")
        code = (await ann.ask(KeyCode(), KeysView)).code
        evil.say(AddKey(code), Create("race"))
        return ann, evil

    async def test_nobody_goes_on_as_whom_no_ban_can_name(self, server: ScriptServer) -> None:
        _, evil = await self.moved(server)
        assert (await evil.end())[-1] == Bye("key-added")
        assert [each.connection for each in server.keeper.active] == [1]
        assert (
            await prints(server, "ban key evil") == "ann is banned permanently.\n1 connection was closed.\n"
        )
        assert server.bans.find_ban("person", ANN) is not None
        for name in ("ann", "evil"):
            assert await server.log_in(name)

    async def test_who_is_looked_up_meanwhile_is_looked_up_again(self, server: ScriptServer) -> None:
        _, evil = await self.moved(server)
        coming = asyncio.create_task(server.log_in("evil"))
        await evil.end()
        await coming
        present = {each.connection: each.person for each in server.keeper.active}
        assert present in ({1: ANN}, {1: ANN, 3: ANN})

    async def test_a_seat_of_nobody_any_more_is_banned_as_whom_their_key_is_now(
        self, server: ScriptServer
    ) -> None:
        await server.come("ann")
        evil = await server.come("evil")
        await evil.ask(Create("race"), TableView)
        # They sat down in the moment in which the key was written.
        await server.keys.add(ANN, key_of("evil"), 1)
        assert "1 connection was closed" in await prints(server, "ban key evil")
        assert server.bans.find_ban("person", ANN) is not None
