"""The game server: every link, every table, and the routing of commands between them.

Everything runs on one event loop without locks. A link at a table sends its commands through that table's queue;
commands that are not the table's come back to `route`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import assert_never

import structlog

from cartino_protocol.base import Seat
from cartino_protocol.commands import (
    Back,
    Command,
    Create,
    Hello,
    Join,
    Leave,
    Lesson,
    PlayOn,
    Prefer,
    Preview,
    QuickPlay,
    Rename,
    Review,
    SaveSelection,
    Summary,
    TryTurn,
    Watch,
)
from cartino_protocol.deals import DealQuery, PlayDaily, Today
from cartino_protocol.notices import News
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, Left, Missed, RoomLine
from cartino_server.bots.matchmaking import Matchmaker
from cartino_server.correspondence.missed import MissedNews
from cartino_server.deals.answers import DealResults
from cartino_server.deals.attempts import SharedDeals, Surroundings
from cartino_server.deals.serving import DealCommands
from cartino_server.engine.bots import Bot
from cartino_server.engine.port import AnyGame
from cartino_server.limits import ServerConfig
from cartino_server.lobby.account import AccountData, AccountQuery, KeyQuery
from cartino_server.lobby.background_tasks import BackgroundTasks, RepeatedTask, Timekeeper
from cartino_server.lobby.history import GameHistory, lesson_view
from cartino_server.lobby.login import Login
from cartino_server.lobby.moderation import Moderation
from cartino_server.lobby.people import NameBook, People
from cartino_server.lobby.preferences import MuteLists, SettingsStore
from cartino_server.lobby.presence import PresenceRegistry, ResumeCodes, SeatIndex
from cartino_server.lobby.queries import Queries, QueryCommand, send_answer
from cartino_server.lobby.rate_limit import RateLimits
from cartino_server.lobby.ratings import CountedGame, Profiles, RatingJobs
from cartino_server.lobby.reviewing import ReviewQueries
from cartino_server.lobby.summary import MOST_NAMES, Previews, Summaries
from cartino_server.lobby.table_list import Lobby, RemoteTables, TooManyCodes
from cartino_server.lobby.table_registry import Catalog, Stats, TableRegistry
from cartino_server.metrics.error_summaries import cannot_replay
from cartino_server.review.judging import Reviewer
from cartino_server.review.kept import ReviewedGame, Reviews
from cartino_server.store.people import PeopleDatabase, StoredName
from cartino_server.store.port import DamagedGame, Journal, StoredGame
from cartino_server.table.bot_executor import BotExecutor, ThreadExecutor
from cartino_server.table.environment import Ports, unix_time
from cartino_server.table.link import Person, ServerLink
from cartino_server.table.participants import TableCommand
from cartino_server.table.restoring import CantRestore, missing_game
from cartino_server.table.rounds import note_reviews
from cartino_server.table.seating import Order
from cartino_server.table.state import SeatReview, TableState
from cartino_server.table.task import TableTask
from cartino_server.visitors import is_bot_person

_log = structlog.get_logger(__name__)


class Server:
    """Opens links and tables. Construct it and use it on one running event loop."""

    def __init__(
        self,
        games: Mapping[str, AnyGame],
        bots: Mapping[tuple[str, str], Bot],
        config: ServerConfig | None = None,
        ports: Ports | None = None,
        journal: Journal | None = None,
        executor: BotExecutor | None = None,
        register: PeopleDatabase | None = None,
        names: Iterable[StoredName] = (),
    ) -> None:
        """Offer `games`, by name, and `bots`, by game and name; `names` are those in `register`.

        Without `journal` and `register` nothing outlives the process; without `executor` bots run in threads. Their
        creator closes them, after the server.
        """
        config, ports, journal = config or ServerConfig(), ports or Ports(), journal or Journal()
        catalog = Catalog(games, bots)
        self.background = BackgroundTasks()
        self._closed = False

        def now() -> int:
            return unix_time(ports.now())

        seats, book, settings = SeatIndex(), NameBook(names, now, register), SettingsStore(journal)
        bot_names = [bot for info in catalog.infos for bot in info.bots]
        self.presence = PresenceRegistry(People(seats, book, bot_names, ports.entropy), seats)
        executor = executor or ThreadExecutor(bots)
        self.registry = TableRegistry(catalog, config, ports, journal, executor, self)
        reviewer = Reviewer(executor, bots, config.bot_patience)
        self.missed_news = MissedNews(journal, self._tables_of)
        self.table_list = Lobby(
            config.lobby_every,
            self.presence.people.__len__,
            seats,
            lambda: self.presence.people.names_online(MOST_NAMES),
            config.listed_after,
            ports.clock,
        )
        self.previews = Previews(self.registry, lambda: self.registry.config.spectators_every)
        self.rate_limits = RateLimits(config, ports.clock, book.has_played)
        self.moderation = Moderation(self.presence, self.registry)
        self.queries = Queries(
            Profiles(journal, games, self.presence.people.person_called, now, reviewer.evaluations()),
            GameHistory(journal, games, lambda code: self.deals.seal_of(code)),  # noqa: PLW0108 - made below
            MuteLists(ports.authors, register, now),
            self.moderation,
            self.rate_limits,
            ports,
            register,
        )
        self.moderation.renamed = lambda person, name: self.background.run(
            self.queries.profiles.renamed(person, name)
        )
        self.account_data = AccountData(
            journal, register, self.moderation, self.queries, book, settings, ports
        )
        self.remote_tables = RemoteTables(
            self.table_list, self.queries, self.moderation, self.rate_limits, self.missed_news
        )
        self.login = Login(
            self.moderation,
            self.table_list,
            self.queries,
            self.background,
            self.rate_limits,
            book,
            settings,
            ResumeCodes(journal, ports.entropy, seats),
            ports.entropy,
            self.missed_news,
        )
        self._timekeeper = Timekeeper(
            journal,
            ports.clock,
            lambda: any(runner.room.is_timed for runner in self.registry),
            self.background,
        )
        self._summaries = Summaries(
            self.queries.history,
            self.queries.profiles,
            games,
            lambda: self.registry.config.place,
            ports.now,
            ports.clock,
            self.background,
            self.table_list.summarize,
        )
        self._ratings = RatingJobs(journal, games, self.background, self._summaries.wake, self._game_counted)
        self.reviews = Reviews(journal, games, reviewer, self._game_reviewed)
        self._reviewing = RepeatedTask(self.background, self.reviews.work)
        self._review_queries = ReviewQueries(
            self.queries.history, self.reviews, self.rate_limits, self.background
        )
        self._matchmaker = Matchmaker(
            games, catalog.bots_of, self.registry, self._open_paired, journal, self.background.run, now
        )
        self.deals = SharedDeals(
            Surroundings(
                self.registry,
                games,
                catalog.opponents,
                journal,
                ports,
                reviewer.review,
                self._bring_back,
                lambda person: self.presence.people.called(person) or book.name_of(person),
                self.background.run,
            ),
            register,
        )
        self.account_data.erased = self.deals.erase
        self.deal_results = DealResults(self.deals, register)
        self._deal_commands = DealCommands(
            self.deals,
            self.deal_results,
            lambda connection: self.moderation.networks_around(connection),  # noqa: PLW0108 - replaced later
            catalog.order_of,
            self.background.run,
        )

    @property
    def is_open(self) -> bool:
        """Whether tables can be opened: the server isn't closing."""
        return not self._closed

    @property
    def stats(self) -> Stats:
        """Counts of people and tables."""
        return Stats(self.presence.people.__len__, self.registry)

    def configure(self, config: ServerConfig) -> None:
        """Apply `config` from now on."""
        before = self.registry.config
        self.registry.configure(config)
        self.rate_limits.configure(config)
        if config.place != before.place:
            self._summaries.wake()
        if config.chat_length != before.chat_length:
            for link in self.presence:
                self.login.send_welcome(link)

    def recover(self, kept: Iterable[StoredGame]) -> tuple[DamagedGame, ...]:
        """Restore the journal's tables before anyone logs in; return those that can't be restored."""
        damaged = []
        for game in kept:
            try:
                self._bring_back(game)
            except CantRestore as error:
                self.table_list.lines.keep(game.code, missing_game(error.sentence), error.persons)
                damaged.append(DamagedGame(game.game, game.code, error.sentence))
            except Exception as error:
                # One broken game doesn't keep the others from being restored.
                damaged.append(DamagedGame(game.game, game.code, cannot_replay(error)))
        missing = {game.code: missing_game(game.why) for game in damaged}
        self.registry.set_aside = {**self.registry.set_aside, **missing}
        self._ratings.wake()
        self._reviewing.wake()
        return tuple(damaged)

    def open_link(self, person: Person, connection: int = 0) -> ServerLink:
        """Return a link of `person` on that connection; its first command must be Hello. Ended if the server closed."""
        config, pace = self.registry.config, self.rate_limits.of(person.id, connection)
        link = ServerLink(person, self, pace, config.inbox, config.refusals)
        link.connection, link.origin = connection, self.rate_limits.origin_of(connection)
        self.presence.links[link] = None
        if self._closed:
            link.end(Bye("shutdown"))
        elif self.account_data.is_going(person.id):
            link.end(Bye("deleted"))
        return link

    def warn(self) -> None:
        """Tell everyone at a table that the server restarts soon."""
        for runner in self.registry:
            runner.change(lambda table: table.announce(News("restarts")))

    async def close(self) -> None:
        """Save every table and end all links; when cancelled, stop saving only. Unread answers can still be read."""
        self._closed = True
        self.table_list.close()
        self.previews.close()
        try:
            await self.registry.stop()
        finally:
            for link in tuple(self.presence.links):
                link.end(Bye("shutdown"))
            await self.background.stop()

    def _game_counted(self, game: CountedGame) -> None:
        """Tell the players who still look at the result of `game` what became of their ratings, and review it.

        Those who are elsewhere on the server learn the result. Nobody looks at the games of bots alone, which are many.
        """
        if all(not person or is_bot_person(person) for person in game.ending.persons):
            return
        self.background.run(self._tell_ended(game))
        ratings = {seat: SeatReview(rating=change) for seat, change in game.ratings.items()}
        self._note_reviews(game.ending.code, game.ending.ended, ratings)
        # An attempt at a shared deal is judged by itself; its best turns stay secret until the deal closes.
        if self.deals.seal_of(game.ending.code) is None:
            self.reviews.add(game.number)
            self._reviewing.wake()

    async def _tell_ended(self, game: CountedGame) -> None:
        """Tell of the end of `game` everybody who is online and didn't see it."""
        persons = {person for person in game.ending.persons if person}
        saw = persons & self.missed_news.take_witnesses(game.ending.code)
        await self.missed_news.saw(sorted(saw), game.number)
        for person in sorted(persons - saw):
            if self.presence.people.is_here(person):
                await self._tell_missed(person)

    async def _tell_missed(self, person: str) -> None:
        """Tell a person who is online what they don't know of their games."""
        news, links = await self.missed_news.find(person), self.presence.people.links(person)
        if news == Missed() or not links:
            return
        for link in links:
            link.put(news)
        await self.missed_news.told(person, news)

    def _tables_of(self, person: str) -> Iterable[TableState]:
        found = (self.registry.get(code) for code in self.presence.seats.rooms_of(person))
        return [task.room for task in found if task is not None]

    def _game_reviewed(self, game: ReviewedGame) -> None:
        """Tell the players who still look at the result of `game` which turn of theirs lost most."""
        seats = {turn.seat for turn in game.review.turns}
        missed = {seat: SeatReview(missed=turn) for seat in seats if (turn := game.review.missed(seat))}
        self._note_reviews(game.code, game.ended, missed)

    def _note_reviews(self, code: str, ended: str, reviews: dict[Seat, SeatReview]) -> None:
        task = self.registry.get(code)
        if task is not None and task.room.state == "finished" and reviews:
            task.change(lambda table: note_reviews(table, ended, reviews))

    # CommandSink, for links.

    def take(self, link: ServerLink, command: Command | None) -> bool:
        """Serve a command, None for an unreadable one; return False if `link.settled()` will be called later."""
        if command is None:
            link.refuse(None, "malformed")
            return True
        if isinstance(command, Hello):
            self.deals.arrived(link.person)
            return self.login.greet(link, command)
        if link not in self.presence:
            link.refuse(command, "hello-first")
            return True
        too_fast = link.rate_limit.refuses(command)
        if too_fast is not None:
            link.refuse(command, too_fast)
            return True
        if self.moderation.has_refused(link, command):
            return True
        # Settings are not a table's business and don't wait for one.
        place = None if isinstance(command, Prefer) else self.presence.place(link)
        return self.route(link, command) if place is None else place.post(link, command)

    def gone(self, link: ServerLink) -> None:
        """Remove a link that ended."""
        self.table_list.forget(link)
        self.previews.stop(link)
        self._matchmaker.forget(link)
        was_greeted, place = link in self.presence, self.presence.depart(link)
        self.login.forget_seed(link)
        if was_greeted:
            self.login.departed(link.person)
            if place is not None:
                place.forget(link, cut_off=True)
            if not self._closed:
                self.table_list.touch()

    # LobbyPort, for tables.

    def name_of(self, link: ServerLink) -> str:
        """Return the name of the link's person."""
        return self.presence.name_of(link)

    def route(self, link: ServerLink, command: Command) -> bool:
        """Serve a command that isn't for the link's table; return as `take` does."""
        match command:
            case Rename():
                self.login.rename(link, command)
            case Create() | PlayDaily():
                return self._create(link, command)
            case QuickPlay() | PlayOn():
                return self._play(link, command)
            case Join(code=code) | Watch(code=code):
                return self._go_to(link, command, code)
            case Back():
                return self.background.run_for(link, command, self.login.come_back(link, command))
            case _ if isinstance(command, AccountQuery | KeyQuery | DealQuery | Today):
                # Looked up now: they may leave before they are answered.
                name = self.presence.name_of(link)
                return self.background.run_for(link, command, self._answer_account(link, name, command))
            case _ if isinstance(command, QueryCommand):
                return self.background.run_for(link, command, self.queries.answer(link, command))
            case Lesson() | Summary() | Preview() | Review() | TryTurn():
                self._show(link, command)
            case Prefer():
                return self.login.prefer(link, command)
            case Hello():
                return self.login.greet(link, command)
            case _ if isinstance(command, TableCommand | Leave | SaveSelection):
                link.refuse(command, "not-in-room")
            case _:
                assert_never(command)
        return True

    def entered(self, link: ServerLink, code: str) -> None:
        """Move the link to the table `code`, away from where it was."""
        place = self.registry.get(code)
        assert place is not None
        before = self.presence.enter(link, place)
        self.table_list.leave(link)
        self.previews.stop(link)
        self.queries.came(link.person.id, code)
        if before is not None and before is not place:
            before.forget(link, cut_off=False)
            link.leave_room()

    def missed(self, link: ServerLink, room: TableState) -> None:
        """Reserve the seat's name and way back for a link that ended before it entered."""
        self.presence.miss(link.person.id, room)

    def went_home(self, link: ServerLink, left: Left) -> None:
        """Move the link to the lobby."""
        if not link.closed:
            self.presence.enter_lobby(link)
            link.put(left)
            self.table_list.enter(link)

    def changed(self, room: TableState, line: RoomLine) -> None:
        """Tell everyone concerned about a saved change of a table."""
        before = self.table_list.lines.line_of(room.code)
        is_over = line.state == "finished" and (before is None or before.state != "finished")
        persons = self.presence.seated(room.code, room.seating.persons())
        if is_over:
            self._ratings.wake()
            self.missed_news.ended(room)
        if line.state == "playing" and before is not None and before.state == "open":
            self.missed_news.begun(room)
            for person in room.seating.persons() if line.clock == "day" else ():
                if person not in room.attendance.present and self.presence.people.is_here(person):
                    self.background.run(self._tell_missed(person))
        # Bots play round the clock; their games would bury those of people.
        self.table_list.note(line, room.order.open and not room.seating.is_bots_only, persons)
        self.deals.changed(room)
        self.previews.changed(room.code)
        if line.clock != "none":
            self._timekeeper.wake()
        self.login.sat(room.seating.chairs, over=is_over)

    def closed(self, room: TableState) -> None:
        """Remove a table that closed."""
        code = room.code
        loss = self.registry.remove(code)
        if loss is not None:
            self.moderation.evicted(room.seating.persons(), code, loss)
        self.table_list.drop(code, self.presence.seated(code, ()))
        self.previews.changed(code)
        self.queries.closed(code)
        self.missed_news.closed(code)

    async def _answer_account(
        self, link: ServerLink, name: str, command: AccountQuery | KeyQuery | DealQuery | Today
    ) -> None:
        if isinstance(command, DealQuery | Today):
            send_answer(link, command, await self._deal_commands.answer(link, command))
        elif isinstance(command, KeyQuery):
            send_answer(link, command, await self.account_data.keys.answer(link.person, command))
        else:
            send_answer(
                link, command, await self.account_data.answer(link.person, name, command, link.connection)
            )

    def _show(self, link: ServerLink, command: Lesson | Summary | Preview | Review | TryTurn) -> None:
        """Serve a command that changes nothing and that nobody waits for."""
        if isinstance(command, Review | TryTurn):
            self._review_queries.answer(link, command)
        elif isinstance(command, Lesson):
            name = self.presence.name_of(link)
            send_answer(link, command, lesson_view(self.registry.catalog.games, name, command))
        elif isinstance(command, Summary):
            self.table_list.follow(link)
            self._summaries.came()
        elif self.presence.place(link) is None:
            self.previews.show(link, command.code)
        else:
            link.refuse(command, "in-room")

    def _create(self, link: ServerLink, command: Create | PlayDaily) -> bool:
        if isinstance(command, PlayDaily) or self._deal_commands.is_meant(command):
            return self._deal_commands.play(link, command)
        if is_bot_person(link.person.id) and self._matchmaker.is_full:
            link.refuse(command, "too-many-rooms")
            return True
        return self._open_table(link, command, self.registry.catalog.order_of(command))

    def _go_to(self, link: ServerLink, command: Join | Watch, code: str) -> bool:
        if isinstance(command, Join) and self._deal_commands.is_meant(command):
            return self._deal_commands.play(link, command)
        try:
            runner = self.remote_tables.find(code, link.person.id, link.connection)
        except TooManyCodes:
            link.refuse(command, "too-many-codes")
            return True
        if runner is not None:
            return runner.post(link, command)
        send_answer(link, command, self.registry.no_table(code))
        return True

    def _play(self, link: ServerLink, command: QuickPlay | PlayOn) -> bool:
        if isinstance(command, PlayOn):
            return self._play_on(link, command)
        if is_bot_person(link.person.id):
            return self._matchmaker.play(link, command)
        wanted = command.game if command.game in self.registry.catalog.games else ""
        runner = self.registry.first_for_anybody(wanted)
        if runner is not None:
            return runner.post(link, command)
        return self._open_table(link, command, self.registry.catalog.quick_order(wanted, command.bot))

    def _bring_back(self, kept: StoredGame) -> TableTask:
        """Add and begin the table of a stored game. Raises CantRestore and what games raise."""
        runner, line = self.registry.rebuild(kept, self.presence.expect)
        self.changed(runner.room, line)
        self.registry.begin(runner)
        return runner

    def _play_on(self, link: ServerLink, command: PlayOn) -> bool:
        async def open_table() -> None:
            begins = await self._review_queries.continued(link, command)
            # Ended links need no table, and their commands no end.
            if link in self.presence and self._open_table(link, command, *begins):
                link.settled()

        self.background.run(open_table())
        return False

    def _open_paired(
        self, link: ServerLink, command: QuickPlay, create: Create, others: Sequence[ServerLink]
    ) -> bool:
        return self._open_table(link, command, self.registry.catalog.order_of(create), others=others)

    def _open_table(
        self,
        link: ServerLink,
        command: Create | QuickPlay | PlayOn,
        order: Order | Refusal,
        begins: Callable[[TableState], TableState] = lambda room: room,
        others: Sequence[ServerLink] = (),
    ) -> bool:
        if isinstance(order, Refusal):
            send_answer(link, command, order)
            return True
        person, origin = link.person.id, self.moderation.networks_around(link.connection)
        refusal = self.registry.refuses_challenge(order, person)
        if refusal is not None:
            link.refuse(command, refusal.reason, refusal.detail)
            return True
        runner = None
        if not self._closed and self.registry.has_space_for(person, origin):
            runner = self.registry.open(order, person, self.login.redeem_seed(link), origin, begins)
        if runner is None:
            link.refuse(command, "too-many-rooms")
            return True
        # Its opener is the first in the queue and takes seat 0.
        done = runner.post(link, Join(runner.room.code), asked=command)
        for other in others:
            runner.post(other, Join(runner.room.code))
        self.registry.begin(runner)
        return done
