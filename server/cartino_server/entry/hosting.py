"""A house in this process, as the door's reception needs it."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import msgspec

from cartino_protocol.account import AccountView
from cartino_protocol.commands import Leaders, Profile
from cartino_protocol.ids import read_game_name
from cartino_protocol.link import BROKEN_OFF
from cartino_protocol.marking import N_, Sentence, later
from cartino_protocol.own_keys import KeysView
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye
from cartino_server.entry import listing, own_account, own_keys, past, people
from cartino_server.entry.errors import REFUSED, CommandError
from cartino_server.entry.reading import read_verb
from cartino_server.entry.shells import Shells, TooFast
from cartino_server.entry.tables import Tables
from cartino_server.entry.verbs import (
    Chat,
    Export,
    Finished,
    Follow,
    Games,
    Go,
    Help,
    Learn,
    Move,
    Open,
    OwnAccount,
    OwnKeys,
    Plain,
    ProfileOf,
    Return,
    Show,
    Top,
    admins_line,
    help_text,
)
from cartino_server.entry.words import Asked
from cartino_server.rooms.codes import TooManyCodes
from cartino_server.rooms.house import House, NoRecord, UnknownRoom
from cartino_server.rooms.names import guests_name, newcomers_name
from cartino_server.rooms.people import Person
from cartino_server.rooms.seat import HouseLink
from cartino_server.ssh.ports import Reply, Visitor
from cartino_server.store.port import JournalDead, NotSaved
from cartino_tui.draw.text import plain
from cartino_tui.driver.charset import ascii_only
from cartino_tui.preferences import Preferences, language_of
from cartino_tui.settings import read_settings
from cartino_tui.tongue import Tongue, tongue_of

Granted = TypeVar("Granted", KeysView, AccountView)

NOT_THERE = N_(
    "There is no table and no finished game {name}; `ssh HOST games` and `ssh HOST games --finished` list them."
)
NO_JOURNAL = N_(
    "The server has lost its journal and ends: whether anything was done is unknown. Ask again a little later."
)


SENT_AWAY = N_("The host has ended your visit.")


class Hosts(Protocol):
    """Answers those who keep the house."""

    def knows(self, visitor: Visitor) -> bool:
        """Whether that is a host."""

    async def answer(self, visitor: Visitor, words: Sequence[str], tongue: Tongue) -> Reply:
        """What `visitor` gets for `words`, host or not. Raises nothing."""


class HouseHost:
    """A `Host` (see there) whose house runs in this process."""

    def __init__(self, house: House, door: str = "") -> None:
        """Host for `house`."""
        self.door = door
        self.admits: Callable[[Visitor], bool] = lambda _: True
        """Whether somebody is still let in: a worker may not know yet that they were sent away."""
        self.hosts: Hosts | None = None
        """Who answers hosts; None where nobody does."""
        self._house = house
        self.shells = Shells(house.paces)
        """How fast may be asked; for a test to replace."""

    def open_link(self, visitor: Visitor) -> HouseLink:
        """See Host."""
        person = Person(visitor.person, visitor.name, visitor.guest, visitor.key)
        link = self._house.open_link(person, visitor.connection)
        link.session = visitor.id
        if not self.admits(visitor):
            link.end(Bye("kicked"))
        return link

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """See Host."""
        try:
            if not self._is_host(visitor):
                await self.shells.ask(visitor)
        except TooFast as error:
            # What they have chosen is looked up for nobody who is not answered.
            said = tongue_of(language_of(visitor.env)).tell(error.sentence)
            return Reply(stderr=f"{said}\n", status=error.code)
        preferences = await self._preferences(visitor)
        reply = await self._reply(visitor, words, preferences.tongue)
        return _in_ascii(reply, tuple(words)) if preferences.ascii else reply

    async def _preferences(self, visitor: Visitor) -> Preferences:
        """What the visitor has chosen, and what their environment says where they have not."""
        preferences = Preferences(language_of(visitor.env), ascii=ascii_only("", visitor.env))
        # A guest who comes for one answer is new.
        if not visitor.guest:
            preferences.settings = read_settings(await self._house.standing.choices(visitor.person))
        return preferences

    async def _reply(self, visitor: Visitor, words: Sequence[str], tongue: Tongue) -> Reply:
        try:
            said = await self._say(visitor, words, tongue)
            return said if isinstance(said, Reply) else Reply(stdout=said)
        except Asked as asked:
            return Reply(stdout=asked.text)
        except CommandError as error:
            return Reply(stderr=f"{tongue.tell(error.sentence)}\n", status=error.code)
        except JournalDead:
            return Reply(stderr=f"{tongue.say(NO_JOURNAL)}\n", status=BROKEN_OFF)

    async def _say(self, visitor: Visitor, words: Sequence[str], tongue: Tongue) -> str | Reply:
        if not self.admits(visitor):
            raise CommandError(Sentence(SENT_AWAY))
        if words[0] == "admin" and self.hosts is not None:
            return await self.hosts.answer(visitor, words[1:], tongue)
        asked = read_verb(words, tongue)
        if not self._is_host(visitor):
            await self.shells.look_up(visitor, asked)
        match asked:
            case Games(json=json, mine=True):
                return self._tables(visitor, tongue).mine(json=json)
            case Games(json=json):
                rooms = self._house.rooms_for(visitor.person)
                return listing.as_json(rooms) if json else listing.as_text(rooms, tongue)
            case Finished() as verb:
                return await self._past(visitor, verb, tongue)
            case (ProfileOf() | Top()) as verb:
                return await self._people(visitor, verb, tongue)
            case (OwnKeys() | OwnAccount()) as verb:
                return await self._own(visitor, verb, tongue)
            case Export(name=name):
                return await self._export(name, visitor)
            case Help():
                return help_text(tongue) + (admins_line(tongue) if self._is_host(visitor) else "")
            case (Show() | Move() | Chat()) as verb:
                return await self._tables(visitor, tongue).answer(verb)
            case Go() | Open() | Return() | Learn() | Plain() | Follow():
                raise CommandError(later("That needs a terminal; use `ssh -t`."))

    def _is_host(self, visitor: Visitor) -> bool:
        return self.hosts is not None and self.hosts.knows(visitor)

    def _tables(self, visitor: Visitor, tongue: Tongue) -> Tables:
        return Tables(self._house.afar, visitor.person, tongue, visitor.connection)

    async def _past(self, visitor: Visitor, verb: Finished, tongue: Tongue) -> str:
        games = await self._house.past(
            visitor.person, mine=verb.mine, name=verb.player, before=verb.before, most=past.MOST
        )
        if verb.json:
            return past.as_json(games)
        return past.as_text(games, tongue, pruned=await self._house.pruned())

    async def _people(self, visitor: Visitor, verb: ProfileOf | Top, tongue: Tongue) -> str:
        standing = self._house.standing
        if isinstance(verb, Top):
            leaders = await standing.leaders(visitor.person, Leaders(verb.game))
            if isinstance(leaders, Refusal):
                raise CommandError(leaders.words())
            return people.leaders_as_json(leaders) if verb.json else people.leaders_as_text(leaders, tongue)
        person = Person(visitor.person, visitor.name, visitor.guest)
        asked = Profile(verb.name, against=verb.against)
        profile = await standing.profile(person, self._called(visitor), asked)
        if isinstance(profile, Refusal):
            raise CommandError(profile.words())
        return people.profile_as_json(profile) if verb.json else people.profile_as_text(profile, tongue)

    def _called(self, visitor: Visitor) -> str:
        """What somebody is called who need not be here, or would be if they came."""
        name = self._house.hand.name_of(visitor.person) or self._house.standing.kept_name(visitor.person)
        asked = newcomers_name(visitor.name)
        return name or (guests_name(asked) if visitor.guest else asked)

    async def _own(self, visitor: Visitor, verb: OwnKeys | OwnAccount, tongue: Tongue) -> str:
        person = Person(visitor.person, visitor.name, visitor.guest, visitor.key)
        try:
            if isinstance(verb, OwnKeys):
                keys = _granted(await self._house.keyring.answer(person, verb.asked))
                return own_keys.as_json(keys) if verb.json else own_keys.as_text(keys, self.door, tongue)
            answer = await self._house.own_data.answer(
                person, self._called(visitor), verb.asked, visitor.connection
            )
            account = _granted(answer)
        except NotSaved:
            raise CommandError(Refusal("not-saved").words()) from None
        return own_account.as_json(account) if verb.json else own_account.as_text(account, tongue)

    async def _export(self, name: str, visitor: Visitor) -> str:
        try:
            return (await self._house.record_of(name, visitor.person, visitor.connection)).decode()
        except TooManyCodes:
            raise CommandError(Refusal("too-many-codes").words(), REFUSED) from None
        except UnknownRoom:
            asked = read_game_name(name)
            gone = self._house.no_table(name if asked is None else asked[0])
            if gone.reason != "unknown-code":
                raise CommandError(gone.words()) from None
            raise CommandError(Sentence(NOT_THERE, {"name": name})) from None
        except NoRecord:
            raise CommandError(
                later("Nothing has been dealt at {name} yet; export it once its game runs.", name=name)
            ) from None


def _granted(answer: Granted | Refusal) -> Granted:
    """The answer. Raises CommandError where it is none."""
    if isinstance(answer, Refusal):
        raise CommandError(answer.words())
    return answer


def _in_ascii(reply: Reply, words: Sequence[str]) -> Reply:
    """The reply in ASCII alone, but for what programs read: that is UTF-8 wherever they run."""
    for_programs = words[:1] == ("export",) or "--json" in words
    return msgspec.structs.replace(
        reply, stdout=reply.stdout if for_programs else _plain(reply.stdout), stderr=_plain(reply.stderr)
    )


def _plain(text: str) -> str:
    return "\n".join(map(plain, text.split("\n")))
