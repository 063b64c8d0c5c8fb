"""What a server is made of, and how its parts are wired: each gets those it needs, made before it.

There is one circle: a table tells the lobby what happens to it (`TableEvents`), and the lobby opens tables. So the
registry asks for the `TableEvents` when it opens a table.
"""

from collections.abc import Iterable, Mapping

import msgspec

from cartino_engine.bots import Bot
from cartino_engine.port import AnyGame
from cartino_server.bots.matchmaking import BotGames, Matchmaker
from cartino_server.deals.attempts import SharedDeals
from cartino_server.deals.serving import DealCommands, DealResults
from cartino_server.deals.surroundings import Surroundings
from cartino_server.environment import Ports, unix_time
from cartino_server.limits import ServerConfig
from cartino_server.lobby.account import AccountData, KeyManager
from cartino_server.lobby.background_tasks import BackgroundTasks, RepeatedTask, Timekeeper
from cartino_server.lobby.finished.game_events import GameEvents, MissedNews, ResultNews, ResultNotes
from cartino_server.lobby.finished.history import GameHistory
from cartino_server.lobby.finished.ratings import Profiles, RatingJobs
from cartino_server.lobby.finished.reviewing import ReviewQueries
from cartino_server.lobby.login import EvictedTables, Login
from cartino_server.lobby.moderation import Moderation, Overview
from cartino_server.lobby.people.connections import Connections
from cartino_server.lobby.people.directory import NameBook, People
from cartino_server.lobby.people.preferences import MuteLists, SettingsStore
from cartino_server.lobby.people.presence import PresenceRegistry, ResumeCodes, SeatIndex
from cartino_server.lobby.queries import Queries
from cartino_server.lobby.rate_limit import RateLimits
from cartino_server.lobby.remote_tables import RemoteTables
from cartino_server.lobby.routing import CommandRouter, LinkQueries, TableOpener, TableOpening
from cartino_server.lobby.table_events import TableEvents
from cartino_server.lobby.table_list import MOST_NAMES, Lobby, Previews, Summaries
from cartino_server.lobby.table_registry import Catalog, TableRegistry
from cartino_server.review.judging import Reviewer, Reviews
from cartino_server.store.journal import Journal, MemoryJournal
from cartino_server.store.moderation import BanList
from cartino_server.store.people import PeopleDatabase, StoredName
from cartino_server.table.bot_executor import BotExecutor, ThreadExecutor
from cartino_server.table.link import ServerLink
from cartino_server.table.task import LobbyPort


class Services(msgspec.Struct, frozen=True):
    """The parts of a server that others use, in the order in which they are made."""

    background: BackgroundTasks
    connections: Connections
    presence: PresenceRegistry
    rate_limits: RateLimits
    registry: TableRegistry
    overview: Overview
    table_list: Lobby
    previews: Previews
    bot_games: BotGames
    deals: SharedDeals
    deal_results: DealResults
    missed_news: MissedNews
    queries: Queries
    moderation: Moderation
    account_data: AccountData
    remote_tables: RemoteTables
    login: Login
    summaries: Summaries
    reviews: Reviews
    reviewing: RepeatedTask
    ratings: RatingJobs
    router: CommandRouter


class ServerParts(msgspec.Struct, eq=False):
    """What a server is given: the `games` by name, and the `bots` by game and name.

    Without `journal` and `people_db` nothing outlives the process; without `executor` bots run in threads. Their
    creator closes them, after the server. `names` and `bans` are those in `people_db`.
    """

    games: Mapping[str, AnyGame]
    bots: Mapping[tuple[str, str], Bot]
    config: ServerConfig = ServerConfig()
    ports: Ports = msgspec.field(default_factory=Ports)
    journal: Journal = msgspec.field(default_factory=MemoryJournal)
    executor: BotExecutor | None = None
    people_db: PeopleDatabase | None = None
    names: Iterable[StoredName] = ()
    bans: BanList | None = None
    connections: Connections = msgspec.field(default_factory=Connections)


def build_services(parts: ServerParts) -> Services:
    """Make the parts of a server from those that it is given."""
    games, bots, config, ports, journal = parts.games, parts.bots, parts.config, parts.ports, parts.journal
    people_db, connections = parts.people_db, parts.connections
    executor = parts.executor or ThreadExecutor(bots)

    def now() -> int:
        return unix_time(ports.now())

    def lobby() -> LobbyPort:
        return table_events

    # People and tables.
    background = BackgroundTasks()
    catalog = Catalog(games, bots)
    reviewer = Reviewer(executor, bots, config.bot_time_limit)
    seats, settings = SeatIndex(), SettingsStore(journal)
    book = NameBook(parts.names, now, people_db)
    people: People[ServerLink] = People(
        seats, book, [bot for info in catalog.infos for bot in info.bots], ports.entropy
    )
    presence = PresenceRegistry(people, seats, connections)
    rate_limits = RateLimits(config, ports.clock, book.is_known, connections.network_of)
    registry = TableRegistry(catalog, config, ports, journal, executor, presence.expect, lobby)
    overview = Overview(presence, registry, connections)
    evicted = EvictedTables(presence)
    bot_games = BotGames(registry, presence.origins_of, connections.networks_around, ports.clock)
    timekeeper = Timekeeper(journal, ports.clock, registry.has_clocks, background)

    # The list of tables.
    table_list = Lobby(
        config.lobby_every,
        people.__len__,
        seats,
        lambda: people.names_online(MOST_NAMES),
        config.listed_after,
        ports.clock,
    )
    previews = Previews(registry, lambda: registry.config.spectators_every)

    # Shared deals.
    around_deals = Surroundings(
        registry,
        games,
        catalog.opponents,
        journal,
        ports,
        reviewer.review,
        catalog.judged,
        people.known_name,
        background.run,
        people_db,
    )
    deals = SharedDeals(around_deals)
    deal_results = DealResults(deals, around_deals)
    deal_commands = DealCommands(
        deals, deal_results, connections.networks_around, catalog.order_of, background.run
    )

    # Finished games.
    history = GameHistory(journal, games, deals.seal_of)
    profiles = Profiles(journal, games, people.person_called, now, reviewer.evaluations())
    missed = MissedNews(journal, lambda person: registry.tables_of(seats.tables_of(person)))
    notes = ResultNotes(registry)
    reviews = Reviews(journal, games, reviewer, notes.note_review)
    reviewing = RepeatedTask(background, reviews.work)
    review_queries = ReviewQueries(history, reviews, catalog.opponents, rate_limits, background)
    summaries = Summaries(
        history, profiles, games, lambda: registry.config.place, ports, background, table_list.summarize
    )
    news = ResultNews(presence, background, missed, notes, deals.seal_of, reviews, reviewing)
    ratings = RatingJobs(journal, games, background, summaries.wake, news.counted, people.known_name)
    game_events = GameEvents(presence, background, missed, news, ratings, bot_games, deals, timekeeper)

    # What people ask for and what admins do.
    mutes = MuteLists(ports.authors, people_db, now)
    queries = Queries(
        profiles, history, mutes, presence, overview.visitors, catalog, rate_limits, ports, people_db
    )
    moderation = Moderation(
        presence,
        registry,
        overview.visitors,
        connections,
        parts.bans,
        lambda person, name: background.run(journal.renamed(person, name)),
    )
    keys = KeyManager(people_db, ports, presence, moderation, queries, connections.key_moved)
    account_data = AccountData(
        journal,
        people_db,
        keys,
        presence,
        registry,
        moderation,
        overview.visitors,
        queries,
        settings,
        ports,
        deals.erase,
    )
    remote_tables = RemoteTables(
        presence, registry, moderation, table_list, queries, rate_limits, missed, deals.is_duplicate
    )

    # The way of a link and its commands.
    login = Login(
        presence,
        registry,
        moderation,
        overview,
        evicted,
        table_list,
        queries,
        background,
        settings,
        ResumeCodes(journal, ports.entropy, seats),
        ports.entropy,
        missed,
    )
    opener = TableOpener(registry, connections, login.redeem_seed)
    matchmaker = Matchmaker(
        games,
        catalog.bots_of,
        registry,
        opener.open_paired,
        journal,
        background.run,
        lambda link, table: bot_games.refuses(link.person.id, link.connection, table),
    )
    opening = TableOpening(
        presence,
        registry,
        remote_tables,
        opener,
        matchmaker,
        deal_commands,
        review_queries,
        background,
        bot_games,
    )
    link_queries = LinkQueries(
        presence,
        registry,
        background,
        queries,
        account_data,
        deal_commands,
        review_queries,
        table_list,
        summaries,
        previews,
    )
    router = CommandRouter(presence, moderation, login, opening, link_queries)
    table_events = TableEvents(
        presence, registry, evicted, table_list, previews, queries, login, game_events, router.route
    )
    return Services(
        background,
        connections,
        presence,
        rate_limits,
        registry,
        overview,
        table_list,
        previews,
        bot_games,
        deals,
        deal_results,
        missed,
        queries,
        moderation,
        account_data,
        remote_tables,
        login,
        summaries,
        reviews,
        reviewing,
        ratings,
        router,
    )
