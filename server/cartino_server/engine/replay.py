"""Reading a record back: replay it move by move through the engine, and verify every line of it.

Replay never rolls: it takes chance from the seed at the record's end or, where that is missing, from the draws
themselves.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from cartino_protocol.marking import Sentence, later
from cartino_protocol.records import (
    FORMAT,
    EndLine,
    GameLine,
    LineError,
    LineReader,
    NoteLine,
    RecordLine,
    read_game_line,
    write_line,
)
from cartino_protocol.refusals import Refusal
from cartino_server.engine.chance import SEED_BYTES, Chance, SeedChance, commitment
from cartino_server.engine.impossible import clause
from cartino_server.engine.port import AnyGame, Step

_SEED = re.compile(rf"[0-9a-fA-F]{{{2 * SEED_BYTES}}}")


class RecordError(Exception):
    """A record that is not what it should be: `line` (from 1) is where it fails, `why` a clause that says how."""

    def __init__(self, line: int, why: Sentence) -> None:
        """Fail at `line` because of `why`."""
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


class Record(msgspec.Struct, frozen=True):
    """A record that could be read: its game's rules, the first line, and all lines with it."""

    game: AnyGame
    head: GameLine
    lines: tuple[RecordLine, ...]

    def end(self) -> EndLine | None:
        """The last line, if the game came to its end."""
        last = self.lines[-1]
        return last if isinstance(last, EndLine) else None


class RulesFailed(RecordError):
    """The rules of the record's game raised `error`, which nobody foresaw, behind the moment before `line`."""

    def __init__(self, line: int, why: Sentence, error: Exception) -> None:
        """Say `why` of that line."""
        super().__init__(line, why)
        self.error = error


class MoveRefused(RecordError):
    """The rules of the record's game refuse the move at `line`, `text` in the record, by their `rule`."""

    def __init__(self, line: int, text: str, rule: str) -> None:
        """Name the rule as the game does; `GameDescription.refused` says it to people."""
        super().__init__(line, later("the rules refuse {line} ({rule})", line=text, rule=rule))
        self.text = text
        self.rule = rule


class Moment(msgspec.Struct, frozen=True):
    """A point of a replay: the state after the line number `line` (from 1) and all that followed from it.

    `lines` are those that led here: the deal, or a move with its consequences.
    """

    line: int
    state: Any
    lines: tuple[RecordLine, ...]


def read_record(data: bytes, games: Mapping[str, AnyGame]) -> Record:
    """The record in `data`. Raises RecordError with the line that can't be read."""
    texts = data.split(b"\n")
    if texts[-1] == b"":
        texts.pop()
    if not texts:
        raise RecordError(1, later("the file is empty"))
    try:
        head = read_game_line(texts[0])
    except LineError as error:
        raise RecordError(1, later("this is not a record's first line ({error})", error=error)) from None
    if head.format != FORMAT:
        raise RecordError(
            1,
            later(
                "the record's format is {format}, this program reads {known}",
                format=head.format,
                known=FORMAT,
            ),
        )
    game = games.get(head.game)
    if game is None:
        raise RecordError(1, later("the game {game!r} is not installed here", game=head.game))
    reader = LineReader(game.lines)
    lines: list[RecordLine] = [head]
    for number, text in enumerate(texts[1:], start=2):
        try:
            lines.append(reader.read(text))
        except LineError as error:
            raise RecordError(number, later("this line can't be read ({error})", error=error)) from None
    return Record(game, head, tuple(lines))


def replay(record: Record, chance: Chance | None = None) -> Iterator[Moment]:
    """Return every state that the record's game went through, the deal first.

    `chance` where it is known better than by the record's own draws. Raises RecordError at the first line that the
    engine would have written otherwise, and where the game's rules fail.
    """
    moment = None
    try:
        for moment in _moments(record, chance):
            yield moment
    except RecordError:
        raise
    except Exception as error:
        line = 1 if moment is None else moment.line + 1
        why = later(
            "the rules of {game} fail there ({error})", game=record.game.title, error=type(error).__name__
        )
        raise RulesFailed(line, why, error) from error


def _moments(record: Record, chance: Chance | None) -> Iterator[Moment]:
    game, head = record.game, record.head
    _check_head(record)
    try:
        chance = chance or game.drawn(head.options, record.lines)
        step: Step[Any] = game.start(head.options, head.seats, chance)
    except ValueError as error:
        raise RecordError(1, clause(error)) from None
    state, due, cause = step.state, list(step.lines), step.lines
    if not due:
        yield Moment(1, state, ())
    for number, line in enumerate(record.lines[1:], start=2):
        if isinstance(line, NoteLine):
            continue
        if isinstance(line, EndLine):
            if due:
                raise RecordError(number, later("the record ends where {due} is due", due=_show(due[0])))
            _check_end(record, state, number)
            return
        if not due:
            step = _move(game, state, line, number)
            state, due, cause = step.state, list(step.lines), step.lines
        if due[0] != line:
            raise RecordError(number, later("the rules make this {due}", due=_show(due[0])))
        del due[0]
        if not due:
            yield Moment(number, state, cause)
    if due:
        raise RecordError(
            len(record.lines), later("the record stops here, where {due} is due next", due=_show(due[0]))
        )


def verify(record: Record) -> EndLine:
    """Check a finished record in every draw, point and total against its seed; the end line if all is right.

    Raises RecordError at the first line that is wrong.
    """
    end = record.end()
    last = len(record.lines)
    if end is None:
        raise RecordError(
            last, later("the record stops here without its end line; only a finished game can be verified")
        )
    if not _SEED.fullmatch(end.seed):
        raise RecordError(last, later("the seed is not {count} bytes written in hex", count=SEED_BYTES))
    seed = bytes.fromhex(end.seed)
    if commitment(seed) != record.head.commitment.lower():
        raise RecordError(
            last, later("the seed is not the one that was promised: its hash differs from the commitment")
        )
    for _ in replay(record, SeedChance(seed, record.head.cuts)):
        pass
    return end


def _check_head(record: Record) -> None:
    game, head = record.game, record.head
    if game.read_options(head.options) != head.options:
        raise RecordError(
            1, later("these are not all the options of {name}, or not ones it has", name=game.title)
        )
    least, most = game.seats
    if not least <= len(head.seats) <= most:
        raise RecordError(
            1,
            later(
                "{name} is for {least} to {most} players, not {seats}",
                name=game.title,
                least=least,
                most=most,
                seats=len(head.seats),
            ),
        )
    if len(head.cuts) != len(head.seats):
        raise RecordError(
            1, later("there are {cuts} cuts for {seats} seats", cuts=len(head.cuts), seats=len(head.seats))
        )
    for number, line in enumerate(record.lines[1:], start=2):
        if isinstance(line, GameLine):
            raise RecordError(number, later("a second first line"))
        if isinstance(line, EndLine) and number < len(record.lines):
            raise RecordError(number + 1, later("there are lines after the end"))


def _move(game: AnyGame, state: Any, line: RecordLine, number: int) -> Step[Any]:
    move = game.move_of(line)
    if move is None:
        raise RecordError(number, later("nothing in the rules leads to {line} here", line=_show(line)))
    try:
        step = game.apply(state, *move)
    except ValueError as error:
        raise RecordError(number, clause(error)) from None
    if isinstance(step, Refusal):
        raise MoveRefused(number, _show(line), step.detail or step.reason)
    return step


def _check_end(record: Record, state: Any, number: int) -> None:
    end, result = record.end(), record.game.result(state)
    assert end is not None
    if result is None:
        totals: tuple[int, ...] = record.game.totals(state)
        winners: tuple[int, ...] = ()
        if end.reason != "abandoned":
            raise RecordError(
                number, later("the game is not over here, so it did not end by {reason!r}", reason=end.reason)
            )
    else:
        totals, winners = result.totals, result.winners
        if end.reason != result.reason:
            raise RecordError(
                number,
                later("the game ended by {reason!r}, not {told!r}", reason=result.reason, told=end.reason),
            )
    if end.totals != totals:
        raise RecordError(
            number,
            later("the totals are {totals}, not {told}", totals=list(totals), told=list(end.totals)),
        )
    if end.winners != winners:
        raise RecordError(
            number,
            later(
                "the winners are the seats {winners}, not {told}",
                winners=list(winners),
                told=list(end.winners),
            ),
        )


def _show(line: RecordLine) -> str:
    return write_line(line).decode()
