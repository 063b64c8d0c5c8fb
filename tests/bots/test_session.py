"""`ssh HOST bot`: the JSON lines of a bot, on the links of a real server, and what becomes of a bot that misbehaves."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, get_args

import pytest

from cartino_protocol.commands import Create, Invite, Join, Rematch
from cartino_protocol.exit_status import BROKEN_OFF, MISUSE, REFUSED
from cartino_protocol.terminal import TerminalFacts
from cartino_protocol.views import TableView
from cartino_protocol.wire import MAX_COMMAND_BYTES
from cartino_server.bots import messages, session
from cartino_server.bots.session import MAX_TABLES, BotSession
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_server.visitors import BOT_PERSON_PREFIX
from tests.support.game_server import QUICK, TIME_LIMIT, Guest, World, a_guest, new_server
from tests.support.games import BOTS, GAMES, SPEECHES

Line = dict[str, Any]
HAL = Person(f"{BOT_PERSON_PREFIX}1", "hal", key="SHA256:hal")


class Pipe:
    """What a bot reads, and whether it is asked to wait."""

    def __init__(self) -> None:
        self.facts = TerminalFacts("", 80, 24, is_terminal=False)
        self.lines: asyncio.Queue[Line] = asyncio.Queue()
        self.pauses: list[bool] = []

    def write(self, data: bytes) -> None:
        for line in data.splitlines():
            self.lines.put_nowait(json.loads(line))

    def pause_reading(self) -> None:
        self.pauses.append(True)

    def resume_reading(self) -> None:
        self.pauses.append(False)


class Bot:
    """A bot of a test, which says things and waits for what must come."""

    def __init__(self, server: Server, person: Person = HAL, *, is_bot: bool = True) -> None:
        self.pipe = Pipe()
        self.session = BotSession(self.pipe, lambda: server.open_link(person), SPEECHES, is_bot=is_bot)
        self.running = asyncio.create_task(self.session.run())

    def say(self, *messages: Line) -> None:
        self.session.feed(b"".join(json.dumps(each).encode() + b"\n" for each in messages))

    async def hears(self, kind: str, check: Callable[[Line], object] = lambda _: True) -> Line:
        """The next line of that type."""
        async with asyncio.timeout(TIME_LIMIT):
            while True:
                line = await self.pipe.lines.get()
                if line["type"] == kind and check(line):
                    return line

    async def next(self) -> Line:
        """The next line, whatever it is."""
        async with asyncio.timeout(TIME_LIMIT):
            return await self.pipe.lines.get()

    async def status(self) -> int:
        async with asyncio.timeout(TIME_LIMIT):
            return await self.running

    def answer(self, state: Line, **other: Any) -> None:
        """Make the first legal move, or `other` things about it."""
        move = {"table": state["table"], "number": state["number"], "move": state["legal"][0]["move"]}
        self.say({"type": "move", **move, **other})


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots that may say as much as they like, but for one test."""
    monkeypatch.setattr(session, "LINES_A_SECOND", 1e6)


@pytest.fixture
async def server(world: World) -> AsyncIterator[Server]:
    """A server of all games."""
    opened = new_server(world, QUICK, GAMES, BOTS)
    yield opened
    await opened.close()


@pytest.fixture
async def bot(server: Server) -> AsyncIterator[Bot]:
    """A bot that has been greeted, and hangs up at the end."""
    opened = Bot(server)
    await opened.hears("hello")
    yield opened
    opened.session.hang_up()
    await opened.status()
    assert opened.session.crash is None


def create(**fields: Any) -> Line:
    return {"type": "create", "game": "cartino", "bots": ["greedy"], **fields}


async def test_hello_says_what_can_be_played(server: Server) -> None:
    bot = Bot(server)
    hello = await bot.next()
    assert (hello["type"], hello["protocol"], hello["name"]) == ("hello", 1, "bot+hal")
    told = {game["name"]: game for game in hello["games"]}
    assert told["cartino"]["seats"] == [2, 4]
    assert told["cartino"]["options"][0]["choices"] == ["1974", "1969"]
    assert "greedy" in told["cartino"]["bots"]
    bot.session.feed(b"\x04")
    assert await bot.status() == 0


async def test_a_table_with_each_clock_and_absence_of_hello_is_opened(server: Server) -> None:
    bot = Bot(server)
    hello = await bot.next()
    fields = [("clock", each) for each in hello["clocks"]] + [("absence", each) for each in hello["absences"]]
    assert len(fields) >= 8
    for field, offered in fields:
        bot.say(create(**{field: offered}))
        while (game := await bot.next())["type"] not in {"game", "refused"}:
            pass
        assert game["type"] == "game", (field, offered)
        bot.say({"type": "leave", "table": game["table"]})
        await bot.hears("left")
    bot.session.feed(b"\x04")
    assert await bot.status() == 0


@pytest.mark.parametrize("game", ["cartino", "caro", "casino"])
async def test_a_whole_game_of_legal_moves(bot: Bot, game: str) -> None:
    bot.say(create(game=game, bots=["random"]))
    begun = await bot.hears("game")
    assert begun["seats"][begun["seat"]]["name"] == "bot+hal"
    numbers = []
    while (line := await bot.next())["type"] != "end":
        assert line["type"] == "state", line
        assert line["table"] == begun["table"]
        assert 0 < len(line["legal"]) <= 500
        numbers.append(line["number"])
        bot.answer(line)
    assert numbers == sorted(set(numbers)), "each state is asked about once"
    assert len(line["totals"]) == 2
    # Nobody wants a rematch, so there is room for the next game.
    bot.say(*[create() for _ in range(MAX_TABLES)])
    for _ in range(MAX_TABLES):
        await bot.hears("game")
    bot.say(create())
    assert (await bot.hears("refused"))["reason"] == "too-many-rooms"


async def test_a_state_has_what_the_seat_sees(bot: Bot) -> None:
    bot.say(create())
    state = await bot.hears("state")
    assert state["view"]["hand"]
    assert state["view"]["hands"] == []
    assert state["you"] in state["turn"]
    assert set(state["legal"][0]) == {"move", "points"}
    assert state["seats"][state["you"]]["left"] == 30.0


MALFORMED = (
    *(b"{", b"[]", b'"\xff"', b"\x00" * 50, b"[" * 8000, b'{"type":"fly"}', b'{"type":"play"}'),
    b'{"type":"play","game":"cartino","fast":true}',
    b'{"type":"play","game":"' + b"x" * 65 + b'"}',
)


async def test_what_is_wrong_is_refused_in_one_line(bot: Bot) -> None:
    for line in MALFORMED:
        bot.session.feed(line + b"\n")
        refused = await bot.next()
        assert (refused["type"], refused["reason"], refused["command"]) == ("refused", "malformed", "")
        assert refused["sentence"]
    for wrong, reason in ((create(clock="none"), "bot-clock"), (create(bots=["x"]), "unknown-bot")):
        bot.say(wrong)
        refused = await bot.next()
        assert (refused["reason"], refused["command"]) == (reason, "create")
    # It goes on.
    bot.say(create())
    assert (await bot.next())["type"] == "game"


IN_VAIN: dict[type[messages.BotMessage], tuple[str, Line]] = {
    messages.Play: ("unknown-game", {"game": "chess"}),
    messages.Create: ("bad-seats", {"game": "cartino", "seats": 9}),
    messages.Join: ("unknown-code", {"table": "ZZZZ"}),
    messages.Decline: ("unknown-code", {"table": "ZZZZ"}),
    messages.Move: ("not-seated", {"table": "ZZZZ", "number": 1, "move": "end"}),
    messages.Rematch: ("not-seated", {"table": "ZZZZ"}),
    messages.Leave: ("not-seated", {"table": "ZZZZ"}),
}


@pytest.mark.parametrize("kind", get_args(messages.AnyBotMessage))
async def test_each_line_from_which_nothing_follows_is_refused(
    bot: Bot, kind: type[messages.BotMessage]
) -> None:
    word, (reason, fields) = kind.__name__.lower(), IN_VAIN[kind]
    bot.say({"type": word, **fields})
    refused = await bot.next()
    assert (refused["type"], refused["reason"], refused["command"]) == ("refused", reason, word)
    assert refused["sentence"]
    assert refused["table"] == fields.get("table", "")
    if kind is messages.Join:
        assert refused["sentence"] == "There is no table ZZZZ. Check the code; it may have closed."


async def test_an_invitation_is_declined_once(server: Server, bot: Bot) -> None:
    ann = await a_guest(server, "ann")
    code = (await ann.ask(Create("caro", clock="60s", open=False), TableView)).code
    ann.say(Invite("bot+hal"))
    await bot.hears("invited")
    line = {"type": "decline", "table": code}
    bot.say(line, line)
    told = [await bot.next() for _ in range(2)]
    assert sorted(each["type"] for each in told) == ["declined", "refused"]
    assert {each["table"] for each in told} == {code}


async def test_a_table_is_left_once(bot: Bot) -> None:
    bot.say(create())
    code = (await bot.hears("game"))["table"]
    line = {"type": "leave", "table": code}
    bot.say(line, line)
    told = [(await bot.hears(kind))["table"] for kind in ("refused", "left")]
    assert told == [code, code]


async def test_a_move_that_is_late_twice_or_illegal_changes_nothing(bot: Bot) -> None:
    bot.say(create())
    state = await bot.hears("state")
    for wrong, reason in (
        ({"number": state["number"] - 1}, "stale"),
        ({"number": 10**30}, "stale"),
        ({"move": "nonsense"}, "malformed"),
        ({"move": "end"}, "illegal"),
    ):
        bot.answer(state, **wrong)
        assert (await bot.next())["reason"] == reason
    # Both arrive before the table has changed.
    bot.answer(state)
    bot.answer(state)
    told = [await bot.next() for _ in range(2)]
    [refused] = [line for line in told if line["type"] == "refused"]
    assert refused["reason"] in {"stale", "not-your-turn"}


async def test_a_long_line_ends_it_with_one_sentence(server: Server) -> None:
    bot = Bot(server)
    await bot.hears("hello")
    bot.session.feed(b"x" * (1 << 20))
    bye = await bot.next()
    assert (bye["type"], bye["reason"]) == ("bye", "too-long")
    assert str(MAX_COMMAND_BYTES) in bye["sentence"]
    assert await bot.status() == MISUSE
    assert bot.pipe.lines.empty()


async def test_a_flood_of_lines_is_read_later(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "LINES_A_SECOND", 1e-6)
    bot = Bot(server)
    await bot.hears("hello")
    bot.session.feed(b"{\n" * 1000)
    for _ in range(10):
        assert (await bot.next())["reason"] == "malformed"
    assert bot.pipe.lines.empty()
    assert bot.pipe.pauses == [True]
    bot.session.hang_up()
    await bot.status()


async def test_nobody_but_a_bot_account_plays_so(server: Server) -> None:
    ann = Bot(server, Person("SHA256:ann", "ann"), is_bot=False)
    assert (await ann.next())["reason"] == "not-a-bot"
    assert await ann.status() == REFUSED


async def test_one_that_connects_again_is_back_at_its_tables(server: Server, bot: Bot) -> None:
    bot.say(create(), create(game="caro", bots=["random"]))
    first, second = await bot.hears("game"), await bot.hears("game")
    # A second connection takes nothing away from one that plays.
    other = Bot(server)
    await other.hears("hello")
    other.say({"type": "play", "game": "chess"})
    assert (await other.next())["type"] == "refused"
    other.session.hang_up()
    bot.session.hang_up()
    await bot.status()
    again = Bot(server)
    back = {(await again.hears("game"))["table"] for _ in range(2)}
    assert back == {first["table"], second["table"]}
    await again.hears("state")
    again.session.hang_up()
    await again.status()


async def test_a_person_invites_it_and_plays_with_it_again(server: Server, bot: Bot) -> None:
    ann = await a_guest(server, "ann")
    table = await ann.ask(Create("caro", clock="60s", open=False), TableView)
    ann.say(Invite("bot+hal"))
    invited = await bot.hears("invited")
    assert invited == {"type": "invited", "table": table.code, "game": "caro", "from": "ann"}
    bot.say({"type": "join", "table": table.code})
    assert (await bot.hears("game"))["table"] == table.code
    await asyncio.gather(plays(ann), answers(bot))
    ann.say(Rematch())
    bot.say({"type": "rematch", "table": table.code})
    assert (await bot.hears("game"))["state"] == "playing"
    bot.say({"type": "leave", "table": table.code})
    assert (await bot.hears("left"))["reason"] == "left"


async def plays(ann: Guest) -> None:
    """Ann makes the first legal move whenever it is her turn, until the game is over."""
    speech = SPEECHES["caro"]
    done = 0
    while ann.table is None or ann.table.state != "finished":
        table = ann.table
        if table is not None and table.you in table.turn and table.number > done:
            view, done = speech.read(table.game_view), table.number
            move = speech.move(speech.legal(view)[0][0], view)
            assert move is not None
            await ann.act(move)
        await ann.next()


async def answers(bot: Bot) -> None:
    """The same of a bot."""
    while (line := await bot.next())["type"] != "end":
        bot.answer(line)


async def test_people_join_the_table_of_a_bot(server: Server, bot: Bot) -> None:
    bot.say(create(bots=[]))
    begun = await bot.hears("game")
    assert begun["state"] == "open"
    ann = await a_guest(server, "ann")
    await ann.ask(Join(begun["table"]), TableView, lambda table: table.state == "playing")
    assert (await bot.hears("game"))["state"] == "playing"


async def test_a_server_that_ends_says_so(server: Server) -> None:
    bot = Bot(server)
    await bot.hears("hello")
    bot.say(create())
    await bot.hears("game")
    await server.close()
    assert (await bot.hears("bye"))["reason"] == "shutdown"
    assert await bot.status() == BROKEN_OFF


async def test_a_bot_that_reads_slowly_gets_the_newest_state(server: Server, bot: Bot) -> None:
    bot.say(create())
    state = await bot.hears("state")
    bot.session.stall()
    bot.answer(state)
    await asyncio.sleep(0)
    assert bot.pipe.lines.empty()
    bot.session.drained()
    assert (await bot.hears("state"))["number"] > state["number"]
