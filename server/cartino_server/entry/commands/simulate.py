"""`cartino simulate`: bots against bots, headless; wins, mean totals, games a second."""

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cartino_games.registry import installed
from cartino_protocol.marking import Sentence, later
from cartino_protocol.records import BOT, EndLine, write_lines
from cartino_protocol.refusals import Refusal
from cartino_server.bots.port import Bot
from cartino_server.engine.port import AnyGame
from cartino_server.entry.arguments import bot_names, game_options
from cartino_server.entry.errors import MISUSE, CommandError
from cartino_server.entry.playout import play_out
from cartino_server.entry.speaking import out, own_tongue


class Tally(msgspec.Struct):
    """What a series came to, a seat: wins (shared ones count for each) and the sum of totals."""

    seats: tuple[str, ...]
    wins: list[int]
    sums: list[int]
    games: int = 0
    seconds: float = 0.0

    def add(self, end: EndLine) -> None:
        """Count one game."""
        self.games += 1
        for seat, total in enumerate(end.totals):
            self.sums[seat] += total
        for seat in end.winners:
            self.wins[seat] += 1

    def rate(self) -> float:
        """Games a second."""
        return self.games / self.seconds if self.seconds else 0.0


def run(arguments: argparse.Namespace) -> int:
    """Play the series and print what it came to."""
    game = installed().rules[arguments.game]
    options = game.read_options(game_options(game, vars(arguments)))
    if isinstance(options, Refusal):
        raise CommandError(options.words(), MISUSE)
    if arguments.games < 1:
        raise CommandError(later("--games: at least one game has to be played."), MISUSE)
    bots = _bots(game, arguments.seats)
    paths: Sequence[Path] = ()
    if arguments.records is not None:
        names = [f"{game.name}-{arguments.seed}-{index:05}.jsonl" for index in range(arguments.games)]
        paths = _new_files(arguments.records, names)
    tally = Tally(tuple(f"{BOT}{bot.name}" for bot in bots), [0] * len(bots), [0] * len(bots))
    started = time.perf_counter()
    with _progress() as progress:
        for index in progress.track(range(arguments.games), description=game.title):
            # Each game has its own chance, so that game 7 is the same whether 10 or 1,000 are played.
            lines, end = play_out(game, options, bots, Random(f"{arguments.seed}/{index}"))
            tally.add(end)
            if paths:
                _write(paths[index], write_lines(lines))
    tally.seconds = time.perf_counter() - started
    show = (
        _as_json(tally, game, options, arguments.seed) if arguments.json else _as_text(tally, game, options)
    )
    out(*show.splitlines())
    return 0


def _bots(game: AnyGame, text: str) -> Sequence[Bot]:
    names = [part.strip() for part in text.split(",")]
    least, most = game.seats
    if not least <= len(names) <= most:
        raise CommandError(
            later(
                "--seats: {title} is for {least} to {most} players, not {count}.",
                title=game.title,
                least=least,
                most=most,
                count=len(names),
            ),
            MISUSE,
        )
    bots = []
    for name in names:
        bot = installed().bots.get((game.name, name.removeprefix(BOT)))
        if bot is None or not name.startswith(BOT):
            known = ", ".join(f"{BOT}{known}" for known in bot_names(game))
            raise CommandError(
                later(
                    "--seats: {name!r} is no bot of {title}; there are {known}.",
                    name=name,
                    title=game.title,
                    known=known,
                ),
                MISUSE,
            )
        bots.append(bot)
    return bots


def _new_files(folder: str, names: Iterable[str]) -> Sequence[Path]:
    """Where files of these `names` go in `folder`, which is made; said before hours of play, not after them."""
    paths = [Path(folder, name) for name in names]
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(
            later("--records: {folder} can't be made: {why}.", folder=folder, why=error.strerror)
        ) from None
    for path in paths:
        if path.exists():
            raise CommandError(_there(path))
    return paths


def _there(path: Path) -> Sentence:
    return later(
        "--records: {path} is there already and stays; name another directory, or another --seed.", path=path
    )


def _write(path: Path, data: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        raise CommandError(_there(path)) from None
    except OSError as error:
        raise CommandError(later("{path} can't be written: {why}.", path=path, why=error.strerror)) from None


def _progress() -> Progress:
    """A bar on stderr, where stderr is a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)


def _as_text(tally: Tally, game: AnyGame, options: dict[str, str]) -> str:
    played = ", ".join(f"{name} {value}" for name, value in options.items())
    shown = [_numbered(tally.seats, seat) for seat in range(len(tally.seats))]
    width = max(map(len, shown))
    rows = [
        f"  {seat:<{width}}  {wins:>6}  {100 * wins / tally.games:5.1f} %  {total / tally.games:10.1f}"
        for seat, wins, total in zip(shown, tally.wins, tally.sums, strict=True)
    ]
    tongue = own_tongue()
    head = f"  {'':<{width}}  {tongue.say('wins'):>6}  {'':7}  {tongue.say('mean total'):>10}"
    title = tongue.count(
        "{game}, {n} game, {rate} a second",
        "{game}, {n} games, {rate} a second",
        tally.games,
        game=f"{game.title} ({played})" if played else game.title,
        rate=f"{tally.rate():.1f}",
    )
    return "\n".join([title, head, *rows])


def _numbered(seats: Sequence[str], seat: int) -> str:
    """A seat's bot, told from those of its kind before it as at a table: "bot:greedy", then "bot:greedy 2"."""
    before = seats[:seat].count(seats[seat])
    return f"{seats[seat]} {before + 1}" if before else seats[seat]


def _as_json(tally: Tally, game: AnyGame, options: dict[str, str], seed: int) -> str:
    return json.dumps(
        {
            "game": game.name,
            "options": options,
            "seed": seed,
            "games": tally.games,
            "games_per_second": round(tally.rate(), 2),
            "seats": [
                {"name": seat, "wins": wins, "mean_total": round(total / tally.games, 2)}
                for seat, wins, total in zip(tally.seats, tally.wins, tally.sums, strict=True)
            ],
        },
        indent=2,
    )
