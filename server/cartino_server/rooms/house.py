"""The house: every link, every room, and the way between them.

All of it runs on one event loop, so nothing here needs a lock. A command of a link in a room goes through that
room's queue; what is not the room's business (a name, another table) comes back to `route`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from cartino_protocol.account import Account, DeleteAccount
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
from cartino_protocol.ids import read_code
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, Left, PastGame, RoomLine
from cartino_protocol.wire import WireError, decode_command
from cartino_server.bots.port import Bot
from cartino_server.engine.port import AnyGame, info
from cartino_server.rooms.accounts import not_again
from cartino_server.rooms.afar import Afar
from cartino_server.rooms.archive import Archive, NoSuchGame
from cartino_server.rooms.building import Building
from cartino_server.rooms.census import Census
from cartino_server.rooms.codes import Codes, TooManyCodes
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.enquiries import Enquiries, Enquiry
from cartino_server.rooms.errands import Errands
from cartino_server.rooms.guests import Guests
from cartino_server.rooms.hall import Hall
from cartino_server.rooms.hand import Hand
from cartino_server.rooms.ignoring import Ignoring
from cartino_server.rooms.keyring import Keyring
from cartino_server.rooms.lessons import teach
from cartino_server.rooms.lobby import Lobby
from cartino_server.rooms.minds import Mind, ThreadMind
from cartino_server.rooms.namebook import NameBook
from cartino_server.rooms.naming import Naming
from cartino_server.rooms.opening import Order, order_of, quick_order
from cartino_server.rooms.own_data import OwnData
from cartino_server.rooms.pace import Paces
from cartino_server.rooms.people import Person
from cartino_server.rooms.porter import Porter
from cartino_server.rooms.ports import Ports, unix_time
from cartino_server.rooms.reporting import Reporting
from cartino_server.rooms.restoring import TAKEN, CantRestore, missing_game
from cartino_server.rooms.runner import RoomRunner
from cartino_server.rooms.seat import HouseLink
from cartino_server.rooms.show import room_line
from cartino_server.rooms.sitting import Sitting
from cartino_server.rooms.tallying import Tallier
from cartino_server.rooms.timekeeping import Timekeeper
from cartino_server.store.memory import NoJournal
from cartino_server.store.port import Damaged, Guest, Journal, Kept, Wanted
from cartino_server.store.register.names import KeptName
from cartino_server.store.register.register import Register


class UnknownRoom(KeyError):
    """There is no room with that code, and no game of that name."""


class NoRecord(LookupError):
    """Nothing was dealt in that room yet."""


class House:
    """Where links are opened. Construct it and use it on one running event loop."""

    def __init__(
        self,
        games: Mapping[str, AnyGame],
        bots: Mapping[tuple[str, str], Bot],
        config: HouseConfig | None = None,
        ports: Ports | None = None,
        journal: Journal | None = None,
        mind: Mind | None = None,
        register: Register | None = None,
        names: Iterable[KeptName] = (),
    ) -> None:
        """`games` by name, the first being quick play's; `bots` by the names of their game and their own.

        Without a `journal` nothing outlives the house; without a `mind` bots think in threads; without a `register`
        nothing is known of people, else it keeps these `names`. Whoever made them closes them, after the house.
        """
        self._games = games
        self._bots = bots
        self._config = config or HouseConfig()
        self._ports = ports or Ports()
        self._journal = journal or NoJournal()
        self._mind = mind or ThreadMind(bots)
        self._sitting = Sitting()
        self._guests = Guests(self._journal, self._ports.entropy, self._sitting)
        self._archive = Archive(self._journal, games)
        bots_of = {game: tuple(name for of, name in bots if of == game) for game in games}
        infos = (info(game, bots_of[game.name]) for game in games.values())
        now, authors = lambda: unix_time(self._ports.now()), self._ports.authors
        ignoring, book = Ignoring(authors, register, now), NameBook(names)
        self._hall: Hall[RoomRunner] = Hall(
            infos, self._sitting, self._guests, self._journal, self._ports, ignoring, book, self._config
        )
        self._lobby = Lobby(self._config.lobby_every, self._hall.people.__len__, self._sitting)
        self._hall.is_over = self._lobby.is_over
        self._building = Building(
            games, bots_of, lambda: self._config, self._ports, self._journal, self._mind, self
        )
        self.set_aside: Mapping[str, str] = {}
        """The codes of tables that nobody can go to, with the missing game of each, "" for one that is damaged."""
        self._links: dict[HouseLink, None] = {}
        self._errands = Errands()
        self._naming = Naming(book, register, now)
        self.hand = Hand(self._hall, self._building, self._sitting, self._links.keys())
        """What whoever keeps the house may do in it."""
        self.keyring = Keyring(register, self._sitting, self._ports, self._naming, self.hand)
        """What people ask about their keys."""
        reporting = Reporting(authors, register, now, self.hand.visitor)
        self.paces = Paces(self._config, self._ports.clock, book.has_played)
        """How fast people may say things."""
        self._enquiries = Enquiries(
            self._journal, games, self._archive, self._hall, self.paces, authors, reporting, self.keyring
        )
        self.standing = self._enquiries.standing
        """What is told of people."""
        self.own_data = OwnData(
            self._journal,
            self._archive,
            register,
            self._building,
            self._hall,
            self.hand,
            self._naming,
            self.standing,
            self.keyring,
            self._sitting,
            authors,
            self._ports,
        )
        """What is kept of people, for them to see and delete."""
        self.census = Census(self._hall.people.__len__, self._building)
        """How many are here, and what goes on."""
        self._tallier = Tallier(self._journal, games, self._errands)
        self._porter = Porter(
            self._hall,
            self._lobby,
            self._enquiries,
            self._errands,
            self.paces,
            self.hand,
            self._naming,
        )
        self._codes = Codes(self._building, self.paces.wrong_codes_of, self._is_expected)
        self.afar = Afar(self._codes.find, self._lobby, lambda: self._config, self.paces.of)
        """For those who are not at a table."""
        self._time = Timekeeper(self._journal, self._ports.clock, self._is_clock_running)
        self.afar.refuses, self.afar.origin_of = self.hand.refuses, self._hall.origin_of
        self.afar.no_table = self.no_table
        self._closed = False

    def configure(self, config: HouseConfig) -> None:
        """Go by `config` from now on."""
        self._config = config
        self.paces.configure(config)
        self._hall.configure(config)

    def recover(self, kept: Iterable[Kept]) -> tuple[Damaged, ...]:
        """Open the rooms that the journal has, before anybody comes in; those of which none can be made."""
        damaged = []
        for game in kept:
            try:
                self._open_again(game)
            except CantRestore as error:
                self._lobby.keep(game.code, missing_game(error.sentence), error.persons)
                damaged.append(Damaged(game.game, game.code, error.sentence))
            except Exception as error:
                # One game that the engine chokes on keeps nobody else from theirs.
                damaged.append(Damaged(game.game, game.code, not_again(error)))
        self.set_aside = {**self.set_aside, **{game.code: missing_game(game.why) for game in damaged}}
        self._tallier.wake()
        return tuple(damaged)

    def no_table(self, code: str) -> Refusal:
        """Return why nobody can go to the table `code`, which is not open."""
        missing = self.set_aside.get(read_code(code) or "")
        if missing is None:
            return Refusal("unknown-code", code)
        return Refusal("game-missing", missing) if missing else Refusal("set-aside")

    def open_link(self, person: Person, connection: int = 0) -> HouseLink:
        """A link of `person`, who came by that connection: Hello has to be said first. A closed house ends it."""
        config, pace = self._config, self.paces.of(person.id, connection)
        link = HouseLink(person, self, pace, config.inbox, config.refusals)
        link.connection, link.origin = connection, self.paces.origin_of(connection)
        self._links[link] = None
        if self._closed:
            link.end(Bye("shutdown"))
        elif self.own_data.is_going(person.id):
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
        runner = self._building.get(read_code(name))
        if runner is not None:
            self._codes.find(name, person, connection)
        else:
            self._codes.may_try(person, connection)
        record = None if runner is None else runner.record(person)
        if record is not None:
            return record
        try:
            code = read_code(name)
            return await (self._archive.record(name) if code is None else self._archive.newest(code))
        except NoSuchGame:
            if runner is not None:
                raise NoRecord(name) from None
            self._codes.was_wrong(person, connection)
            raise UnknownRoom(name) from None

    async def past(
        self, person: str, mine: bool = False, name: str = "", before: int = 0, most: int = 50
    ) -> Sequence[PastGame]:
        """The finished games that `person` may see; see `Wanted`."""
        return await self._archive.past(Wanted(person, mine, name, before, most))

    async def pruned(self) -> bool:
        """Return whether finished games were removed, so that lists don't go back to the first one."""
        return await self._archive.pruned()

    def warn(self) -> None:
        """Tell everybody at a table that the house restarts in a moment."""
        for runner in self._building:
            runner.warn()

    async def close(self) -> None:
        """Save the last state of every room, tell everybody that the server goes down, and end all links.

        What waits for a reader can still be read. Whoever cancels this gives up the saving, not the rest.
        """
        self._closed = True
        self._lobby.close()
        try:
            await self._building.stop()
        finally:
            for link in tuple(self._links):
                link.end(Bye("shutdown"))
            await self._errands.stop()
            await self._time.stop()

    # What links ask for (see seat.Desk).

    def take(self, link: HouseLink, frame: bytes) -> bool:
        """See Desk."""
        try:
            command = decode_command(frame)
        except WireError:
            link.refuse(None, "malformed")
            return True
        if isinstance(command, Hello):
            return self._porter.greet(link, command)
        if link not in self._hall:
            link.refuse(command, "hello-first")
            return True
        too_fast = link.pace.refuses(command)
        if too_fast is not None:
            link.refuse(command, too_fast)
            return True
        if self.hand.has_refused(link, command):
            return True
        # What people prefer is no table's affair, and waits for none.
        place = None if isinstance(command, Prefer) else self._hall.place(link)
        return self.route(link, command) if place is None else place.post(link, command)

    def gone(self, link: HouseLink) -> None:
        """See Desk."""
        self._links.pop(link, None)
        self._lobby.leave(link)
        if link not in self._hall:
            return
        place = self._hall.depart(link)
        if place is not None:
            place.forget(link, cut_off=True)
        if not self._closed:
            self._lobby.touch()

    # What rooms ask for (see keeper.Keeper).

    def name_of(self, link: HouseLink) -> str:
        """See Keeper."""
        return self._hall.name_of(link)

    def route(self, link: HouseLink, command: Command) -> bool:
        """See Keeper."""
        match command:
            case Rename():
                self._porter.rename(link, command)
            case Create():
                return self._open_room(link, command, order_of(command, self._games, self._bots))
            case QuickPlay():
                return self._quick_play(link, command)
            case Join(code=code) | Watch(code=code):
                return self._go_to(link, command, code)
            case Back():
                return self._errands.run_for(link, command, self._porter.come_back(link, command))
            case Account() | DeleteAccount():
                return self._errands.run_for(
                    link, command, self._answer_account(link, self._hall.name_of(link), command)
                )
            case _ if isinstance(command, Enquiry):
                return self._errands.run_for(link, command, self._enquiries.answer(link, command))
            case Lesson():
                teach(link, command, self._games, self._hall.name_of(link))
            case Prefer():
                return self._errands.run_for(link, command, self._hall.prefer(link, command))
            case Hello():
                return self._porter.greet(link, command)
            case Leave() | Sit() | Stand() | Start() | Cut() | Act() | Say() | Rematch() | Pause() | Keep():
                link.refuse(command, "not-in-room")
            case _:
                assert_never(command)
        return True

    def entered(self, link: HouseLink, place: RoomRunner) -> None:
        """See Keeper."""
        before = self._hall.enter(link, place)
        self._lobby.leave(link)
        self._enquiries.came(link.person.id, place.room.code)
        if before is not None and before is not place:
            before.forget(link, cut_off=False)
            link.leave_room()

    def missed(self, link: HouseLink, place: RoomRunner) -> None:
        """See Keeper."""
        self._hall.miss(link.person.id, place.room)

    def went_home(self, link: HouseLink, left: Left) -> None:
        """See Keeper."""
        if link.closed:
            return
        self._hall.go_home(link)
        link.put(left)
        self._lobby.enter(link)

    def changed(self, place: RoomRunner, line: RoomLine) -> None:
        """See Keeper."""
        room = place.room
        before = self._lobby.line_of(room.code)
        over = line.state == "finished" and (before is None or before.state != "finished")
        if over:
            self._tallier.wake()
        self._lobby.note(line, room.order.open, self._seated(room.code, room.seating.persons()))
        if line.clock != "none":
            self._time.wake()
        self._naming.sat(room.seating.chairs, self._hall.people.is_free, over=over)
        for chair in room.seating.chairs:
            here = chair.guest and self._hall.people.is_here(chair.person)
            if here and not self._guests.knows(chair.person):
                self._errands.run(self._hall.give_word(Guest(chair.person, chair.name)))

    def closed(self, place: RoomRunner) -> None:
        """See Keeper."""
        code = place.room.code
        self._building.remove(code)
        self._lobby.drop(code, self._seated(code, ()))
        self._hall.closed(code)
        self._enquiries.closed(code)

    def _open_again(self, game: Kept) -> None:
        if self._building.get(game.code) is not None:
            raise CantRestore(TAKEN)
        runner = self._building.rebuild(game)
        line = room_line(runner.room)
        self._building.add(runner)
        self._hall.expect(runner.room)
        self.changed(runner, line)
        self._building.begin(runner)

    async def _answer_account(self, link: HouseLink, name: str, command: Account | DeleteAccount) -> None:
        answer = await self.own_data.answer(link.person, name, command, link.connection)
        if isinstance(answer, Refusal):
            link.refuse(command, answer.reason, answer.detail)
        else:
            link.put(answer)

    def _is_expected(self, person: str, code: str) -> bool:
        """Whether somebody has a seat at the table, or was invited to it."""
        return code in self._sitting.rooms_of(person) or self._hall.cards.sender(person, code) is not None

    def _is_clock_running(self) -> bool:
        return any(runner.room.is_timed for runner in self._building)

    def _seated(self, code: str, persons: tuple[str, ...]) -> tuple[str, ...]:
        """Those who have or had a seat in a room, where `persons` have them now."""
        concerned = self._sitting.note(code, persons)
        for person in concerned:
            self._hall.people.release(person)
        return concerned

    # Tables.

    def _go_to(self, link: HouseLink, command: Join | Watch, code: str) -> bool:
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

    def _quick_play(self, link: HouseLink, command: QuickPlay) -> bool:
        wanted = command.game if command.game in self._games else ""
        runner = self._building.first_for_anybody(wanted)
        if runner is not None:
            return runner.post(link, command)
        return self._open_room(link, command, quick_order(self._games, self._bots, wanted))

    def _open_room(self, link: HouseLink, command: Create | QuickPlay, order: Order | Refusal) -> bool:
        if isinstance(order, Refusal):
            link.refuse(command, order.reason, order.detail)
            return True
        person, origin = link.person.id, self.hand.networks_around(link.connection)
        if self._closed or not self._building.has_space_for(person, origin):
            link.refuse(command, "too-many-rooms")
            return True
        runner = self._building.open(order, person, self._hall.redeem(link), self.set_aside, origin)
        if runner is None:
            link.refuse(command, "too-many-rooms")
            return True
        # Its creator is the first in the queue, and so sits down on seat 0.
        done = runner.post(link, Join(runner.room.code), asked=command)
        self._building.begin(runner)
        return done
