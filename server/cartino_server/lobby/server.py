"""The game server: every link, every table, and the routing of commands between them.

All of it runs on one event loop, so it needs no locks. A link at a table sends its commands through that table's
queue; what is not the table's business comes back to `route`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from cartino_protocol.accounts import Account, DeleteAccount
from cartino_protocol.base import parse_code
from cartino_protocol.commands import (
    Act,
    Back,
    Command,
    Create,
    Cut,
    Hello,
    Join,
    Keep,
    Leave,
    Lesson,
    Pause,
    Prefer,
    QuickPlay,
    Rematch,
    Rename,
    Say,
    Sit,
    Stand,
    Start,
    Watch,
)
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, Left, PastGame, RoomLine
from cartino_server.engine.bots import Bot
from cartino_server.engine.port import AnyGame, game_info
from cartino_server.limits import ServerConfig
from cartino_server.lobby.account import AccountData, KeyManager
from cartino_server.lobby.background_tasks import BackgroundTasks, Timekeeper
from cartino_server.lobby.history import GameHistory, NoSuchGame
from cartino_server.lobby.login import Login
from cartino_server.lobby.moderation import Moderation
from cartino_server.lobby.people import NameBook, NameKeeper
from cartino_server.lobby.preferences import MuteLists
from cartino_server.lobby.presence import PresenceRegistry, ResumeCodes, SeatIndex
from cartino_server.lobby.queries import Queries, QueryCommand, ReportWriter, answer_lesson
from cartino_server.lobby.rate_limit import RateLimits
from cartino_server.lobby.ratings import RatingJobs
from cartino_server.lobby.table_list import Lobby, RemoteTables
from cartino_server.lobby.table_registry import Codes, Stats, TableRegistry, TooManyCodes
from cartino_server.metrics.error_summaries import cannot_replay
from cartino_server.store.people import PeopleDatabase, StoredName
from cartino_server.store.port import DamagedGame, Guest, HistoryQuery, Journal, StoredGame
from cartino_server.table.bot_executor import BotExecutor, ThreadExecutor
from cartino_server.table.environment import Ports, unix_time
from cartino_server.table.link import Person, ServerLink
from cartino_server.table.restoring import TAKEN, CantRestore, missing_game
from cartino_server.table.seating import Order, order_of, quick_order
from cartino_server.table.task import TableTask
from cartino_server.table.views import room_line


class UnknownTable(KeyError):
    """There is no room with that code, and no game of that name."""


class NoRecord(LookupError):
    """Nothing was dealt in that room yet."""


class Server:
    """Where links are opened. Construct it and use it on one running event loop."""

    def __init__(
        self,
        games: Mapping[str, AnyGame],
        bots: Mapping[tuple[str, str], Bot],
        config: ServerConfig | None = None,
        ports: Ports | None = None,
        journal: Journal | None = None,
        mind: BotExecutor | None = None,
        register: PeopleDatabase | None = None,
        names: Iterable[StoredName] = (),
    ) -> None:
        """`games` by name, the first being quick play's; `bots` by the names of their game and their own.

        Without a `journal` nothing outlives the house; without a `mind` bots think in threads; without a `register`
        nothing is known of people, else it keeps these `names`. Whoever made them closes them, after the house.
        """
        self._games = games
        self._bots = bots
        self._config = config or ServerConfig()
        self._ports = ports or Ports()
        self._journal = journal or Journal()
        self._bot_executor = mind or ThreadExecutor(bots)
        self._seat_index = SeatIndex()
        self._guests = ResumeCodes(self._journal, self._ports.entropy, self._seat_index)
        self._archive = GameHistory(self._journal, games)
        bots_of = {game: tuple(name for of, name in bots if of == game) for game in games}
        infos = (game_info(game, bots_of[game.name]) for game in games.values())
        now, authors = lambda: unix_time(self._ports.now()), self._ports.authors
        ignoring, book = MuteLists(authors, register, now), NameBook(names)
        self._presence: PresenceRegistry[TableTask] = PresenceRegistry(
            infos, self._seat_index, self._guests, self._journal, self._ports, ignoring, book, self._config
        )
        self._lobby = Lobby(self._config.lobby_every, self._presence.people.__len__, self._seat_index)
        self._presence.is_over = self._lobby.is_over
        self._registry = TableRegistry(
            games, bots_of, lambda: self._config, self._ports, self._journal, self._bot_executor, self
        )
        self.set_aside: Mapping[str, str] = {}
        """The codes of tables that nobody can go to, with the missing game of each, "" for one that is damaged."""
        self._links: dict[ServerLink, None] = {}
        self._background = BackgroundTasks()
        self._naming = NameKeeper(book, register, now)
        self.hand = Moderation(self._presence, self._registry, self._seat_index, self._links.keys())
        """What whoever keeps the house may do in it."""
        self.keyring = KeyManager(register, self._seat_index, self._ports, self._naming, self.hand)
        """What people ask about their keys."""
        reporting = ReportWriter(authors, register, now, self.hand.visitor)
        self.rate_limits = RateLimits(self._config, self._ports.clock, book.has_played)
        """How fast people may say things."""
        self._queries = Queries(
            self._journal,
            games,
            self._archive,
            self._presence,
            self.rate_limits,
            authors,
            reporting,
            self.keyring,
        )
        self.standing = self._queries.standing
        """What is told of people."""
        self.account_data = AccountData(
            self._journal,
            self._archive,
            register,
            self._registry,
            self._presence,
            self.hand,
            self._naming,
            self.standing,
            self.keyring,
            self._seat_index,
            authors,
            self._ports,
        )
        """What is kept of people, for them to see and delete."""
        self.stats = Stats(self._presence.people.__len__, self._registry)
        """How many are here, and what goes on."""
        self._tallier = RatingJobs(self._journal, games, self._background)
        self._greeter = Login(
            self._presence,
            self._lobby,
            self._queries,
            self._background,
            self.rate_limits,
            self.hand,
            self._naming,
        )
        self._codes = Codes(self._registry, self.rate_limits.of, self._is_expected)
        self.remote_tables = RemoteTables(
            self._codes.find, self._lobby, lambda: self._config, self.rate_limits.of
        )
        """For those who are not at a table."""
        self._time = Timekeeper(self._journal, self._ports.clock, self._is_clock_running)
        self.remote_tables.refuses, self.remote_tables.origin_of = self.hand.refuses, self._presence.origin_of
        self.remote_tables.no_table = self.no_table
        self._closed = False

    def configure(self, config: ServerConfig) -> None:
        """Go by `config` from now on."""
        self._config = config
        self.rate_limits.configure(config)
        self._presence.configure(config)

    def recover(self, kept: Iterable[StoredGame]) -> tuple[DamagedGame, ...]:
        """Open the rooms that the journal has, before anybody comes in; those of which none can be made."""
        damaged = []
        for game in kept:
            try:
                self._open_again(game)
            except CantRestore as error:
                self._lobby.keep(game.code, missing_game(error.sentence), error.persons)
                damaged.append(DamagedGame(game.game, game.code, error.sentence))
            except Exception as error:
                # One game that the engine chokes on keeps nobody else from theirs.
                damaged.append(DamagedGame(game.game, game.code, cannot_replay(error)))
        self.set_aside = {**self.set_aside, **{game.code: missing_game(game.why) for game in damaged}}
        self._tallier.wake()
        return tuple(damaged)

    def no_table(self, code: str) -> Refusal:
        """Return why nobody can go to the table `code`, which is not open."""
        missing = self.set_aside.get(parse_code(code) or "")
        if missing is None:
            return Refusal("unknown-code", code)
        return Refusal("game-missing", missing) if missing else Refusal("set-aside")

    def open_link(self, person: Person, connection: int = 0) -> ServerLink:
        """A link of `person`, who came by that connection: Hello has to be said first. A closed house ends it."""
        config, pace = self._config, self.rate_limits.of(person.id, connection)
        link = ServerLink(person, self, pace, config.inbox, config.refusals)
        link.connection, link.origin = connection, self.rate_limits.origin_of(connection)
        self._links[link] = None
        if self._closed:
            link.end(Bye("shutdown"))
        elif self.account_data.is_going(person.id):
            link.end(Bye("deleted"))
        return link

    def rooms_for(self, person: str) -> tuple[RoomLine, ...]:
        """The rooms that the person of that id may see listed: everybody's and their own, oldest first."""
        return self._lobby.seen_by(person)

    async def record_of(self, name: str, person: str = "", connection: int = 0) -> bytes:
        """The record of a game as JSON Lines, a running one's without what is hidden from `person`.

        `name` is a table's code, for the game there or else the newest that was played there, or a game's own name.
        Who knows a private room's code may read it, as they may watch it. They came by that `connection`.
        Raises UnknownRoom, NoRecord, TooManyCodes.
        """
        runner = self._registry.get(parse_code(name))
        if runner is not None:
            self._codes.find(name, person, connection)
        else:
            self._codes.may_try(person, connection)
        record = None if runner is None else runner.record(person)
        if record is not None:
            return record
        try:
            code = parse_code(name)
            return await (self._archive.record(name) if code is None else self._archive.newest(code))
        except NoSuchGame:
            if runner is not None:
                raise NoRecord(name) from None
            self._codes.was_wrong(person, connection)
            raise UnknownTable(name) from None

    async def past(
        self, person: str, mine: bool = False, name: str = "", before: int = 0, most: int = 50
    ) -> Sequence[PastGame]:
        """The finished games that `person` may see; see `Wanted`."""
        return await self._archive.past(HistoryQuery(person, mine, name, before, most))

    async def pruned(self) -> bool:
        """Return whether finished games were removed, so that lists don't go back to the first one."""
        return await self._archive.pruned()

    def warn(self) -> None:
        """Tell everybody at a table that the house restarts in a moment."""
        for runner in self._registry:
            runner.warn()

    async def close(self) -> None:
        """Save the last state of every room, tell everybody that the server goes down, and end all links.

        What waits for a reader can still be read. Whoever cancels this gives up the saving, not the rest.
        """
        self._closed = True
        self._lobby.close()
        try:
            await self._registry.stop()
        finally:
            for link in tuple(self._links):
                link.end(Bye("shutdown"))
            await self._background.stop()
            await self._time.stop()

    # What links ask for (see seat.Desk).

    def take(self, link: ServerLink, command: Command | None) -> bool:
        """Serve a command of `link`, or hand it to the table where they are; see `CommandSink`."""
        if command is None:
            link.refuse(None, "malformed")
            return True
        if isinstance(command, Hello):
            return self._greeter.greet(link, command)
        if link not in self._presence:
            link.refuse(command, "hello-first")
            return True
        too_fast = link.pace.refuses(command)
        if too_fast is not None:
            link.refuse(command, too_fast)
            return True
        if self.hand.has_refused(link, command):
            return True
        # What people prefer is no table's affair, and waits for none.
        place = None if isinstance(command, Prefer) else self._presence.place(link)
        return self.route(link, command) if place is None else place.post(link, command)

    def gone(self, link: ServerLink) -> None:
        """See Desk."""
        self._links.pop(link, None)
        self._lobby.leave(link)
        if link not in self._presence:
            return
        place = self._presence.depart(link)
        if place is not None:
            place.forget(link, cut_off=True)
        if not self._closed:
            self._lobby.touch()

    # What rooms ask for (see keeper.Keeper).

    def name_of(self, link: ServerLink) -> str:
        """See Keeper."""
        return self._presence.name_of(link)

    def route(self, link: ServerLink, command: Command) -> bool:
        """See Keeper."""
        match command:
            case Rename():
                self._greeter.rename(link, command)
            case Create():
                return self._open_room(link, command, order_of(command, self._games, self._bots))
            case QuickPlay():
                return self._quick_play(link, command)
            case Join(code=code) | Watch(code=code):
                return self._go_to(link, command, code)
            case Back():
                return self._background.run_for(link, command, self._greeter.come_back(link, command))
            case Account() | DeleteAccount():
                return self._background.run_for(
                    link, command, self._answer_account(link, self._presence.name_of(link), command)
                )
            case _ if isinstance(command, QueryCommand):
                return self._background.run_for(link, command, self._queries.answer(link, command))
            case Lesson():
                answer_lesson(link, command, self._games, self._presence.name_of(link))
            case Prefer():
                return self._background.run_for(link, command, self._presence.prefer(link, command))
            case Hello():
                return self._greeter.greet(link, command)
            case Leave() | Sit() | Stand() | Start() | Cut() | Act() | Say() | Rematch() | Pause() | Keep():
                link.refuse(command, "not-in-room")
            case _:
                assert_never(command)
        return True

    def entered(self, link: ServerLink, place: TableTask) -> None:
        """See Keeper."""
        before = self._presence.enter(link, place)
        self._lobby.leave(link)
        self._queries.came(link.person.id, place.room.code)
        if before is not None and before is not place:
            before.forget(link, cut_off=False)
            link.leave_room()

    def missed(self, link: ServerLink, place: TableTask) -> None:
        """See Keeper."""
        self._presence.miss(link.person.id, place.room)

    def went_home(self, link: ServerLink, left: Left) -> None:
        """See Keeper."""
        if link.closed:
            return
        self._presence.go_home(link)
        link.put(left)
        self._lobby.enter(link)

    def changed(self, place: TableTask, line: RoomLine) -> None:
        """See Keeper."""
        room = place.room
        before = self._lobby.line_of(room.code)
        over = line.state == "finished" and (before is None or before.state != "finished")
        if over:
            self._tallier.wake()
        self._lobby.note(line, room.order.open, self._seated(room.code, room.seating.persons()))
        if line.clock != "none":
            self._time.wake()
        self._naming.sat(room.seating.chairs, self._presence.people.is_free, over=over)
        for chair in room.seating.chairs:
            here = chair.guest and self._presence.people.is_here(chair.person)
            if here and not self._guests.knows(chair.person):
                self._background.run(self._presence.store_resume_code(Guest(chair.person, chair.name)))

    def closed(self, place: TableTask) -> None:
        """See Keeper."""
        code = place.room.code
        self._registry.remove(code)
        self._lobby.drop(code, self._seated(code, ()))
        self._presence.closed(code)
        self._queries.closed(code)

    def _open_again(self, game: StoredGame) -> None:
        if self._registry.get(game.code) is not None:
            raise CantRestore(TAKEN)
        runner = self._registry.rebuild(game)
        line = room_line(runner.room)
        self._registry.add(runner)
        runner.room = self._presence.expect(runner.room)
        self.changed(runner, line)
        self._registry.begin(runner)

    async def _answer_account(self, link: ServerLink, name: str, command: Account | DeleteAccount) -> None:
        answer = await self.account_data.answer(link.person, name, command, link.connection)
        if isinstance(answer, Refusal):
            link.refuse(command, answer.reason, answer.detail)
        else:
            link.put(answer)

    def _is_expected(self, person: str, code: str) -> bool:
        """Whether somebody has a seat at the table, or was invited to it."""
        return (
            code in self._seat_index.rooms_of(person) or self._presence.cards.sender(person, code) is not None
        )

    def _is_clock_running(self) -> bool:
        return any(runner.room.is_timed for runner in self._registry)

    def _seated(self, code: str, persons: tuple[str, ...]) -> tuple[str, ...]:
        """Those who have or had a seat in a room, where `persons` have them now."""
        concerned = self._seat_index.note(code, persons)
        for person in concerned:
            self._presence.people.release(person)
        return concerned

    # Tables.

    def _go_to(self, link: ServerLink, command: Join | Watch, code: str) -> bool:
        try:
            runner = self._codes.find(code, link.person.id, link.connection)
        except TooManyCodes:
            link.refuse(command, "too-many-codes")
            return True
        if runner is not None:
            return runner.post(link, command)
        refusal = self.no_table(code)
        link.refuse(command, refusal.reason, refusal.detail)
        return True

    def _quick_play(self, link: ServerLink, command: QuickPlay) -> bool:
        wanted = command.game if command.game in self._games else ""
        runner = self._registry.first_for_anybody(wanted)
        if runner is not None:
            return runner.post(link, command)
        return self._open_room(link, command, quick_order(self._games, self._bots, wanted))

    def _open_room(self, link: ServerLink, command: Create | QuickPlay, order: Order | Refusal) -> bool:
        if isinstance(order, Refusal):
            link.refuse(command, order.reason, order.detail)
            return True
        person, origin = link.person.id, self.hand.networks_around(link.connection)
        if self._closed or not self._registry.has_space_for(person, origin):
            link.refuse(command, "too-many-rooms")
            return True
        runner = self._registry.open(order, person, self._presence.redeem(link), self.set_aside, origin)
        if runner is None:
            link.refuse(command, "too-many-rooms")
            return True
        # Its creator is the first in the queue, and so sits down on seat 0.
        done = runner.post(link, Join(runner.room.code), asked=command)
        self._registry.begin(runner)
        return done
