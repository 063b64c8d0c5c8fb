"""What `ssh HOST review` prints: what each player's turns lost compared with the best ones."""

import msgspec

from cartino_engine.replay import GameRecord
from cartino_games.registry import installed
from cartino_server.commands.table_commands import shell_reader
from cartino_server.lobby.finished.history import game_replay
from cartino_server.lobby.finished.reviewing import moves_made, turn_view
from cartino_server.review.judging import Review
from cartino_tui.game_port.turn_review import luck_said, turn_said
from cartino_tui.i18n import Translator

MOST_TOLD = 3
"""Turns of each player that are told in words."""


def review_record(record: GameRecord, name: str, review: Review) -> dict[str, object]:
    """Return the review as JSON has it: of every turn the points, moves, those of the best one, and the points lost."""
    replay = game_replay(record, name)
    return {
        "name": name,
        "game": record.game.name,
        "options": record.head.options,
        "seats": [
            {
                "name": player,
                "turns": len(review.of(seat)),
                "lost": review.lost(seat),
                "luck": review.luck(seat),
            }
            for seat, player in enumerate(record.head.seats)
        ],
        "turns": [
            {
                "turn": turn.number,
                "seat": turn.seat,
                "points": turn.made,
                "best_points": turn.best,
                "moves": [msgspec.msgpack.decode(move) for move in moves_made(replay, turn)],
                "best_moves": [msgspec.msgpack.decode(move) for move in turn.moves],
                "lost": turn.lost,
                "luck": turn.luck,
            }
            for turn in review.turns
        ],
    }


def review_text(record: GameRecord, name: str, review: Review, translator: Translator) -> str:
    """Return the review in words: a line for each player, and one for each of their costliest turns."""
    replay, reader = game_replay(record, name), shell_reader(translator)
    table = replay.view(0)
    gettext, game = translator.gettext, installed().speeches.get(table.game)

    def said(move: msgspec.Raw) -> str:
        return "" if game is None else game.move_said(move, table, translator)

    lines = [
        gettext(
            "{name}, {game}: points lost compared with the best turns",
            name=name,
            game=reader.title(table.game, table.options),
        )
    ]
    for seat, player in enumerate(table.seats):
        called = reader.player(player.name, bot=player.kind == "bot")
        lines.append(
            translator.ngettext(
                "{name}: {lost} in {n} turn",
                "{name}: {lost} in {n} turns",
                len(review.of(seat)),
                name=called,
                lost=translator.decimal(review.lost(seat)),
            )
        )
        luck = review.luck(seat)
        if luck is not None:
            lines.append("  " + gettext("luck of the draw: {luck}", luck=luck_said(luck)))
        for turn in review.costliest(seat)[:MOST_TOLD]:
            told = turn_said(turn_view(replay, turn), called, said, translator)
            lines.append("  " + gettext("turn {turn}: {told}", turn=turn.number, told=told))
    last = len(replay.course().turns)
    if last > max(turn.number for turn in review.turns):
        lines.append(gettext("Turn {turn} ended the game; it isn't judged.", turn=last))
    return "".join(f"{line}\n" for line in lines)
