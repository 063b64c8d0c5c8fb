"""`cartino replay FILE`: a record, step by step, on the same table screen."""

import argparse
import asyncio
from collections.abc import Iterator

from cartino_protocol.records import EndLine
from cartino_protocol.views import ResultView, RoomView, SeatView
from cartino_protocol.wire import raw
from cartino_server.engine.registry import GAMES
from cartino_server.engine.replay import Moment, Record, RecordError, read_record, replay
from cartino_server.entry.arguments import BOT
from cartino_server.entry.commands.play import finish
from cartino_server.entry.commands.verify import read_file
from cartino_server.entry.errors import CommandError
from cartino_server.entry.screen import own_screen
from cartino_tui.driver import inside
from cartino_tui.replay import ReplayApp, ReplayStep


def run(arguments: argparse.Namespace) -> int:
    """Show the record; the app's exit code."""
    try:
        record = read_record(read_file(arguments.file), GAMES)
        steps = list(steps_of(record))
    except RecordError as error:
        raise CommandError(f"{arguments.file}:{error.line}: {error.why}.") from None
    simple = own_screen("A replay needs a terminal; start `cartino replay` in one.")
    inside.install()
    app: ReplayApp = ReplayApp(steps, ascii=simple)
    asyncio.run(app.run_async())
    return finish(app)


def steps_of(record: Record) -> Iterator[ReplayStep]:
    """The record as the table screen shows it: the deal, then a step a move. Raises RecordError."""
    for number, moment in enumerate(replay(record)):
        yield ReplayStep(_view(record, moment, number), f"line {moment.line} of the record")


def _view(record: Record, moment: Moment, number: int) -> RoomView:
    """The table with the hand of the seat on turn: in a record nothing is secret. Nobody of it is the viewer."""
    game, head, end = record.game, record.head, record.end()
    turn = game.on_turn(moment.state)
    you = turn[0] if turn else None
    over = not turn
    return RoomView(
        code="replay",
        game=game.name,
        options=head.options,
        state="finished" if over else "playing",
        number=number,
        seats=tuple(
            SeatView(name.removeprefix(BOT), "bot" if name.startswith(BOT) else "human")
            for name in head.seats
        ),
        owner=None,
        you=None,
        spectators=0,
        commitment=head.commitment,
        turn=turn,
        table=raw(game.view(moment.state, you)),
        result=_result(end) if over and end else None,
        seed=end.seed if over and end else "",
    )


def _result(end: EndLine) -> ResultView:
    return ResultView(end.totals, end.winners, end.reason)
