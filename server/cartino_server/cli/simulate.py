"""`cartino simulate`: play bots against bots without a server, and print wins, means and speed.

A bot may be a program that speaks the JSON lines of `ssh HOST bot`.
"""

import argparse
import json
import signal
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final, NoReturn, Protocol

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cartino_engine.bots import Bot
from cartino_engine.chance import SEED_BYTES, SeedChance, commitment
from cartino_engine.port import AnyGame, game_info
from cartino_games.registry import installed
from cartino_protocol.exit_status import SIGNALLED
from cartino_protocol.records import BOT, FORMAT, EndLine, GameLine, RecordLine, write_lines
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_, LazyMessage, LazyMessageError, lazy_gettext
from cartino_protocol.wire import encode
from cartino_server.bots.program import ProgramBot, ProgramError
from cartino_server.cli.streams import check_output
from cartino_server.commands.console import (
    CommandError,
    failure,
    misuse,
    out,
    shorten,
    terminal_locale,
)
from cartino_server.commands.game_options import bot_names, parse_game_options

RECORD_TIME = "2000-01-01T00:00:00Z"
"""The time in simulated records, so that the same seed gives the same bytes."""
_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_PROGRAM: Final = "exec:"
"""Begins a seat that a program plays."""
_MAX_MOVE: Final = 60
"""Characters of a refused move that are told."""


class BotError(LazyMessageError):
    """A bot made a move that its game refused, or none."""


class Player(Protocol):
    """What plays at a seat: one of the installed bots, or a program."""

    @property
    def name(self) -> str:
        """Its name in records, without `bot:`."""

    def plan(self, view: bytes, chance: Random) -> Sequence[msgspec.Struct]:
        """Return its next moves, as `Bot.plan` does."""


def play_game(
    game: AnyGame, options: Mapping[str, str], bots: Sequence[Player], chance: Random
) -> tuple[list[RecordLine], EndLine]:
    """Play a game between `bots` in seat order; return its record and the record's last line.

    The same state of `chance` gives the same record. Raises BotError.
    """
    seed = chance.randbytes(SEED_BYTES)
    names = tuple(f"bot:{bot.name}" for bot in bots)
    cuts = ("",) * len(bots)
    step = game.start(options, names, SeedChance(seed, cuts))
    state = step.state
    head = GameLine(FORMAT, game.name, dict(options), names, commitment(seed), cuts, RECORD_TIME)
    lines: list[RecordLine] = [head, *step.lines]
    while (result := game.result(state)) is None:
        seat = game.on_turn(state)[0]
        plan = bots[seat].plan(encode(game.view(state, seat)), chance)
        if not plan:
            raise BotError(lazy_gettext("{name} made no move on its turn.", name=names[seat]))
        for choice in plan:
            move = game.read_move(encode(choice))
            after = game.apply(state, seat, move)
            if isinstance(after, Refusal):
                told = shorten(msgspec.json.encode(move).decode(), _MAX_MOVE)
                text = N_("{name} made a move that the rules refuse: {move}")
                raise BotError(LazyMessage(text, {"name": names[seat], "move": told}))
            state = after.state
            lines += after.lines
    end = EndLine(result.totals, result.winners, result.reason, seed.hex(), RECORD_TIME)
    return [*lines, end], end


def run_simulate(arguments: argparse.Namespace) -> int:
    """Play the games and print the results."""
    game = installed().rules[arguments.game]
    options = parse_game_options(game, arguments)
    if arguments.games < 1:
        raise misuse("--games: play at least one game.")
    seats = _parse_seats(game, arguments.seats)
    paths: Sequence[Path] = ()
    if arguments.records is not None:
        names = [f"{game.name}-{arguments.seed}-{index:05}.jsonl" for index in range(arguments.games)]
        paths = _new_files(arguments.records, names)
    started = time.perf_counter()
    with _exit_by_signals(), ExitStack() as programs, _progress() as progress:
        try:
            bots = [_open_bot(game, options, name, seat, programs) for seat, name in enumerate(seats)]
            played = tuple(f"{BOT}{bot.name}" for bot in bots)
            ends: list[EndLine] = []
            for index in progress.track(range(arguments.games), description=game.title):
                for bot in bots:
                    if isinstance(bot, ProgramBot):
                        bot.begin(played)
                # One generator per game: game 7 is the same in a series of 10 or 1,000.
                lines, end = play_game(game, options, bots, Random(f"{arguments.seed}/{index}"))
                ends.append(end)
                for bot in bots:
                    if isinstance(bot, ProgramBot):
                        bot.end(end)
                if paths:
                    _write_record(paths[index], write_lines(lines))
        except (BotError, ProgramError) as error:
            raise CommandError(error.sentence) from None
    report = _report(game, options, arguments.seed, played, ends, time.perf_counter() - started)
    show = json.dumps(report, indent=2) if arguments.json else _as_text(report, game)
    out(*show.splitlines())
    check_output()
    return 0


@contextmanager
def _exit_by_signals() -> Iterator[None]:
    """Leave the block by SystemExit at a signal that would end this process at once, and the programs never."""

    def exit_once(number: int, _frame: object) -> NoReturn:
        # Another one must not interrupt the end of the programs.
        for each in _ENDING:
            signal.signal(each, signal.SIG_IGN)
        raise SystemExit(SIGNALLED + number)

    before = {number: signal.getsignal(number) for number in _ENDING}
    for number, action in before.items():
        if action != signal.SIG_IGN:
            signal.signal(number, exit_once)
    try:
        yield
    finally:
        for number, action in before.items():
            signal.signal(number, action)


def _parse_seats(game: AnyGame, text: str) -> Sequence[str]:
    """Return what is named in `text`: bots of `game`, and programs as `exec:COMMAND`. Raises CommandError."""
    names = [part.strip().removeprefix(BOT) for part in text.split(",")]
    least, most = game.seats
    if not least <= len(names) <= most:
        raise misuse(
            "--seats: {title} is for {least} to {most} players, not {count}.",
            title=game.title,
            least=least,
            most=most,
            count=len(names),
        )
    for name in names:
        is_program = name.startswith(_PROGRAM) and name != _PROGRAM
        if (game.name, name) not in installed().bots and not is_program:
            known = ", ".join(f"{BOT}{known}" for known in bot_names(game))
            raise misuse(
                "--seats: {name!r} isn't a bot of {title}; choose from {known}, or exec:COMMAND.",
                name=name,
                title=game.title,
                known=known,
            )
    return names


def _open_bot(
    game: AnyGame, options: dict[str, str], name: str, seat: int, programs: ExitStack
) -> Bot | ProgramBot:
    """Return the bot called `name`, or start the program, which ends with `programs`. Raises ProgramError."""
    if not name.startswith(_PROGRAM):
        return installed().bots[game.name, name]
    info, speech = game_info(game, bot_names(game)), installed().speeches[game.name]
    return programs.enter_context(ProgramBot(name.removeprefix(_PROGRAM), info, options, speech, seat))


def _new_files(folder: str, names: Iterable[str]) -> Sequence[Path]:
    """Create `folder` and return the paths of `names` in it. Raises CommandError if one exists."""
    paths = [Path(folder, name) for name in names]
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise failure("--records: can't create {folder}: {why}.", folder=folder, why=error.strerror) from None
    for path in paths:
        if path.exists():
            raise failure(
                "--records: {path} already exists and isn't overwritten; choose another directory, or another "
                "--seed.",
                path=path,
            )
    return paths


def _write_record(path: Path, data: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(data)
    except OSError as error:
        raise failure("Can't write {path}: {why}.", path=path, why=error.strerror) from None


def _progress() -> Progress:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)


def _report(
    game: AnyGame,
    options: dict[str, str],
    seed: int,
    seats: Sequence[str],
    ends: Sequence[EndLine],
    seconds: float,
) -> dict[str, Any]:
    """Return the results as JSON has them; a shared win counts for each winner."""
    return {
        "game": game.name,
        "options": options,
        "seed": seed,
        "games": len(ends),
        "games_per_second": round(len(ends) / seconds, 2),
        "seats": [
            {
                "name": name,
                "wins": sum(seat in end.winners for end in ends),
                "mean_total": round(sum(end.totals[seat] for end in ends) / len(ends), 2),
            }
            for seat, name in enumerate(seats)
        ],
    }


def _as_text(report: dict[str, Any], game: AnyGame) -> str:
    played = ", ".join(f"{name} {value}" for name, value in report["options"].items())
    names = [seat["name"] for seat in report["seats"]]
    shown = [_numbered(names, seat) for seat in range(len(names))]
    width, games = max(map(len, shown)), report["games"]
    rows = [
        f"  {name:<{width}}  {seat['wins']:>6}  {100 * seat['wins'] / games:5.1f} %  {seat['mean_total']:10.1f}"
        for name, seat in zip(shown, report["seats"], strict=True)
    ]
    gettext = terminal_locale().gettext
    head = f"  {'':<{width}}  {gettext('wins'):>6}  {'':7}  {gettext('average total'):>10}"
    title = terminal_locale().ngettext(
        "{game}, {n} game, {rate} per second",
        "{game}, {n} games, {rate} per second",
        games,
        game=f"{game.title} ({played})" if played else game.title,
        rate=f"{report['games_per_second']:.1f}",
    )
    return "\n".join([title, head, *rows])


def _numbered(seats: Sequence[str], seat: int) -> str:
    """Return a seat's bot, numbered like at a table: "bot:greedy", then "bot:greedy 2"."""
    before = seats[:seat].count(seats[seat])
    return f"{seats[seat]} {before + 1}" if before else seats[seat]
