"""Checks of records: written, replayed, verified; and the golden ones that lie beside the rules."""

import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from cartino_engine.replay import RecordError, read_record, replay, verify
from cartino_games.conformance.trial import FEW, Check, Trial
from cartino_protocol.wire import encode


def records(trial: Trial) -> Iterator[str]:
    """Check that a record is written, read, replayed without its seed and verified, and that a wrong one is not."""
    game = trial.game
    for played in trial.played:
        data = played.record(game)
        record = read_record(data, {game.name: game})
        verify(record)
        after = [moment.state for moment in replay(record)]
        if len(after) != len(played.states):
            yield f"the replay has {len(after)} states, the game had {len(played.states)}"
            continue
        for at in played.sample():
            if _all_views(trial, after[at]) != _all_views(trial, played.states[at]):
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


def _all_views(trial: Trial, state: Any) -> Sequence[bytes]:
    least, _ = trial.game.seats
    return [encode(trial.game.view(state, seat)) for seat in (None, *range(least))]


def golden(trial: Trial) -> Check | None:
    """Check that the games in `golden/` beside the rules still verify; None where there are none."""
    folder = Path(inspect.getfile(type(trial.game))).parent / "golden"
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        return None
    problems = []
    for file in files:
        try:
            verify(read_record(file.read_bytes(), {trial.game.name: trial.game}))
        except RecordError as error:
            problems.append(f"{file.name}: {error}")
    return Check("golden games", tuple(problems[:FEW]), f"{len(files)} games")
