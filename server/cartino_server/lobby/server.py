"""The game server: makes the parts of the lobby and holds them together, from the first table to the last.

Everything runs on one event loop without locks. A link at a table sends its commands through that table's queue.
"""

from collections.abc import Iterable, Mapping

import msgspec

from cartino_protocol.notices import News
from cartino_protocol.views import Bye
from cartino_server.bots.limits import BotGames
from cartino_server.bots.matchmaking import Matchmaker
from cartino_server.deals.answers import DealResults
from cartino_server.deals.attempts import SharedDeals
from cartino_server.deals.serving import DealCommands
from cartino_server.deals.surroundings import Surroundings
from cartino_server.engine.bots import Bot
from cartino_server.engine.port import AnyGame
from cartino_server.limits import ServerConfig
from cartino_server.lobby.account import AccountData
from cartino_server.lobby.background_tasks import BackgroundTasks, RepeatedTask, Timekeeper
from cartino_server.lobby.finished.history import GameHistory
from cartino_server.lobby.finished.ratings import Profiles, RatingJobs
from cartino_server.lobby.finished.result_news import ResultNews
from cartino_server.lobby.finished.reviewing import ReviewQueries
from cartino_server.lobby.login import Login
from cartino_server.lobby.moderation import Moderation
from cartino_server.lobby.people.directory import NameBook, People
from cartino_server.lobby.people.preferences import MuteLists, SettingsStore
from cartino_server.lobby.people.presence import PresenceRegistry, ResumeCodes, SeatIndex
from cartino_server.lobby.queries import Queries
from cartino_server.lobby.rate_limit import RateLimits
from cartino_server.lobby.remote_tables import RemoteTables
from cartino_server.lobby.routing import CommandRouter, LinkQueries
from cartino_server.lobby.summary import MOST_NAMES, Previews, Summaries
from cartino_server.lobby.table_events import TableEvents
from cartino_server.lobby.table_list import Lobby
from cartino_server.lobby.table_opening import TableOpening
from cartino_server.lobby.table_registry import Catalog, Stats, TableRegistry
from cartino_server.metrics.error_summaries import cannot_replay
from cartino_server.review.judging import Reviewer
from cartino_server.review.kept import Reviews
from cartino_server.store.people import PeopleDatabase, StoredName
from cartino_server.store.port import DamagedGame, Journal, StoredGame
from cartino_server.table.bot_executor import BotExecutor, ThreadExecutor
from cartino_server.table.environment import Ports, unix_time
from cartino_server.table.link import Person, ServerLink
from cartino_server.table.restoring import CantRestore, missing_game
from cartino_server.table.task import TableTask


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

        def now() -> int:
            return unix_time(ports.now())

        def name_of(person: str) -> str:
            return self.presence.people.called(person) or book.name_of(person)

        seats, book, settings = SeatIndex(), NameBook(names, now, register), SettingsStore(journal)
        bot_names = [bot for info in catalog.infos for bot in info.bots]
        executor = executor or ThreadExecutor(bots)
        reviewer = Reviewer(executor, bots, config.bot_patience)
        self.presence = PresenceRegistry(People(seats, book, bot_names, ports.entropy), seats)
        self.registry = TableRegistry(catalog, config, ports, journal, executor)
        self.moderation = Moderation(self.presence, self.registry)
        self.bot_games = BotGames(self.registry, self.moderation.origins_of, ports.clock)
        self.rate_limits = RateLimits(config, ports.clock, book.is_known)
        self._table_list = Lobby(
            config.lobby_every,
            self.presence.people.__len__,
            seats,
            lambda: self.presence.people.names_online(MOST_NAMES),
            config.listed_after,
            ports.clock,
        )
        self._previews = Previews(self.registry, lambda: self.registry.config.spectators_every)
        self.deals = SharedDeals(
            Surroundings(
                self.registry,
                games,
                catalog.opponents,
                journal,
                ports,
                reviewer.review,
                catalog.judged,
                self._bring_back,
                name_of,
                self.background.run,
                register,
            )
        )
        self.deal_results = DealResults(self.deals)
        deal_commands = DealCommands(
            self.deals,
            self.deal_results,
            lambda connection: self.moderation.networks_around(connection),  # noqa: PLW0108 - replaced later
            catalog.order_of,
            self.background.run,
        )
        news = ResultNews(
            self.presence,
            self.registry,
            journal,
            self.background,
            self.deals.seal_of,
            lambda: self._ratings.wake(),  # noqa: PLW0108 - made below
            self._review,
        )
        self.missed_news = news.missed
        self.queries = Queries(
            Profiles(journal, games, self.presence.people.person_called, now, reviewer.evaluations()),
            GameHistory(journal, games, self.deals.seal_of),
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
            journal, register, self.moderation, self.queries, book, settings, ports, self.deals.erase
        )
        self.remote_tables = RemoteTables(
            self._table_list,
            self.queries,
            self.moderation,
            self.rate_limits,
            self.missed_news,
            self.deals.is_duplicate,
        )
        self._login = Login(
            self.moderation,
            self._table_list,
            self.queries,
            self.background,
            self.rate_limits,
            book,
            settings,
            ResumeCodes(journal, ports.entropy, seats),
            ports.entropy,
            self.missed_news,
        )
        self._summaries = Summaries(
            self.queries.history,
            self.queries.profiles,
            games,
            lambda: self.registry.config.place,
            ports.now,
            ports.clock,
            self.background,
            self._table_list.summarize,
        )
        self._ratings = RatingJobs(
            journal, games, self.background, self._summaries.wake, news.counted, name_of
        )
        self.reviews = Reviews(journal, games, reviewer, news.reviewed)
        self._reviewing = RepeatedTask(self.background, self.reviews.work)
        review_queries = ReviewQueries(
            self.queries.history, self.reviews, catalog.opponents, self.rate_limits, self.background
        )
        self._opening = TableOpening(
            self.moderation,
            self.remote_tables,
            self._login,
            Matchmaker(
                games,
                catalog.bots_of,
                self.registry,
                lambda *asked: self._opening.open_paired(*asked),  # noqa: PLW0108 - made by this
                journal,
                self.background.run,
                lambda link, room: self.bot_games.refuses(
                    link.person.id, self.moderation.networks_around(link.connection), room
                ),
            ),
            deal_commands,
            review_queries,
            self.background,
            self.bot_games,
        )
        self._router = CommandRouter(
            self.moderation,
            self._login,
            self._opening,
            LinkQueries(
                self.moderation,
                self.background,
                self.queries,
                self.account_data,
                deal_commands,
                review_queries,
                self._table_list,
                self._summaries,
                self._previews,
            ),
        )
        timekeeper = Timekeeper(
            journal,
            ports.clock,
            lambda: any(runner.room.is_timed for runner in self.registry),
            self.background,
        )
        self.registry.lobby = TableEvents(
            self.moderation,
            self._table_list,
            self._previews,
            self.queries,
            self._login,
            news,
            self.deals,
            timekeeper,
            self.bot_games,
            self._router.route,
        )

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
                self._login.send_welcome(link)

    def recover(self, kept: Iterable[StoredGame]) -> tuple[DamagedGame, ...]:
        """Restore the journal's tables before anyone logs in; return those that can't be restored."""
        damaged = []
        for game in kept:
            try:
                self._bring_back(game)
            except CantRestore as error:
                self._table_list.lines.keep(game.code, missing_game(error.sentence), error.persons)
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
        name = self.moderation.name_to_ask_for(person.id, person.name, connection)
        person = msgspec.structs.replace(person, name=name)
        link = ServerLink(person, self._router, pace, config.inbox, config.refusals)
        link.connection, link.origin = connection, self.rate_limits.origin_of(connection)
        self.presence.links[link] = None
        if not self.registry.is_open:
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
        self._table_list.close()
        self._previews.close()
        try:
            await self.registry.stop()
        finally:
            for link in tuple(self.presence.links):
                link.end(Bye("shutdown"))
            await self.background.stop()

    def _bring_back(self, kept: StoredGame) -> TableTask:
        """Add and begin the table of a stored game. Raises CantRestore and what games raise."""
        return self.registry.bring_back(kept, self.presence.expect)

    def _review(self, number: int) -> None:
        """Have the game of that number reviewed in the background."""
        self.reviews.add(number)
        self._reviewing.wake()
