"""Whatever one person types, or has their client send, reaches nobody else's link, record, report or log unclean."""

import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_protocol.commands import (
    Back,
    Command,
    Course,
    Create,
    Cut,
    Decline,
    Hello,
    History,
    Ignore,
    Invite,
    Join,
    Leaders,
    Lesson,
    Profile,
    Rename,
    Replay,
    Report,
    Say,
    Watch,
)
from cartino_protocol.views import ChatView, TableView, Welcome
from cartino_protocol.wire import VERSION, WireError, decode_command, encode
from cartino_server.limits import ServerConfig
from cartino_server.server import Server
from cartino_server.store.moderation import list_reports
from cartino_server.store.people import PeopleDatabase
from cartino_server.table.link import Person
from tests.support.game_server import Guest, a_guest
from tests.support.journal import MemoryJournal
from tests.support.nasty import BIDI, NASTY, faults_of, texts_of

ANY = pytest.mark.parametrize("nasty", NASTY.values(), ids=NASTY)
UNHURRIED = ServerConfig(
    bot_pause=0,
    lobby_every=0,
    spectators_every=0,
    burst=10**6,
    chat_lines=10**6,
    seats_burst=10**6,
    inbox=10**4,
    refusals=10**4,
)


def said_with(nasty: str, code: str) -> list[Command]:
    """Every command that takes a text, with `nasty` in it."""
    return [
        Rename(nasty),
        Say(nasty),
        Say(f"well {nasty} played"),
        Cut(nasty),
        Invite(nasty),
        Invite("ann"),
        Ignore(name=nasty),
        Ignore("abcdefgh", nasty),
        Ignore(nasty, nasty),
        Decline(nasty),
        Profile(nasty),
        Profile(nasty, against=nasty),
        History("player", nasty),
        Replay(nasty),
        Course(nasty),
        Leaders(nasty),
        Lesson(nasty),
        Back(nasty),
        Create(nasty, {nasty: nasty}),
        Create("race", {"goal": nasty}),
        Create("race", {nasty: "3"}),
        Create("race", bots=(nasty,)),
        Join(nasty),
        Watch(nasty),
        Hello(VERSION, nasty, nasty),
        Watch(code),
        Rename(f"ev {nasty}"[:16]),
    ]


def is_taken(command: Command) -> bool:
    """Whether the frame gets to the server at all: one that is too long is refused unread, and may not even be made."""
    try:
        decode_command(encode(command))
    except (WireError, UnicodeEncodeError):
        return False
    return True


@ANY
async def test_a_server_lets_nothing_through(
    server: Server, people_db: PeopleDatabase, journal: MemoryJournal, nasty: str
) -> None:
    ann = await a_guest(server, "ann")
    code = (await ann.ask(Create("race", seats=3), TableView)).code
    kim = await a_guest(server, "kim")
    await kim.ask(Watch(code), TableView)
    with capture_logs() as logs:
        eve = Guest(server.open_link(Person("id-eve", nasty)))
        await eve.ask(Hello(VERSION), Welcome)
        await eve.ask(Join(code), TableView)
        for command in filter(is_taken, said_with(nasty, code)):
            eve.say(command)
        eve.say(Say("the last word"))
        heard = [await guest.wait(ChatView, ends) for guest in (ann, kim, eve)]
        for line in heard[0].lines:
            if line.name != "ann":
                ann.say(Report(line.n))
        ann.say(Say("done"))
        await ann.wait(ChatView, lambda chat: chat.lines[-1].text == "done")
    for guest in (ann, kim, eve):
        for answer in guest.heard:
            assert [fault for text in texts_of(answer) for fault in faults_of(text)] == []
    for number, report in (await people_db.do(list_reports)).items():
        assert faults_of("".join((report.name, report.text, *report.before))) == [], number
    for bodies in (game.bodies for game in journal.games.values()):
        for body in bodies:
            assert [fault for text in texts_of(msgspec.json.decode(body)) for fault in faults_of(text)] == []
    for log in logs:
        assert nasty not in str(log)


def ends(chat: ChatView) -> bool:
    return bool(chat.lines) and chat.lines[-1].text == "the last word"


def test_the_nasty_texts_are_what_they_say() -> None:
    assert len(set(BIDI)) == 12
    for name, nasty in NASTY.items():
        assert name in {"markup", "placeholders"} or faults_of(nasty), name
