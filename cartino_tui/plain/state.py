"""A table whole, for who asks once from a shell: as text, and as what JSON can hold."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from cartino_protocol.views import ChatView, RoomView
from cartino_tui.games.reading import whole
from cartino_tui.games.speech import AnySpeech, whose_turn
from cartino_tui.plain.listing import seat_name
from cartino_tui.plain.speech import speakable
from cartino_tui.tongue import Tongue

_MOST_MOVES: Final = 12
"""Legal moves that are listed for people; programs get all."""
_TALK: Final = 5
"""Lines of talk that stand below a table."""


def as_json(room: RoomView, voice: AnySpeech | None) -> dict[str, Any]:
    """The table as its audience sees it: the fields of `RoomView` by name, the game's own view as `table`.

    `moves` are those that are legal now, each with the points it brings; None as `table` where nothing was dealt, or
    where no `voice` can read it. `claim` is None or says which `seats` may answer the last move, how many seconds are
    `left` (None for no limit), and whether play `stops` for the answers.
    """
    view = read(room, voice)
    moves = () if view is None or voice is None else voice.legal(view)
    told = {name: whole(getattr(room, name)) for name in room.__struct_fields__ if name != "table"}
    return {
        **told,
        "table": whole(view),
        "moves": [{"move": move, "points": points} for move, points in moves],
    }


def read(room: RoomView, voice: AnySpeech | None) -> msgspec.Struct | None:
    """The game's own view; None where nothing was dealt, or no `voice` can read it."""
    if voice is None or room.state == "open":
        return None
    try:
        view: msgspec.Struct = voice.read(room.table)
    except msgspec.DecodeError:
        return None
    return view


def as_lines(
    room: RoomView, voice: AnySpeech | None, title: str, chat: ChatView, tongue: Tongue
) -> list[str]:
    """The table as text; `title` is the game with its options."""
    lines = [tongue.say("Table {code}, {game}.", code=room.code, game=title)]
    view = read(room, voice)
    if view is None or voice is None:
        names = ", ".join(seat_name(seat, tongue) for seat in room.seats)
        lines += [tongue.say("The game has not begun."), names]
    else:
        lines += [*voice.scores(room, view, tongue), "", *voice.picture(room, view, tongue), ""]
        lines += state(room, voice, view, tongue)
    if room.paused:
        lines.append(tongue.say("The game is paused."))
    lines += [
        tongue.say("{name}: {text}", name=line.name, text=line.text)
        for line in chat.lines[-_TALK:]
        if line.name
    ]
    return [speakable(line, ascii=False) for line in lines]


def state(room: RoomView, voice: AnySpeech, view: msgspec.Struct, tongue: Tongue) -> Sequence[str]:
    """Return whose turn it is; for a player also their own pieces and legal moves, as a command line has them."""
    if room.state == "finished":
        return voice.standing(room, view, tongue)
    if room.you is not None and room.you in room.turn:
        lines = [tongue.say("It is your turn.")]
    else:
        lines = [whose_turn([room.seats[seat].name for seat in room.turn], tongue)]
    lines += filter(None, (voice.asked(room, view, tongue), *voice.own(room, view, tongue)))
    moves = voice.legal(view)
    listed = ", ".join(
        tongue.say("{move} ({points})", move=move, points=points) if points else move
        for move, points in moves[:_MOST_MOVES]
    )
    more = len(moves) - _MOST_MOVES
    if more > 0:
        lines.append(
            tongue.count(
                "Moves you can make, with their points: {moves}, and {n} more.",
                "Moves you can make, with their points: {moves}, and {n} more.",
                more,
                moves=listed,
            )
        )
    elif any(points for _, points in moves):
        lines.append(tongue.say("Moves you can make, with their points: {moves}.", moves=listed))
    elif moves:
        lines.append(tongue.say("Moves you can make: {moves}.", moves=listed))
    return lines
