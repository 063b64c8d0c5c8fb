"""What `ssh HOST review` prints: what each player's turns lost compared with the best ones."""

import msgspec

from cartino_games.registry import installed
from cartino_protocol.text import N_
from cartino_server.commands.table_commands import shell_reader
from cartino_server.engine.replay import GameRecord
from cartino_server.lobby.finished.history import game_replay
from cartino_server.review.judging import Review
from cartino_tui.game_port.turn_review import luck_said
from cartino_tui.i18n import Translator

MOST_TOLD = 3
"""Turns of each player that are told in words."""


def review_record(record: GameRecord, name: str, review: Review) -> dict[str, object]:
    """Return the review as JSON has it: every turn's points, those of the best one, its moves, and the points lost."""
    return {
        "name": name,
        "game": record.game.name,
        "options": record.head.options,
        "seats": [
            {
                "name": player,
                "turns": len(review.of(seat)),
                "lost": round(review.lost(seat), 1),
                "luck": None if (luck := review.luck(seat)) is None else round(luck, 1),
            }
            for seat, player in enumerate(record.head.seats)
        ],
        "turns": [
            {
                "turn": turn.number,
                "seat": turn.seat,
                "points": turn.made,
                "best_points": turn.best,
                "best_moves": [msgspec.msgpack.decode(move) for move in turn.moves],
                "lost": round(turn.lost, 1),
                "luck": None if turn.luck is None else round(turn.luck, 1),
            }
            for turn in review.turns
        ],
    }


def review_text(record: GameRecord, name: str, review: Review, translator: Translator) -> str:
    """Return the review in words: a line for each player, and one for each of their costliest turns."""
    room, reader = game_replay(record, name).view(0), shell_reader(translator)
    gettext, game = translator.gettext, installed().speeches.get(room.game)
    lines = [
        gettext(
            "{name}, {game}: points lost compared with the best turns",
            name=name,
            game=reader.title(room.game, room.options),
        )
    ]
    for seat, player in enumerate(room.seats):
        called = reader.player(player.name, bot=player.kind == "bot")
        lines.append(
            translator.ngettext(
                "{name}: {lost} in {n} turn",
                "{name}: {lost} in {n} turns",
                len(review.of(seat)),
                name=called,
                lost=f"{round(review.lost(seat), 1):g}",
            )
        )
        luck = review.luck(seat)
        if luck is not None:
            lines.append("  " + gettext("luck of the draw: {luck}", luck=luck_said(luck)))
        for turn in review.costliest(seat)[:MOST_TOLD]:
            said = [] if game is None else [game.move_said(move, room, translator) for move in turn.moves]
            moves = "; ".join(filter(None, said))
            told = (
                N_("turn {turn}: about {lost}; best: {moves}") if moves else N_("turn {turn}: about {lost}")
            )
            lines.append("  " + gettext(told, turn=turn.number, lost=round(turn.lost), moves=moves))
    return "".join(f"{line}\n" for line in lines)
