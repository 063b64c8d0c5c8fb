"""Replay moves through the rules: step through a record, verify it, or follow a pupil through a lesson.

Chance comes from the seed at the record's end or, without one, from the recorded draws. A lesson is replayed from its
start after each move, so nothing of it has to be stored.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from cartino_engine.chance import SEED_BYTES, Chance, SeedChance, commitment, error_clause
from cartino_engine.port import AnyGame, AnyLesson, Result, Step
from cartino_protocol.base import DECODE_ERRORS, Seat
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
from cartino_protocol.text import LazyMessage, lazy_gettext

_SEED = re.compile(rf"[0-9a-fA-F]{{{2 * SEED_BYTES}}}")


class RecordError(Exception):
    """An invalid record: the failing `line` (from 1), and `why`, a clause."""

    def __init__(self, line: int, why: LazyMessage) -> None:
        """Fail at `line` because of `why`."""
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


class GameRecord(msgspec.Struct, frozen=True):
    """A parsed record: its game's rules, its first line, and all lines including that."""

    game: AnyGame
    head: GameLine
    lines: tuple[RecordLine, ...]

    def end(self) -> EndLine | None:
        """Return the last line if the game was finished."""
        last = self.lines[-1]
        return last if isinstance(last, EndLine) else None


class GameNotInstalled(RecordError):
    """The record is of a `game` that isn't installed."""

    def __init__(self, game: str) -> None:
        """Name the game as the record does."""
        super().__init__(1, lazy_gettext("the game {game!r} isn't installed here", game=game))
        self.game = game


class RulesError(RecordError):
    """The game's rules raised an unexpected `error` at `line`."""

    def __init__(self, line: int, why: LazyMessage, error: Exception) -> None:
        """Keep the cause."""
        super().__init__(line, why)
        self.error = error


class MoveRefused(RecordError):
    """The game's rules refuse the move `text` at `line`, by their `rule`."""

    def __init__(self, line: int, text: str, rule: str) -> None:
        """Name the rule as the game does; `GameDescription.describe_refusal` says it to people."""
        super().__init__(line, lazy_gettext("the rules refuse {line} ({rule})", line=text, rule=rule))
        self.text = text
        self.rule = rule


class ReplayState(msgspec.Struct, frozen=True):
    """The state after the line `line` (from 1), and the `lines` that led to it: a deal, or a move and its effects."""

    line: int
    state: Any
    lines: tuple[RecordLine, ...]


def read_record(data: bytes, games: Mapping[str, AnyGame]) -> GameRecord:
    """Parse a record. Raises RecordError with the line that can't be read."""
    texts = data.split(b"\n")
    if texts[-1] == b"":
        texts.pop()
    if not texts:
        raise RecordError(1, lazy_gettext("the file is empty"))
    try:
        head = read_game_line(texts[0])
    except LineError as error:
        why = lazy_gettext("this isn't the first line of a record ({error})", error=error)
        raise RecordError(1, why) from None
    if head.format != FORMAT:
        form, known = head.format, FORMAT
        why = lazy_gettext(
            "the record has format {format}, but this program reads {known}", format=form, known=known
        )
        raise RecordError(1, why)
    game = games.get(head.game)
    if game is None:
        raise GameNotInstalled(head.game)
    reader = LineReader(game.lines)
    lines: list[RecordLine] = [head]
    for number, text in enumerate(texts[1:], start=2):
        try:
            lines.append(reader.read(text))
        except LineError as error:
            why = lazy_gettext("this line can't be read ({error})", error=error)
            raise RecordError(number, why) from None
    return GameRecord(game, head, tuple(lines))


def replay(record: GameRecord, chance: Chance | None = None) -> Iterator[ReplayState]:
    """Yield every state of a recorded game, the deal first.

    Use `chance` instead of the recorded draws, if given. Raises RecordError at the first line that differs from what
    the rules produce, or where the rules fail.
    """
    moment = None
    try:
        for moment in _replay_states(record, chance):
            yield moment
    except RecordError:
        raise
    except Exception as error:
        line = 1 if moment is None else moment.line + 1
        why = lazy_gettext(
            "the rules of {game} fail there ({error})", game=record.game.title, error=type(error).__name__
        )
        raise RulesError(line, why, error) from error


def _replay_states(record: GameRecord, chance: Chance | None) -> Iterator[ReplayState]:
    game, head = record.game, record.head
    _check_head(record)
    try:
        chance = chance or game.drawn(head.options, record.lines)
        step: Step[Any] = game.start(head.options, head.seats, chance)
    except ValueError as error:
        raise RecordError(1, error_clause(error)) from None
    state, due, cause = step.state, list(step.lines), step.lines
    if not due:
        yield ReplayState(1, state, ())
    for number, line in enumerate(record.lines[1:], start=2):
        if isinstance(line, NoteLine):
            continue
        if isinstance(line, EndLine):
            if due:
                why = lazy_gettext("the record ends where {due} is expected", due=_line_text(due[0]))
                raise RecordError(number, why)
            _check_end(record, state, number)
            return
        if not due:
            step = _apply_line(game, state, line, number)
            state, due, cause = step.state, list(step.lines), step.lines
        if due[0] != line:
            raise RecordError(
                number, lazy_gettext("by the rules, this has to be {due}", due=_line_text(due[0]))
            )
        del due[0]
        if not due:
            yield ReplayState(number, state, cause)
    if due:
        why = lazy_gettext("the record stops here, but {due} is expected next", due=_line_text(due[0]))
        raise RecordError(len(record.lines), why)


def verify(record: GameRecord) -> EndLine:
    """Check every draw, point and total of a finished record against its seed; return its end. Raises RecordError."""
    end, last = record.end(), len(record.lines)
    if end is None:
        why = lazy_gettext("the record stops here without an end line; only finished games can be verified")
        raise RecordError(last, why)
    if not _SEED.fullmatch(end.seed):
        why = lazy_gettext("the seed isn't {count} bytes in hexadecimal", count=SEED_BYTES)
        raise RecordError(last, why)
    seed = bytes.fromhex(end.seed)
    if commitment(seed) != record.head.commitment.lower():
        why = lazy_gettext("the seed doesn't match the hash shown before the game")
        raise RecordError(last, why)
    for _ in replay(record, SeedChance(seed, record.head.cuts)):
        pass
    return end


def _check_head(record: GameRecord) -> None:
    game, head, why = record.game, record.head, None
    seats, (least, most) = len(head.seats), game.seats
    options = {**game.absent, **head.options}
    if game.read_options(options) != options:
        why = lazy_gettext("options of {name} are missing here, or unknown ones are given", name=game.title)
    elif not least <= seats <= most:
        why = lazy_gettext(
            "{name} is for {least} to {most} players, not {seats}",
            name=game.title,
            least=least,
            most=most,
            seats=seats,
        )
    elif len(head.cuts) != seats:
        why = lazy_gettext("there are {cuts} cut texts for {seats} seats", cuts=len(head.cuts), seats=seats)
    if why is not None:
        raise RecordError(1, why)
    for number, line in enumerate(record.lines[1:], start=2):
        if isinstance(line, GameLine):
            raise RecordError(number, lazy_gettext("the first line appears twice"))
        if isinstance(line, EndLine) and number < len(record.lines):
            raise RecordError(number + 1, lazy_gettext("there are lines after the end"))


def _apply_line(game: AnyGame, state: Any, line: RecordLine, number: int) -> Step[Any]:
    move = game.move_of(line)
    if move is None:
        why = lazy_gettext("by the rules, {line} isn't possible here", line=_line_text(line))
        raise RecordError(number, why)
    try:
        step = game.apply(state, *move)
    except ValueError as error:
        raise RecordError(number, error_clause(error)) from None
    if isinstance(step, Refusal):
        raise MoveRefused(number, _line_text(line), step.detail or step.reason)
    return step


def _check_end(record: GameRecord, state: Any, number: int) -> None:
    end, result = record.end(), record.game.result(state)
    assert end is not None
    why = None
    if result is None:
        result = Result(record.game.totals(state), (), "abandoned")
        if end.reason != "abandoned":
            why = lazy_gettext(
                "the game isn't over here, so it can't have ended by {reason!r}", reason=end.reason
            )
    elif end.reason != result.reason:
        why = lazy_gettext(
            "the game ended by {reason!r}, not {told!r}", reason=result.reason, told=end.reason
        )
    if why is None and end.totals != result.totals:
        totals, told = list(result.totals), list(end.totals)
        why = lazy_gettext("the totals are {totals}, not {told}", totals=totals, told=told)
    if why is None and end.winners != result.winners:
        winners, told = list(result.winners), list(end.winners)
        why = lazy_gettext("the winners are the seats {winners}, not {told}", winners=winners, told=told)
    if why is not None:
        raise RecordError(number, why)


def _line_text(line: RecordLine) -> str:
    return write_line(line).decode()


PUPIL_SEAT: Final[Seat] = 0


class LessonProgress(msgspec.Struct, frozen=True):
    """The state of a lesson and how many tasks are `done`; for `strayed` see `LessonView`."""

    state: Any
    done: int
    strayed: bool = False


def replay_lesson(game: AnyGame, lesson: AnyLesson, moves: Sequence[bytes]) -> LessonProgress | Refusal:
    """Return the state of a lesson after `moves` (MessagePack), or why they are impossible.

    The last move may be legal but not wanted, to show its effect.
    """
    now = LessonProgress(lesson.start, 0)
    for raw in moves:
        if now.strayed or now.done == len(lesson.tasks):
            return Refusal("stale")
        try:
            move = game.read_move(raw)
        except DECODE_ERRORS:
            return Refusal("malformed")
        task = lesson.tasks[now.done]
        step = game.apply(now.state, PUPIL_SEAT, move)
        if isinstance(step, Refusal):
            return step
        if move not in task.wanted:
            now = LessonProgress(step.state, now.done, strayed=True)
            continue
        state = step.state
        for seat, reply in task.replies:
            answer = game.apply(state, seat, reply)
            if isinstance(answer, Refusal):
                raise ValueError(f"the lesson {lesson.name} plays a move that is refused: {answer.detail}")
            state = answer.state
        now = LessonProgress(state, now.done + 1)
    return now
