"""Finished games: all, the reader's or a player's, newest first, with replay and export."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from cartino_protocol.commands import Command, History, Replay
from cartino_protocol.records import BOT
from cartino_protocol.text import N_
from cartino_protocol.views import HistoryView, Missed, OwnGame, PastGame
from cartino_tui.draw.text import clean
from cartino_tui.game_port.description import OLDER_GAMES_REMOVED, end_reason
from cartino_tui.keys import HISTORY, REPLAY_FROM_LIST
from cartino_tui.pages.page import (
    LOADING_LIST,
    Action,
    HelpText,
    Page,
    PageCell,
    PageColumn,
    PageSection,
    Question,
    Reader,
)

GAMES_PER_PAGE: Final = 50
"""Games that the shell prints at once."""
_GAMES_TOLD: Final = 9
"""Games that plain mode tells at once."""
_MAX_NAME: Final = 16
_DAY: Final = len("2026-01-01")
_AGO: Final = 14
"""The cells of the longest time in words, "il y a 59 min"."""
_DAYS_TOLD: Final = 7
"""Days for which a game's end is told in words; then its date is."""


def ended_ago(game: PastGame, reader: Reader) -> str:
    """Return how long ago the game ended ("3 h ago"), after a week its date: the reader's time zone is unknown."""
    translator = reader.translator
    try:
        seconds = int(reader.now - datetime.fromisoformat(game.ended).timestamp())
    except ValueError:
        return game.ended[:_DAY]
    if not -60 <= seconds < _DAYS_TOLD * 86_400:
        return game.ended[:_DAY]
    if seconds < 60:
        return translator.gettext("just now")
    if seconds < 3600:
        return translator.gettext("{n} min ago", n=seconds // 60)
    if seconds < 86_400:
        return translator.gettext("{n} h ago", n=seconds // 3600)
    return translator.ngettext("{n} day ago", "{n} days ago", seconds // 86_400)


def _reason(game: PastGame, reader: Reader) -> str:
    return end_reason(reader.games, game.game, game.reason, reader.translator)


def _players(game: PastGame, reader: Reader) -> Iterator[tuple[str, int, bool]]:
    """Yield each seat's name and total, and whether it has won."""
    for seat, (name, total) in enumerate(zip(game.seats, game.totals, strict=True)):
        yield reader.player(name.removeprefix(BOT), bot=name.startswith(BOT)), total, seat in game.winners


def player_cells(game: PastGame, reader: Reader) -> list[PageCell]:
    """Return the seats with their totals, winners marked."""
    return [
        PageCell(clean(name), "winner" if won else "text", "★" if won else "", f" {total}", clean(short))
        for (name, total, won), short in zip(
            _players(game, reader), (seat.removeprefix(BOT) for seat in game.seats), strict=True
        )
    ]


def _detail(game: PastGame, reader: Reader) -> tuple[Sequence[PageCell], Sequence[PageCell]]:
    facts = (
        game.name,
        reader.title(game.game, game.options),
        *dict.fromkeys((ended_ago(game, reader), game.ended[:_DAY])),
        _reason(game, reader),
    )
    return player_cells(game, reader), [PageCell(fact, "dim") for fact in facts if fact]


def _facts(view: HistoryView | None, reader: Reader) -> str:
    count = len(view.games) if view is not None else 0
    if view is None or not count:
        return ""
    if view.more:
        return reader.translator.ngettext("latest {n}", "latest {n}", count)
    if view.pruned:
        return reader.translator.ngettext(
            "{n} game; older ones are no longer kept", "{n} games; older ones are no longer kept", count
        )
    return reader.translator.ngettext("{n} game", "{n} games", count)


def _empty(view: HistoryView | None, waiting: bool, reader: Reader) -> str:
    gettext = reader.translator.gettext
    if view is None:
        return gettext(LOADING_LIST) if waiting else gettext("Couldn't load the list. Press a to try again.")
    if view.pruned:
        return gettext(OLDER_GAMES_REMOVED)
    if view.of == "mine":
        return gettext("You haven't finished a game here yet.")
    if view.of == "player":
        return gettext("{name} has no finished games that you can see.", name=clean(view.name))
    return gettext("No game has been finished here yet.")


def _tabs(view: HistoryView | None, query: Command | None, reader: Reader) -> Sequence[tuple[str, bool]]:
    shown = view or query
    of, name = (shown.of, shown.name) if isinstance(shown, HistoryView | History) else ("all", "")
    gettext = reader.translator.gettext
    player = gettext("player {name}", name=name) if name else gettext("player")
    return [
        (label, of == tab)
        for tab, label in (("all", gettext("all")), ("mine", gettext("mine")), ("player", player))
    ]


def _hints(view: HistoryView | None, reader: Reader) -> Sequence[str]:
    games = view is not None and view.games
    return (
        *(("open",) if games else ()),
        *("all", "mine", "player"),
        *(("export",) if games else ()),
        *(("page-down",) if view is not None and view.more else ()),
        *("actions", "help", "back"),
    )


_PLAYER: Final[Action[HistoryView, PastGame]] = Action(
    lambda view, game, typed, reader: History("player", typed), ask=Question(N_("Games of"), _MAX_NAME)
)


def _next(
    view: HistoryView | None, game: PastGame, typed: str, reader: Reader
) -> History | Action[HistoryView, PastGame]:
    """Show all games, the reader's and a player's in turn."""
    of = "all" if view is None else view.of
    return History("mine") if of == "all" else _PLAYER if of == "mine" else History("all")


def _line(game: PastGame, reader: Reader) -> str:
    gettext, seats = reader.translator.gettext, []
    for name, total, won in _players(game, reader):
        scored = f"{name} {total}"
        seats.append(gettext("{name} (won)", name=scored) if won else scored)
    title = reader.title(game.game, game.options)
    return f"{game.name:<8}  {game.ended[:_DAY]}  {title}  {', '.join(seats)}; {_reason(game, reader)}"


def _sentence(game: PastGame, reader: Reader) -> str:
    gettext = reader.translator.gettext
    players = (
        gettext("{name} won with {total}", name=name, total=total)
        if won
        else gettext("{name} {total}", name=name, total=total)
        for name, total, won in _players(game, reader)
    )
    return gettext(
        "{game}, {day}: {title}; {players}.",
        game=game.name,
        day=ended_ago(game, reader),
        title=reader.title(game.game, game.options),
        players=", ".join(players),
    )


def _closing(view: HistoryView, reader: Reader) -> Iterator[str]:
    """Yield whether there are more games, and how to see them in the shell."""
    gettext = reader.translator.gettext
    if view.more and not reader.spoken:
        command = f"`ssh HOST games --finished --before {view.games[-1].name}`"
        yield gettext("There may be more: {command}.", command=command)
    elif view.pruned:
        yield gettext(OLDER_GAMES_REMOVED)
    elif not view.games:
        yield gettext("No finished games here.")


def _own_result(own: OwnGame, reader: Reader) -> str:
    """Return how a game of the reader's ended."""
    gettext, game = reader.translator.gettext, own.game
    players = ", ".join(
        gettext("{name} {total}", name=name, total=total) for name, total, _ in _players(game, reader)
    )
    places = {"game": game.name, "title": reader.title(game.game, game.options), "players": players}
    if own.seat in game.winners:
        return gettext("{game}, {title}: you won ({players}).", **places)
    if game.winners:
        return gettext("{game}, {title}: you lost ({players}).", **places)
    return gettext("{game}, {title}: nobody won ({players}).", **places)


def missed_sentences(news: Missed, reader: Reader, most: int) -> list[str]:
    """Return what happened to the reader's games while they were away, at most `most` results, newest first."""
    gettext = reader.translator.gettext
    begun = [
        gettext(
            "The game at {code} has begun, with {names}.",
            code=clean(game.code),
            names=", ".join(map(clean, game.others)),
        )
        for game in news.begun
    ]
    results = (clean(_own_result(own, reader)) for own in news.games[:most])
    return [*begun, *_expired(news, reader), *results]


def _expired(news: Missed, reader: Reader) -> list[str]:
    said = N_("The challenge {code} expired: a seat was still free after 14 days.")
    return [reader.translator.gettext(said, code=clean(code)) for code in news.expired]


def short_results(news: Missed, reader: Reader) -> str:
    """Return the results of the reader's games in a few words, and their expired challenges; "" for none."""
    gettext = reader.translator.gettext
    games = []
    for own in news.games:
        won = gettext("won") if own.seat in own.game.winners else gettext("lost")
        games.append(f"{own.game.name} ({won if own.game.winners else gettext('nobody won')})")
    ended = gettext("Ended: {games}.", games=", ".join(games)) if games else ""
    return " ".join(filter(None, (ended, *_expired(news, reader))))


HISTORY_PAGE: Final[Page[HistoryView, PastGame]] = Page(
    keys=HISTORY,
    title=lambda view, reader: (reader.translator.gettext("Finished games"), _facts(view, reader)),
    hints=_hints,
    answer=HistoryView,
    portion=_GAMES_TOLD,
    sections=lambda view: (PageSection(view.games, key=""),),
    columns=(
        PageColumn(
            N_("when"),
            lambda game, reader: (PageCell(ended_ago(game, reader), "dim"),),
            "ended reason",
            least=_AGO,
            most=_AGO,
            narrow=_AGO,
        ),
        PageColumn(N_("name"), lambda game, _: (PageCell(game.name, "key"),), "name number", most=_MAX_NAME),
        PageColumn(
            N_("game"),
            lambda game, reader: (PageCell(reader.title(game.game, game.options)),),
            "game options",
            least=12,
            most=12,
            narrow=0,
            gap=1,
        ),
        PageColumn(N_("players"), player_cells, "seats totals winners", flexible=True),
    ),
    detail=_detail,
    empty=_empty,
    tabs=_tabs,
    older=lambda view: (
        History(view.of, view.name, view.games[-1].number) if view.more and view.games else None
    ),
    append=lambda view, older: replace(older, games=(*view.games, *older.games)),
    actions={
        "open": Action(lambda view, game, typed, reader: Replay(game.name), row=True, main=True),
        "all": Action(lambda view, game, typed, reader: History("all")),
        "mine": Action(lambda view, game, typed, reader: History("mine")),
        "player": _PLAYER,
        "next": Action(_next),
        "export": Action(
            lambda view, game, typed, reader: reader.translator.gettext(
                "Save its record: {command}", command=reader.commands.export(game.name)
            ),
            row=True,
        ),
    },
    help_title=N_("Help: finished games"),
    help=(
        HelpText(
            N_("In the list"),
            HISTORY,
            N_(
                "Every finished game has its own ID, like K7QP-12: the table's code and a number. Games at a "
                "private table are listed only for their players."
            ),
        ),
        HelpText(N_("In a replay"), REPLAY_FROM_LIST),
        HelpText(N_("With the mouse"), text=N_("Click a game to select it, click again to replay it.")),
    ),
    line=lambda view, reader: lambda game: _line(game, reader),
    sentence=_sentence,
    worded=("when", "name", "game", "players"),
    closing=_closing,
)
