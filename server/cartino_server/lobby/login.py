"""Greet links, rename people, sign guests back in by their resume code, and tell people of their evicted tables."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec
import structlog

from cartino_engine.chance import SEED_BYTES, commitment
from cartino_protocol.commands import Back, Hello, Prefer, Rename
from cartino_protocol.notices import Announced
from cartino_protocol.views import ABSENT, Bye, Missed, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.lobby.background_tasks import BackgroundTasks
from cartino_server.lobby.finished.game_events import MissedNews
from cartino_server.lobby.moderation import Moderation, Overview
from cartino_server.lobby.people.names import mark_of, marked_name, read_name, unmarked
from cartino_server.lobby.people.preferences import SettingsStore
from cartino_server.lobby.people.presence import PresenceRegistry, ResumeCodes
from cartino_server.lobby.queries import Queries
from cartino_server.lobby.table_list import Lobby
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.store.port import Guest, JournalClosed, NotSaved
from cartino_server.table.lifetime import EvictionLoss
from cartino_server.table.link import Person, ServerLink
from cartino_server.table.seating import Chair

MAX_UNTOLD: Final = 1000
"""People remembered for each kind of loss; who has been away longest is forgotten first."""
MAX_TOLD_EACH: Final = 5
"""Tables that one person is told of: the newest."""

_log = structlog.get_logger(__name__)


class EvictedTables:
    """The evicted tables that their people have not heard of yet, by person.

    Lost deals are kept apart, so that opening and leaving a thousand tables doesn't displace a lost game.
    """

    def __init__(self, presence: PresenceRegistry) -> None:
        self._presence = presence
        self._games: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._deals: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def note(self, persons: Iterable[str], code: str, loss: EvictionLoss) -> None:
        """Tell `persons`, who had seats at the evicted table `code`, now or when they return."""
        if loss is EvictionLoss.NOTHING:
            return
        kept = self._deals if loss is EvictionLoss.DEAL else self._games
        for person in persons:
            kept[person] = (*kept.pop(person, ()), code)[-MAX_TOLD_EACH:]
            if len(kept) > MAX_UNTOLD:
                kept.popitem(last=False)
            self.tell(person)

    def tell(self, person: str) -> None:
        """Tell a person who is online what they have not heard of yet, games first."""
        links = self._presence.people.links(person)
        if not links:
            return
        codes = (*self._games.pop(person, ()), *self._deals.pop(person, ()))[:MAX_TOLD_EACH]
        for link in links if codes else ():
            link.put(Announced("lost", ", ".join(codes)))


class Login(msgspec.Struct, frozen=True, eq=False):
    """Greets links, and tells each who it is and what it can play; slow work holds up only its own link."""

    _presence: PresenceRegistry
    _registry: TableRegistry
    _moderation: Moderation
    _overview: Overview
    _evicted: EvictedTables
    _table_list: Lobby
    _queries: Queries
    _background: BackgroundTasks
    _settings: SettingsStore
    _resume_codes: ResumeCodes
    _entropy: Callable[[int], bytes]
    _missed_news: MissedNews
    _seeds: dict[ServerLink, bytes] = msgspec.field(default_factory=dict)
    """The seed of the next table that each link opens."""

    def send_welcome(self, link: ServerLink) -> None:
        """Send the link its Welcome, with the hash of a seed of its own."""
        person = link.person.id
        if link not in self._seeds:
            self._seeds[link] = self._entropy(SEED_BYTES)
        back, elsewhere = self._presence.way_back(link)
        chosen = self._settings.settings_of(person)
        missed, missed_for = self._presence.people.refused_name_of(person)
        link.put(
            Welcome(
                version=VERSION,
                name=self._presence.name_of(link),
                guest=link.person.guest,
                games=self._registry.catalog.infos,
                promise=commitment(self._seeds[link]),
                back=back,
                word=self._resume_codes.word_of(person),
                elsewhere=elsewhere,
                over=self._table_list.lines.is_over(back),
                settings=msgspec.Raw(chosen) if chosen else ABSENT,
                missed=missed,
                missed_for=missed_for,
                chat_length=self._registry.config.chat_length,
            )
        )

    def redeem_seed(self, link: ServerLink) -> bytes:
        """Return the seed promised to the link, and promise it another one."""
        seed = self._seeds.pop(link)
        self.send_welcome(link)
        return seed

    def forget_seed(self, link: ServerLink) -> None:
        """Forget the seed of a link that ended."""
        self._seeds.pop(link, None)

    def greet(self, link: ServerLink, hello: Hello) -> bool:
        """Answer Hello; return False if `link.serve_next()` will be called later."""
        if hello.version != VERSION:
            link.refuse(hello, "version")
            link.end(Bye("version"))
            return True
        link.note_line(hello.line)
        person = link.person
        # A guest is new until they give a resume code.
        if person.guest or (self._settings.knows(person.id) and self._queries.mutes.knows(person.id)):
            self._arrived(link)
            return True
        return self._background.run_for(link, hello, self._load_and_greet(link))

    def rename(self, link: ServerLink, command: Rename) -> None:
        """Rename the link's person, or refuse."""
        guest, person = link.person.guest, link.person.id
        mark = mark_of(person, guest)
        name, fault = read_name(unmarked(command.name) if mark else command.name)
        if fault is None and self._presence.people.is_a_bots(name):
            fault = "house-name"
        if fault is None:
            name = marked_name(name, mark)
        if fault is not None:
            link.refuse(command, fault, name if fault == "house-name" else "")
        elif self._moderation.ban_of_name(name) is not None or not self._presence.people.is_free(
            name, person
        ):
            link.refuse(command, "name-taken", name)
        else:
            if not guest:
                self._presence.people.book.keep(person, name)
            self._moderation.rename(person, name)
            self._send_welcome_to(person)
            self._log_name(link)

    def prefer(self, link: ServerLink, command: Prefer) -> bool:
        """Apply settings; save them, a guest's as long as their resume code is valid. Return as `greet` does."""
        person = link.person
        if not self._settings.choose(person.id, bytes(command.settings)):
            link.refuse(command, "malformed")
            return True
        # Ask for the resume code now: they may hang up before the settings are saved.
        if person.guest and not self._resume_codes.word_of(person.id):
            return True
        settings = self._settings.to_save(person.id)
        return self._background.run_for(link, command, self._save_settings(person.id, settings))

    def come_back(self, link: ServerLink, command: Back) -> bool:
        """Make the link the guest whose resume code was typed; return as `greet` does."""
        return self._background.run_for(link, command, self._come_back(link, command))

    async def _come_back(self, link: ServerLink, command: Back) -> None:
        """Raises NotSaved, JournalClosed."""
        if link not in self._presence:
            # Ended already: the code stays valid.
            return
        if self._presence.place(link) is not None:
            link.refuse(command, "in-room")
            return
        guest = await self._resume_codes.redeem_code(command.word)
        if guest is None:
            link.refuse(command, "bad-word")
            return
        before, person = link.person, Person(guest.person, guest.name, guest=True)
        if not await self._load(link, person):
            return
        self._table_list.leave(link)
        self._presence.become(link, person, self._table_list.lines.is_over)
        self.departed(before)
        self.send_welcome(link)
        self._note_arrival(link)
        if not link.closed:
            self._log_name(link)
            self._enter_lobby(link)

    def store_seated_names(self, chairs: Sequence[Chair], *, over: bool) -> None:
        """Store the names of seated people with keys, and give resume codes to guests; `over`: a game ended."""
        self._presence.people.book.store_seated_names(chairs, self._presence.people.is_free, over=over)
        for chair in chairs:
            here = chair.guest and self._presence.people.is_here(chair.person)
            if here and not self._resume_codes.knows(chair.person):
                self._background.run(self._give_resume_code(Guest(chair.person, chair.name)))

    def departed(self, person: Person) -> None:
        """Unload what is only needed while `person` is online; a guest without a resume code never returns."""
        if self._presence.people.is_here(person.id):
            return
        if person.guest and not self._resume_codes.knows(person.id):
            self._queries.invitations.forget(person.id)
        self._resume_codes.forget(person.id)
        self._unload(person.id)

    async def _load_and_greet(self, link: ServerLink) -> None:
        if not await self._load(link, link.person):
            return
        try:
            news = await self._missed_news.find(link.person.id)
        except (NotSaved, JournalClosed):
            news = Missed()
        if link.closed:
            self._unload_absent(link.person.id)
            return
        self._arrived(link, news)

    async def _load(self, link: ServerLink, person: Person) -> bool:
        """Load settings and mutes of `person`; return whether the link is still open."""
        await self._settings.look_up(person.id)
        await self._queries.mutes.look_up(person)
        if link.closed:
            self._unload_absent(person.id)
        return not link.closed

    def _unload_absent(self, person: str) -> None:
        if not self._presence.people.is_here(person):
            self._unload(person)

    def _unload(self, person: str) -> None:
        self._settings.forget(person)
        self._queries.mutes.forget(person)

    async def _give_resume_code(self, guest: Guest) -> None:
        await self._resume_codes.give(guest)
        self._send_welcome_to(guest.person)
        if self._settings.settings_of(guest.person):
            await self._save_settings(guest.person, self._settings.to_save(guest.person))

    async def _save_settings(self, person: str, settings: bytes) -> None:
        try:
            await self._settings.save(person, settings)
        finally:
            if not self._presence.people.is_here(person):
                self._settings.forget(person)

    def _arrived(self, link: ServerLink, news: Missed = Missed()) -> None:  # noqa: B008 - a frozen value
        person = link.person.id
        if self._moderation.ban_of_name(self._presence.people.book.name_of(person)) is not None:
            # Free the name, so that they can log in by another one.
            self._presence.people.book.forget(person)
        new = self._presence.arrive(link)
        self.send_welcome(link)
        if news != Missed():
            # Before the lists: whoever types ahead may be gone right after them.
            link.put(news)
            self._background.run(self._missed_news.mark_as_read(person, news))
        if unusable := link.take_unusable_key():
            link.put(Announced("guest", unusable))
        if new:
            self._log_name(link)
            self._enter_lobby(link)
            self._table_list.touch()
            self._note_arrival(link)
            self._presence.people.book.use(person)

    def _note_arrival(self, link: ServerLink) -> None:
        """Note a link that was greeted or became another person; end it if the name is banned."""
        self._overview.record_source(link)
        if not self._moderation.end_if_banned(link):
            self._evicted.tell(link.person.id)

    def _send_welcome_to(self, person: str) -> None:
        for link in self._presence.people.links(person):
            self.send_welcome(link)

    def _enter_lobby(self, link: ServerLink) -> None:
        self._queries.tell_ignored(link)
        self._table_list.enter(link)
        self._queries.greet(link)

    def _log_name(self, link: ServerLink) -> None:
        """Log the name of the session's person, which may differ from the one they asked for."""
        if link.session:
            name, asked = self._presence.name_of(link), link.person.name
            log = _log.bind(session=link.session, connection=link.connection, name=name)
            if unmarked(name) != asked:
                log = log.bind(asked=asked)
            log.info("is called")
