"""Checks that a game keeps what its ports promise: what `cartino check-game NAME` and a game's own tests run.

A check plays games move by move, as seeded dice have it, and returns what it found. It raises nothing: what the game
raises is a problem, too.
"""

import inspect
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from itertools import combinations, islice, pairwise, product
from pathlib import Path
from random import Random
from traceback import extract_tb
from typing import Any, Final

import msgspec

from cartino_games.kit.declared.game import DeclaredGame
from cartino_games.package import GamePackage
from cartino_protocol.ids import Audience, Seat
from cartino_protocol.records import FORMAT, EndLine, GameLine, RecordLine, write_lines
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ResultView, RoomView, SeatView
from cartino_protocol.wire import MOST_COMMAND_BYTES, MOST_VIEW_BYTES, encode, raw
from cartino_server.engine.chance import SEED_BYTES, Chance, SeedChance, commitment
from cartino_server.engine.port import AnyGame, Step
from cartino_server.engine.replay import RecordError, read_record, replay, verify
from cartino_tui.draw.canvas import Frame
from cartino_tui.draw.theme import theme_of
from cartino_tui.games.reading import whole
from cartino_tui.games.screen import Around, Look
from cartino_tui.tongue import ENGLISH

MOST_MOVES: Final = 5000
"""A game of more moves than that, played by dice, is taken to have no end."""
MOST_MILLISECONDS: Final = 50.0
"""A move with all its views may take so long on average: while it does, no other table of the server goes on."""
BROADCAST_BYTES: Final = 1024
"""A spectators' view that is larger is told: it goes to each of them after every move."""
SIZES: Final = ((60, 20), (80, 24), (100, 30), (120, 40), (200, 60))
"""Terminals, in columns and rows."""
_KEYS: Final = ("up", "down", "left", "right", "1", "2", "9", "tab", "enter", "escape", "backspace", "x", "é")
_NAMES: Final = ("Ann", "Bob", "Cem", "Dee", "Eve", "Fay", "Gil", "Hua", "Ida", "Jon")
_KINDS: Final = 12
"""Sets of options that are played."""
_SAMPLE: Final = 12
"""States of a game that are looked at closely."""
_SWAPS: Final = 120
_FEW: Final = 3
"""Problems of a kind that are told."""


class Check(msgspec.Struct, frozen=True):
    """What a check found: its name, its `problems` (none where all is well), and a `note` with what it measured."""

    name: str
    problems: tuple[str, ...] = ()
    note: str = ""


class Played(msgspec.Struct, frozen=True):
    """A game played by dice: `states` from the deal to the end, the `moves` between them, and the lines of each."""

    options: dict[str, str]
    names: tuple[str, ...]
    seed: bytes
    states: list[Any]
    moves: list[tuple[Seat, Any]]
    lines: list[tuple[RecordLine, ...]]

    def record(self, game: AnyGame) -> bytes:
        """Return the whole record. Raises ValueError where the game has not ended."""
        result = game.result(self.states[-1])
        if result is None:
            raise ValueError("no seat is on turn, but there is no result")
        cuts = ("",) * len(self.names)
        promise = commitment(self.seed)
        head = GameLine(FORMAT, game.name, self.options, self.names, promise, cuts, "2000-01-01T00:00:00Z")
        end = EndLine(result.totals, result.winners, result.reason, self.seed.hex(), "2000-01-01T00:00:00Z")
        return write_lines([head, *(line for lines in self.lines for line in lines), end])

    def sample(self, most: int = _SAMPLE) -> Sequence[int]:
        """Return numbers of states spread over the game, the first and the last among them."""
        last = len(self.states) - 1
        return sorted({round(last * step / most) for step in range(most + 1)})


def check_game(package: GamePackage, only: Collection[str] = ()) -> Iterator[Check]:
    """Yield the checks of `package`, each as it is done: all, or `only` those of these names."""
    trial = Trial(package)
    for name, look in (
        ("play to the end", trial.play),
        ("moves", trial.moves),
        ("records", trial.records),
        ("secrecy", trial.secrecy),
        ("views", trial.views),
        ("screens", trial.screens),
        ("plain mode", trial.plain),
        ("bots", trial.bots),
        ("golden games", trial.golden),
        ("time a move", trial.pace),
    ):
        if not only or name in only:
            yield _checked(name, look)


def _checked(name: str, look: "Callable[[], Iterator[str] | Check]") -> Check:
    """Run a check: whatever the game raises in it is a problem."""
    try:
        found = look()
        return found if isinstance(found, Check) else Check(name, tuple(islice(found, _FEW)))
    except Exception as error:
        place = extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        return Check(name, (f"raised {type(error).__name__}: {str(error)[:200]} ({where})",))


class Trial:
    """The checks of one game. They share the games that were played."""

    def __init__(self, package: GamePackage) -> None:
        """Check `package`."""
        self._package = package
        self._game = package.rules

    @cached_property
    def _played(self) -> Sequence[Played]:
        """A game of every kind and number of seats; of many kinds, a choice."""
        least, most = self._game.seats
        return [
            play(self._game, options, seats, Random(f"{seats}/{sorted(options.items())}"))
            for options in kinds(self._game)
            for seats in range(least, most + 1)
        ]

    def play(self) -> Check:
        """Random play to the end, for every option and number of seats: totals and result belong together."""
        return Check("play to the end", tuple(islice(self._ends(), _FEW)), self._counted())

    def _counted(self) -> str:
        moves = sorted(len(played.moves) for played in self._played)
        return f"{len(moves)} games of {moves[0]} to {moves[-1]} moves"

    def _ends(self) -> Iterator[str]:
        game = self._game
        for played in self._played:
            here = f"{len(played.names)} seats, {played.options}"
            state, seats = played.states[-1], range(len(played.names))
            if len(played.moves) >= MOST_MOVES:
                yield f"{here}: no end after {MOST_MOVES} moves"
                continue
            result = game.result(state)
            if result is None:
                yield f"{here}: no seat is on turn, but there is no result"
                continue
            if tuple(result.totals) != tuple(game.totals(state)) or len(result.totals) != len(seats):
                yield f"{here}: the result's totals are {result.totals}, the table's {game.totals(state)}"
            if not result.winners or not set(result.winners) <= set(seats):
                yield f"{here}: the winners are the seats {result.winners}"
            if result.reason not in game.endings:
                yield f"{here}: the reason {result.reason!r} is not in `endings`"
            if any(game.result(each) is not None for each in played.states[:-1]):
                yield f"{here}: there is a result before the last move"
            if any(True for seat in seats for _ in game.legal(state, seat)):
                yield f"{here}: there are legal moves after the end"
            counts = [game.turns(each) for each in played.states]
            if any(after < before for before, after in pairwise(counts)):
                yield f"{here}: `turns` goes down"

    def moves(self) -> Iterator[str]:
        """Legal moves apply and others are refused, neither changes the state, and no bytes do harm."""
        game, dice = self._game, Random(1)
        for played in self._played:
            seats = range(len(played.names))
            for at in played.sample():
                state = played.states[at]
                before = [encode(game.view(state, seat)) for seat in (*seats, None)]
                for seat in seats:
                    yield from self._tried(state, seat, dice)
                if before != [encode(game.view(state, seat)) for seat in (*seats, None)]:
                    yield f"move {at}: judging moves has changed the state"

    def _tried(self, state: Any, seat: Seat, dice: Random) -> Iterator[str]:
        game = self._game
        on_turn, may = seat in game.on_turn(state), seat in game.may_act(state)
        legal = list(islice(game.legal(state, seat), 20))
        if on_turn and not legal:
            yield f"seat {seat} is on turn and has no legal move"
        if on_turn and not may:
            yield f"seat {seat} is on turn, but not among those that may act"
        words = [str(msgspec.to_builtins(move)).casefold() for move in legal]
        if len(set(words)) < len(words):
            yield f"seat {seat} has a legal move twice, or two that differ in their case alone"
        for move in legal:
            frame = encode(move)
            first, again = game.apply(state, seat, move), game.apply(state, seat, move)
            if isinstance(first, Refusal) or isinstance(again, Refusal):
                yield f"the legal move {msgspec.to_builtins(move)} of seat {seat} is refused"
            elif first.lines != again.lines:
                yield f"the move {msgspec.to_builtins(move)} leads to other lines the second time"
            if game.check(state, seat, move) is not None:
                yield f"`check` refuses the legal move {msgspec.to_builtins(move)}"
            if game.read_move(frame) != move or len(frame) > MOST_COMMAND_BYTES:
                yield f"the move {msgspec.to_builtins(move)} is another one off the wire"
            yield from self._thrown(state, seat, _spoilt(frame, dice))
        if not may:
            others = (move for other in game.on_turn(state) for move in islice(game.legal(state, other), 5))
            if any(isinstance(game.apply(state, seat, move), Step) for move in others):
                yield f"seat {seat} moves without being on turn"
        yield from self._thrown(state, seat, dice.randbytes(12))

    def _thrown(self, state: Any, seat: Seat, frame: bytes) -> Iterator[str]:
        """Bytes that anybody may send: no move, or one that is judged like any other."""
        game = self._game
        try:
            move = game.read_move(frame)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return
        refused = isinstance(game.apply(state, seat, move), Refusal)
        if refused != (game.check(state, seat, move) is not None):
            yield f"`check` and `apply` disagree on {msgspec.to_builtins(move)}"

    def records(self) -> Iterator[str]:
        """A record is written, read, replayed without its seed to the same tables, and verified; a wrong one is not."""
        game = self._game
        for played in self._played:
            data = played.record(game)
            record = read_record(data, {game.name: game})
            verify(record)
            after = [moment.state for moment in replay(record)]
            if len(after) != len(played.states):
                yield f"the replay has {len(after)} states, the game had {len(played.states)}"
                continue
            for at in played.sample():
                if self._all_views(after[at]) != self._all_views(played.states[at]):
                    yield f"after move {at} the replay shows another table"
            end = msgspec.structs.replace(
                record.lines[-1], totals=tuple(total + 1 for total in game.totals(played.states[-1]))
            )
            wrong = msgspec.structs.replace(record, lines=(*record.lines[:-1], end))
            try:
                verify(wrong)
            except RecordError:
                continue
            yield "a record with wrong totals is verified"

    def _all_views(self, state: Any) -> Sequence[bytes]:
        least, _ = self._game.seats
        return [encode(self._game.view(state, seat)) for seat in (None, *range(least))]

    def secrecy(self) -> Check:
        """Twin games, which differ in cards that somebody may not see: what they are shown does not tell which."""
        found = [_Twins(self._game, played) for played in self._played[: self._game.seats[1]]]
        problems = tuple(islice((each for twins in found for each in twins.problems()), _FEW))
        return Check("secrecy", problems, f"{sum(twins.hidden for twins in found)} twins")

    def views(self) -> Check:
        """Every view fits into a frame."""
        game, largest, shown = self._game, 0, 0
        for played in self._played:
            for state in played.states:
                shown = max(shown, len(encode(game.view(state, None))))
                largest = max(
                    largest, *(len(encode(game.view(state, seat))) for seat in game.on_turn(state)), shown
                )
        problems = (f"a view has {largest} bytes, at most {MOST_VIEW_BYTES} fit",)
        note = f"at most {largest} bytes, {shown} for spectators"
        warning = f"; more than {BROADCAST_BYTES} is slow to spread" if shown > BROADCAST_BYTES else ""
        return Check("views", problems if largest > MOST_VIEW_BYTES else (), note + warning)

    def screens(self) -> Iterator[str]:
        """The table is drawn at every size, with all characters and in ASCII, and takes any key and click."""
        screen = self._package.screen
        known = set(theme_of("dark", roles=screen.roles).styles)
        for played in (self._played[0], self._played[-1]):
            for at, (width, height), ascii in product(played.sample(4), SIZES, (False, True)):
                for you in (0, None):
                    room = self._room(played, at, you)
                    view, look = screen.read(room.table), Look(width, height, ascii=ascii)
                    pointer = screen.follow(room, view, screen.fresh())
                    yield from _drawn(screen.draw(room, view, pointer, look, Around("Table")), look, known)
                    for key in _KEYS:
                        pointer = screen.key(room, view, pointer, key, look).pointer
                        if look.width == SIZES[0][0]:
                            yield from _drawn(
                                screen.draw(room, view, pointer, look, Around("Table")), look, known
                            )
                    for x, y in product(range(0, width, 7), range(0, height, 2)):
                        pointer = screen.click(room, view, pointer, look, x, y).pointer
                    screen.recall(room, view, pointer, msgspec.Raw(screen.memo(pointer) or b"\xc0"))
                    screen.advice(room, view, look)
                    screen.why(room, view, pointer, look, 0)

    def plain(self) -> Iterator[str]:
        """A whole game in sentences and JSON, each move made by the word that plain mode and the command line take."""
        speech, game = self._package.speech, self._game
        for played in (self._played[0], self._played[-1]):
            before = speech.read(self._room(played, 0, 0).table)
            for at, state in enumerate(played.states):
                seat = next(iter(game.on_turn(state)), 0)
                for you in (seat, None):
                    room = self._room(played, at, you)
                    view = speech.read(room.table)
                    msgspec.json.encode(whole(view))
                    said = [
                        *speech.standing(room, view, ENGLISH),
                        *speech.happened(room, before, view, ENGLISH),
                    ]
                    said += [*speech.scores(room, view, ENGLISH), *speech.own(view, ENGLISH)]
                    said += [*speech.arrived(room, view, ENGLISH), speech.told(room, view, ENGLISH)]
                    for text in ("1", "0", "board", "nonsense"):
                        said += speech.enter(room, view, speech.fresh(), text, ENGLISH).lines
                    if any("\n" in line or "\x1b" in line for line in said):
                        yield f"move {at}: a line is not one line of text"
                    if any(len(line) > 80 or not line.isascii() for line in speech.picture(view, ENGLISH)):
                        yield f"move {at}: the picture is wider than 80 columns, or not in ASCII"
                    for word, _ in islice(speech.legal(view), 5) if you is not None else ():
                        move = speech.move(word, view)
                        if move is None or game.check(state, seat, game.read_move(encode(move))) is not None:
                            yield f"move {at}: the word {word!r} makes no legal move"
                if game.on_turn(state) and not speech.legal(speech.read(raw(game.view(state, seat)))):
                    yield f"move {at}: no word for what seat {seat} can do"
                before = speech.read(self._room(played, at, None).table)

    def bots(self) -> Check:
        """Every bot plays a game to its end."""
        names = [bot.name for bot in self._package.bots]
        if not names:
            return Check("bots", ("there is no bot, and one has to play on for people who are away",))
        return Check("bots", tuple(islice(self._bots(), _FEW)), ", ".join(names))

    def _bots(self) -> Iterator[str]:
        game, seats = self._game, self._game.seats[0]
        for bot in self._package.bots:
            dice = Random(bot.name)
            state = game.start(*_table(game, seats), _chance(dice.randbytes(SEED_BYTES), seats)).state
            for _ in range(MOST_MOVES):
                turn = game.on_turn(state)
                if not turn:
                    break
                move = bot.choose(encode(game.view(state, turn[0])), dice)
                step = None if move is None else game.apply(state, turn[0], game.read_move(encode(move)))
                if not isinstance(step, Step):
                    yield f"the bot {bot.name} makes no legal move"
                    break
                state = step.state

    def golden(self) -> Check:
        """The games in `golden/` beside the rules are still verified, line by line."""
        folder = Path(inspect.getfile(type(self._game))).parent / "golden"
        files = sorted(folder.glob("*.jsonl"))
        problems = []
        for file in files:
            try:
                verify(read_record(file.read_bytes(), {self._game.name: self._game}))
            except RecordError as error:
                problems.append(f"{file.name}: {error}")
        return Check("golden games", tuple(problems[:_FEW]), f"{len(files)} games")

    def pace(self) -> Check:
        """A move, with the views that it leads to, leaves the other tables their time."""
        game, played = self._game, max(self._played, key=lambda each: len(each.names))
        begun, made = time.perf_counter(), 0
        for state, (seat, move) in islice(zip(played.states, played.moves, strict=False), 200):
            step = game.apply(state, seat, move)
            if isinstance(step, Step):
                for audience in (None, *range(len(played.names))):
                    encode(game.view(step.state, audience))
            made += 1
        took = 1000 * (time.perf_counter() - begun) / max(made, 1)
        slow = (f"a move takes {took:.1f} ms, at most {MOST_MILLISECONDS:.0f} ms leave others their time",)
        return Check("time a move", slow if took > MOST_MILLISECONDS else (), f"{took:.2f} ms with its views")

    def _room(self, played: Played, at: int, you: Audience) -> RoomView:
        """The table after `at` moves as `you` see it."""
        game, state = self._game, played.states[at]
        result = game.result(state)
        return RoomView(
            code="K7QP",
            game=game.name,
            options=played.options,
            state="playing" if result is None else "finished",
            number=at,
            seats=tuple(SeatView(name, "human") for name in played.names),
            owner=0,
            you=you,
            spectators=0,
            commitment=commitment(played.seed),
            turn=game.on_turn(state),
            table=raw(game.view(state, you)),
            result=None if result is None else ResultView(result.totals, result.winners, result.reason),
            seed="" if result is None else played.seed.hex(),
        )


def kinds(game: AnyGame) -> Sequence[dict[str, str]]:
    """Return the sets of options to play: all of them if they are few, else each choice once."""
    names = [option.name for option in game.options]
    sets = [
        dict(zip(names, some, strict=True)) for some in product(*(option.choices for option in game.options))
    ]
    if len(sets) <= _KINDS:
        return sets
    usual = {option.name: option.default for option in game.options}
    return [
        usual,
        *(
            {**usual, each.name: value}
            for each in game.options
            for value in each.choices
            if value != each.default
        ),
    ]


def play(game: AnyGame, options: dict[str, str], seats: int, dice: Random) -> Played:
    """Play a game as the dice have it; one that has no end stops after `MOST_MOVES`."""
    seed = dice.randbytes(SEED_BYTES)
    options_read, names = _table(game, seats, options)
    step = game.start(options_read, names, _chance(seed, seats))
    played = Played(options_read, names, seed, [step.state], [], [step.lines])
    while (turn := game.on_turn(played.states[-1])) and len(played.moves) < MOST_MOVES:
        state = played.states[-1]
        aside = [seat for seat in game.may_act(state) if seat not in turn]
        seat = dice.choice(aside) if aside and dice.random() < 0.1 else dice.choice(turn)
        moves = list(islice(game.legal(state, seat), 200))
        if not moves:
            seat = turn[0]
            moves = list(islice(game.legal(state, seat), 200))
        move = dice.choice(moves)
        after = game.apply(state, seat, move)
        if isinstance(after, Refusal):
            raise ValueError(f"the legal move {msgspec.to_builtins(move)} is refused")
        played.states.append(after.state)
        played.moves.append((seat, move))
        played.lines.append(after.lines)
    return played


def _table(
    game: AnyGame, seats: int, options: dict[str, str] | None = None
) -> tuple[dict[str, str], tuple[str, ...]]:
    read = game.read_options(options or {})
    if isinstance(read, Refusal):
        raise ValueError(f"the options {options} are refused")
    return read, _NAMES[:seats]


def _chance(seed: bytes, seats: int) -> Chance:
    return SeedChance(seed, ("",) * seats)


def _spoilt(frame: bytes, dice: Random) -> bytes:
    at = dice.randrange(len(frame))
    return frame[:at] + bytes([frame[at] ^ (1 << dice.randrange(8))]) + frame[at + 1 :]


def _drawn(frame: Frame, look: Look, known: set[str]) -> Iterator[str]:
    rows = ["".join(text for text, _ in row) for row in frame.rows]
    size = f"{look.width}x{look.height}"
    if len(rows) != look.height or any(len(row) != look.width for row in rows):
        yield f"the table at {size} is not as large as that"
    if look.ascii and not all(row.isascii() for row in rows):
        yield f"the table at {size} is not in ASCII alone"
    unknown = {role for row in frame.rows for _, role in row} - known
    if unknown:
        yield f"the table at {size} is drawn in roles that no set has: {sorted(unknown)}"


class _Swapped:
    """A chance in which two things of one deal have changed places."""

    def __init__(self, chance: Chance, deal: int | None, places: Sequence[int]) -> None:
        self._chance = chance
        self._deal = deal
        self._places = places

    def order(self, count: int, deal: int | None = None) -> tuple[int, ...]:
        order = list(self._chance.order(count, deal))
        one, two = self._places
        if deal == self._deal and max(one, two) < count:
            order[one], order[two] = order[two], order[one]
        return tuple(order)


class _Counting:
    """A chance that notes what was dealt."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.deals: dict[int | None, int] = {}

    def order(self, count: int, deal: int | None = None) -> tuple[int, ...]:
        self.deals[deal] = count
        return self._chance.order(count, deal)


class _Twins:
    """One played game, and others in which two cards of a deal have changed places and the same moves are made.

    Who sees a difference between the two at some moment knows one of the cards. Nothing says here who may, but it is
    never a spectator without all players, and of two cards one of which nobody knows, one player or everybody.
    """

    def __init__(self, game: AnyGame, played: Played) -> None:
        self._game = game
        self._played = played
        self.hidden = 0
        """Twins in which somebody sees no difference, and somebody does."""

    def problems(self) -> Iterator[str]:
        game, played, dice = self._game, self._played, Random(len(self._played.names))
        counting = _Counting(_chance(played.seed, len(played.names)))
        game.start(played.options, played.names, counting)
        last, open_to_all = max(len(played.moves) - 1, 0), 0
        for deal, count in counting.deals.items():
            yield from self._at_the_deal(deal, count, dice)
            for _ in range(_SWAPS if count > 1 else 0):
                places, until = dice.sample(range(count), 2), dice.randint(0, last)
                twin = self._twin(deal, places, until)
                if twin is None:
                    continue
                told = self._told_apart(twin, until)
                open_to_all += None in told
                self.hidden += len(told) > 0 and None not in told
                where = f"{len(played.names)} seats, move {until}, cards {places} of the deal"
                if None in told and len(told) <= len(played.names):
                    yield f"{where}: spectators see what a player doesn't"
                for reader in self._exports(twin, until, told):
                    whom = "spectators" if reader is None else f"seat {reader}"
                    yield f"{where}: the record of the running game tells {whom} more than the table"
        hides = isinstance(game, DeclaredGame) and game.hides
        if hides and open_to_all and not self.hidden:
            yield "spectators see all that players see; if nothing is hidden in this game, set `hides = False`"

    def _at_the_deal(self, deal: int | None, count: int, dice: Random) -> Iterator[str]:
        """Right after the deal, what a player holds is known to that player alone, or to everybody."""
        told: list[set[Audience]] = []
        for _ in range(_SWAPS if count > 1 else 0):
            twin = self._twin(deal, dice.sample(range(count), 2), 0)
            told.append(set() if twin is None else self._told_apart(twin, 0))
        hidden = [who for who in told if who and None not in who]
        alone = {seat for who in hidden if len(who) == 1 for seat in who}
        shared = {seat for who in hidden for seat in who} - alone
        if shared and (alone or self._are_strangers(deal, count, dice)):
            yield f"right after the deal, others know what the seats {sorted(map(str, shared))} hold"

    def _are_strangers(self, deal: int | None, count: int, dice: Random) -> bool:
        """Whether one card more than there are players all belong to somebody else.

        Then one of them is in no hand, and where it takes the place of a player's card that player alone can tell.
        """
        cards = len(self._played.names) + 1
        for _ in range(_SWAPS if count >= cards else 0):
            places = dice.sample(range(count), cards)
            twins = [self._twin(deal, pair, 0) for pair in combinations(places, 2)]
            told = [set() if twin is None else self._told_apart(twin, 0) for twin in twins]
            if all(who and None not in who for who in told):
                return True
        return False

    def _twin(self, deal: int | None, places: Sequence[int], until: int) -> Sequence[Step[Any]] | None:
        """The steps of the twin; None where the same moves can't be made, or others have to."""
        game, played = self._game, self._played
        chance = _Swapped(_chance(played.seed, len(played.names)), deal, places)
        steps = [game.start(played.options, played.names, chance)]
        for at, (seat, move) in enumerate(played.moves[:until]):
            if game.on_turn(steps[-1].state) != game.on_turn(played.states[at]):
                return None
            step = game.apply(steps[-1].state, seat, move)
            if isinstance(step, Refusal):
                return None
            steps.append(step)
        return steps if game.on_turn(steps[-1].state) == game.on_turn(played.states[until]) else None

    def _told_apart(self, twin: Sequence[Step[Any]], until: int) -> set[Audience]:
        """Whoever was shown two different games until now."""
        game, states = self._game, self._played.states
        return {
            audience
            for audience in (None, *range(len(self._played.names)))
            if any(
                encode(game.view(step.state, audience)) != encode(game.view(states[at], audience))
                for at, step in enumerate(twin)
            )
        }

    def _exports(self, twin: Sequence[Step[Any]], until: int, told: set[Audience]) -> Iterator[Audience]:
        """Whoever can tell the records of the two running games apart, and not the tables."""
        game, played = self._game, self._played
        state = played.states[until]
        audiences = (None, *range(len(played.names)))
        # In what order cards came that have all been played since is no secret any more, and in no view.
        is_live = any(
            encode(game.view(twin[-1].state, each)) != encode(game.view(state, each)) for each in audiences
        )
        if not game.on_turn(state) or not is_live:
            return
        for audience in set(audiences) - told:
            here = [
                game.redact(line, state, audience) for lines in played.lines[: until + 1] for line in lines
            ]
            there = [game.redact(line, twin[-1].state, audience) for step in twin for line in step.lines]
            if here != there:
                yield audience
