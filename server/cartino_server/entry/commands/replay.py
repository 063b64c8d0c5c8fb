"""`cartino replay FILE`: a record, step by step, on the same table screen."""

import argparse
import asyncio
import os
from collections.abc import Iterator

from cartino_games.registry import installed
from cartino_protocol.marking import later
from cartino_server.engine.replay import RecordError, read_record
from cartino_server.entry.commands.verify import read_file, trouble
from cartino_server.entry.errors import CommandError
from cartino_server.entry.last_word import finish
from cartino_server.entry.own_settings import read_own, settings_path
from cartino_server.entry.screen import own_ground, own_screen
from cartino_server.entry.speaking import own_language, own_tongue
from cartino_server.rooms.past import Reel, reel_of
from cartino_tui.driver import inside
from cartino_tui.replay import ReplayApp, ReplayStep


def run(arguments: argparse.Namespace) -> int:
    """Show the record; the app's exit code."""
    played = ""
    try:
        record = read_record(read_file(arguments.file), installed().rules)
        played = record.head.game
        reel = reel_of(record)
        steps = list(steps_of(reel))
    except RecordError as error:
        raise CommandError(trouble(arguments.file, error, played, own_tongue())) from None
    simple = own_screen(later("A replay needs a terminal; start `cartino replay` in one."))
    inside.install()
    app: ReplayApp = ReplayApp(
        steps,
        plugs=installed().screens,
        ascii=simple,
        ground=own_ground(),
        language=own_language(),
        turns=reel.course().turns,
        settings=read_own(settings_path(os.environ)),
    )
    asyncio.run(app.run_async())
    return finish(app)


def steps_of(reel: Reel) -> Iterator[ReplayStep]:
    """The record as the table screen shows it: the deal, then a step a move."""
    for step in range(reel.steps + 1):
        yield ReplayStep(reel.view(step), reel.line(step))
