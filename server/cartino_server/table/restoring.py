"""Rebuild a table from its journal entries by replaying its record through the engine."""

from collections.abc import Mapping, Sequence

import msgspec

from cartino_engine.chance import SeedChance
from cartino_engine.port import AnyGame, Result
from cartino_engine.replay import GameRecord, RecordError, RulesError, replay
from cartino_protocol.base import DECODE_ERRORS
from cartino_protocol.records import EndLine, GameLine, LineError, LineReader, RecordLine
from cartino_protocol.text import N_, LazyMessage, LazyMessageError, lazy_gettext
from cartino_server.environment import Ports
from cartino_server.store.port import StoredGame
from cartino_server.table.chat import Chat, restored_chat
from cartino_server.table.match import Match, made_by_people
from cartino_server.table.saving import JournalEntry, TableFacts, read_entry, write_entry
from cartino_server.table.seating import Order, Seating
from cartino_server.table.state import TableState
from cartino_server.table.time_control import start_timing

TAKEN = lazy_gettext("another game is being played at its table")
"""Why a game has no table, where two have the same code."""
_NOT_INSTALLED = N_("the game {game!r} isn't installed here, or can't be loaded")


class CantRestore(LazyMessageError):
    """A table that can't be rebuilt; the sentence is a clause that says why, without secrets."""

    def __init__(self, sentence: LazyMessage, persons: tuple[str, ...] = ()) -> None:
        """`persons` play there, if only its game is missing."""
        super().__init__(sentence)
        self.persons = persons


def missing_game(why: LazyMessage) -> str:
    """Return which game a whole table waits for that can't be rebuilt because of `why`; "" for a damaged one."""
    return str(why.places["game"]) if why.text == _NOT_INSTALLED else ""


def restore(
    kept: StoredGame, games: Mapping[str, AnyGame], substitutes: Mapping[str, Sequence[str]], ports: Ports
) -> TableState:
    """Return the table as it was saved, before `return_from_downtime`. Raises CantRestore."""
    entries: list[JournalEntry] = []
    for number, body in enumerate(kept.bodies, 1):
        try:
            entries.append(read_entry(body))
        except DECODE_ERRORS:
            # The error's text may quote hidden cards.
            raise CantRestore(lazy_gettext("its entry {number} can't be read", number=number)) from None
    facts = next((entry.facts for entry in reversed(entries) if entry.facts is not None), None)
    if facts is None:
        raise CantRestore(lazy_gettext("it doesn't say which table it belongs to"))
    game = games.get(facts.game)
    if game is None:
        humans = tuple(chair.person for chair in facts.chairs if chair.kind == "human")
        missing = LazyMessage(_NOT_INSTALLED, {"game": facts.game})
        raise CantRestore(missing, () if facts.state == "finished" else humans)
    try:
        seeds = bytes.fromhex(facts.seed), bytes.fromhex(facts.next_seed)
    except ValueError:
        raise CantRestore(lazy_gettext("its seed is invalid")) from None
    table = TableState(
        code=facts.code,
        order=Order(
            game,
            facts.ordered,
            len(facts.chairs),
            (),
            facts.open,
            facts.time_control,
            facts.hints,
            facts.deal,
        ),
        ports=ports,
        substitutes=tuple(substitutes.get(facts.game, ())),
        opener=facts.opener,
        seating=Seating(facts.chairs, facts.owner),
        options=facts.options,
        seeds=seeds,
        opened=entries[0].at,
        state=facts.state,
        round=facts.round,
        first_number=entries[-1].number,
        chat=_chat(facts, entries),
    )
    reader = LineReader(game.lines)
    try:
        lines = [reader.read(bytes(line)) for entry in entries for line in entry.lines]
    except LineError as failed:
        raise CantRestore(
            lazy_gettext("a line of its record can't be read ({error})", error=str(failed))
        ) from None
    if lines:
        return msgspec.structs.replace(table, match=_match(table, lines, entries)).announce_deal()
    if facts.state != "open":
        raise CantRestore(lazy_gettext("the game is running, but nothing was dealt"))
    return table


def record_lines(bodies: Sequence[bytes]) -> bytes:
    """Return the record of a game from its entries, as JSON Lines. Raises msgspec.DecodeError."""
    return b"".join(bytes(line) + b"\n" for line in _raw_lines(bodies))


def packed_entry(bodies: Sequence[bytes]) -> bytes:
    """Return one entry from which `record_lines` reads the same record as from `bodies`. Raises msgspec.DecodeError."""
    return write_entry(JournalEntry(at=0.0, number=0, lines=_raw_lines(bodies)))


def _raw_lines(bodies: Sequence[bytes]) -> tuple[msgspec.Raw, ...]:
    return tuple(line for body in bodies for line in read_entry(body).lines)


def _match(table: TableState, lines: Sequence[RecordLine], entries: Sequence[JournalEntry]) -> Match:
    game, head, seed = table.order.game, lines[0], table.seeds[0]
    if not isinstance(head, GameLine):
        raise CantRestore(lazy_gettext("its record has no first line"))
    state = None
    try:
        for moment in replay(GameRecord(game, head, tuple(lines)), SeedChance(seed, head.cuts)):
            state = moment.state
    except RulesError as failed:
        raise failed.error from None
    except RecordError as error:
        # The error's text may quote hidden cards.
        raise CantRestore(
            lazy_gettext("its record is invalid from line {line} on", line=error.line)
        ) from None
    except ValueError:
        raise CantRestore(lazy_gettext("its record is invalid")) from None
    end = lines[-1]
    result = Result(end.totals, end.winners, end.reason) if isinstance(end, EndLine) else None
    if (result is None) != (table.state == "playing"):
        raise CantRestore(lazy_gettext("its record doesn't say whether the game is over"))
    waiting = next((entry.waiting for entry in reversed(entries) if entry.waiting is not None), None)
    return Match(
        game=game,
        seed=seed,
        first=0,
        number=table.first_number,
        state=state,
        lines=tuple(lines),
        result=result,
        substitutes=table.substitutes,
        timing=start_timing(table.order.time_control, waiting),
        made=made_by_people(game, head, lines),
    )


def _chat(facts: TableFacts, entries: Sequence[JournalEntry]) -> Chat:
    """Return the chat: during a game, what spectators said since the deal is theirs alone."""
    before, since = entries[0].said, [line for entry in entries[1:] for line in entry.said]
    secret = tuple(line for line in since if line.channel == "watchers" and facts.state == "playing")
    return restored_chat((*before, *(line for line in since if line not in secret)), secret)
