"""The results of daily games and duplicate matches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import asdict

from cartino_protocol.commands import Command, Replay
from cartino_protocol.deals import (
    AttemptLine,
    Daily,
    DealView,
    Duplicate,
    League,
    PlayDaily,
    TodayView,
)
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_tui.draw.text import clean
from cartino_tui.i18n import Translator
from cartino_tui.keys import DEAL
from cartino_tui.pages.leagues import LEAGUE_HELP, LEAGUE_PAGE, player_cells
from cartino_tui.pages.page import (
    Action,
    EmptyCard,
    HelpText,
    Open,
    Page,
    PageCell,
    PageColumn,
    PageSection,
    Question,
    Reader,
    missing_list,
    rank_column,
    row_record,
)

DEAL_HELP: Final = N_(
    "A daily game is the same deal for everybody, against the same bot, which makes the same choices when you make "
    "the same moves. One key has one attempt, until 00:00 UTC: it waits for you when you leave, and counts as not "
    "finished if the day ends first. Your score is how many points short of the best your turns were, as the bot that "
    "judges the game sees it; lower is better, and ties go to the higher total. You are ranked from the day after your "
    "first finished game here; until then you play another deal, as practice."
)
DUPLICATE_HELP: Final = N_(
    "In a duplicate match everybody who has its code plays the same deal against the same bots. It closes when two or "
    "more have begun it and all of them have played, or after seven days; then the turns are shown side by side."
)
TOTAL_HELP: Final = N_(
    "In a game without a bot that judges turns, nothing is reviewed: the highest total wins, and there are no leagues."
)
SECRECY_HELP: Final = N_(
    "Until a deal closes, attempts at it can't be watched, replayed, reviewed or exported, and their results don't "
    "show the seed or the bots' hands. The hashes of the next days' seeds are published ahead, so anyone can check "
    "later that no deal was chosen for somebody."
)
_BY_LOSS: Final = N_("play your one attempt; the fewest points short wins")
_BY_TOTAL: Final = N_("play your one attempt; the highest total wins")
_BARS: Final = "▁▂▃▄▅▆▇█"
_MOST_BARS: Final = 32
_MAX_CODE: Final = 12


def turn_bars(line: AttemptLine) -> str:
    """Return a bar for the points of each turn, the highest for the most."""
    made = [max(0, turn.made) for turn in line.turns[:_MOST_BARS]]
    most = max(made, default=0) or 1
    return "".join(_BARS[(len(_BARS) - 1) * each // most] for each in made)


def share_line(view: DealView, reader: Reader) -> str:
    """Return the reader's result as a line to paste, "Cartino 127 · 26.7 short · 214 · ▂▅▇…"; "" without one."""
    own, translator = view.own, reader.translator
    if own is None or own.total is None:
        return ""
    name = f"{reader.title(view.game)} {view.number or view.code}"
    if view.practice:
        name = translator.gettext("{name} (practice)", name=name)
    lost = (
        "" if own.lost is None else translator.gettext("{points} short", points=translator.decimal(own.lost))
    )
    return " · ".join(filter(None, (name, lost, str(own.total), turn_bars(own))))


def today_with_key(today: TodayView | None, reader: Reader) -> str:
    """Return the same with the key that leads to it."""
    said = today_sentence(today, reader)
    return reader.translator.gettext("{today}; press d.", today=said) if said else ""


def today_sentence(today: TodayView | None, reader: Reader) -> str:
    """Return how one stands with today's daily; "" where there is none."""
    if today is None or not today.number:
        return ""
    gettext = reader.translator.gettext
    name = deal_name(today.game, {}, today.number, "", reader, practice=today.practice)
    if not today.state:
        return gettext("{daily}: not played yet", daily=name)
    if today.state == "playing":
        return gettext("{daily}: not finished yet", daily=name)
    facts = (
        "" if today.lost is None else gettext("{points} short", points=reader.translator.decimal(today.lost)),
        reader.translator.ngettext("{n} point", "{n} points", today.total),
        gettext("rank {place}", place=today.place) if today.place else "",
    )
    return gettext("{daily}: {facts}", daily=name, facts=", ".join(filter(None, facts)))


def deal_name(
    game: str, options: Mapping[str, str], number: int, code: str, reader: Reader, *, practice: bool = False
) -> str:
    """Return the name of a daily by its number, or of a duplicate match by the code with which it is joined."""
    title = reader.title(game, options)
    if practice:
        return reader.translator.gettext("Daily {game}, no. {number} (practice)", game=title, number=number)
    if number:
        return reader.translator.gettext("Daily {game}, no. {number}", game=title, number=number)
    return reader.translator.gettext("Duplicate match {code}, {game}", code=code, game=title)


def _name(view: DealView, reader: Reader) -> str:
    return deal_name(view.game, view.options, view.number, view.code, reader, practice=view.practice)


def _minute(time: str) -> str:
    return time.replace("T", " ")[: len("2026-01-01 12:30")]


def _title(view: DealView | None, reader: Reader) -> Sequence[str]:
    if view is None:
        return ("",)
    begun = reader.translator.ngettext("{n} player", "{n} players", view.players) if view.players else ""
    return _name(view, reader), begun


def _lost(line: AttemptLine, translator: Translator) -> str:
    """Return the points that an attempt lost, or that it isn't over; "" if it is not judged."""
    if line.state == "playing":
        return translator.gettext("playing")
    if line.state == "unfinished":
        return translator.gettext("not finished")
    return "" if line.lost is None else translator.decimal(line.lost)


def _turns(line: AttemptLine, translator: Translator) -> list[str]:
    """Return the points of each turn, with what it lost."""
    return [
        f"{turn.made}" + (f" (-{translator.decimal(turn.lost)})" if turn.lost else "") for turn in line.turns
    ]


def _facts(view: DealView, reader: Reader) -> Iterator[str]:
    """Yield how one stands with the deal, and when it closes."""
    gettext, closes = reader.translator.gettext, _minute(view.closes)
    yield from _own_sentences(view, reader)
    if view.streak:
        yield reader.translator.ngettext(
            "{n} day in a row; longest: {longest}.",
            "{n} days in a row; longest: {longest}.",
            view.streak,
            longest=view.longest,
        )
    if view.is_open and view.code:
        yield gettext("Others join with the code {code}, until {time} UTC.", code=view.code, time=closes)
    if view.is_open:
        yield gettext("Replays and reviews open when it closes, on {time} UTC at the latest.", time=closes)


def _own_sentences(view: DealView, reader: Reader) -> Iterator[str]:
    """Yield the result of the reader's attempt, or how to begin it."""
    gettext, own, closes = reader.translator.gettext, view.own, _minute(view.closes)
    if own is None:
        if view.is_open and view.barred == "played-once":
            yield gettext("Already played with this key, before its account was deleted.")
        elif view.is_open and view.barred:
            yield reader.translator.render(Refusal(view.barred).words())
        elif view.is_open and view.number:
            yield gettext("Not played yet. One attempt, until {time} UTC.", time=closes)
            if view.practice:
                yield gettext("Practice: you are ranked from the day after your first finished game.")
        return
    if own.state == "playing":
        yield gettext("Begun: it waits for you until {time} UTC.", time=closes)
    if own.total is not None:
        yield share_line(view, reader)
        yield from _rank_sentences(view, own, reader)


def _rank_sentences(view: DealView, own: AttemptLine, reader: Reader) -> Iterator[str]:
    """Yield how a finished attempt stands among the others."""
    gettext = reader.translator.gettext
    if view.by_total:
        if own.place:
            yield gettext("Rank {place}: the highest total wins.", place=own.place)
    elif own.lost is None:
        yield gettext("Your turns are being judged.")
        return
    elif own.place:
        lost = reader.translator.decimal(own.lost)
        yield gettext("You were {lost} points short: rank {place}.", lost=lost, place=own.place)
    else:
        yield gettext("You were {lost} points short.", lost=reader.translator.decimal(own.lost))
    if not own.ranked and view.is_open:
        yield gettext("Ranked from tomorrow: today was practice.")
    elif not own.ranked:
        yield gettext("No rank: this was practice.")


def _empty(view: DealView | None, waiting: bool, reader: Reader) -> str:
    gettext = reader.translator.gettext
    if view is None:
        return missing_list(waiting, reader)
    if view.is_open and view.players:
        return gettext("You see the results once you have played.")
    return gettext("Nobody has played it yet.") if view.is_open else gettext("Nobody played it.")


def _card(view: DealView | None, waiting: bool, reader: Reader) -> str | EmptyCard:
    """Return what a daily game is and how to begin, while the reader can; else what `_empty` says."""
    if view is None or view.own is not None or not _can_play(view, reader):
        return _empty(view, waiting, reader)
    gettext = reader.translator.gettext
    return EmptyCard(
        gettext("Today you practise, on a deal of its own.")
        if view.practice
        else gettext("Today, everybody plays the same deal."),
        {
            "play": (
                gettext("play your one attempt")
                if view.practice
                else gettext(_BY_TOTAL if view.by_total else _BY_LOSS)
            ),
            **({"before": gettext("see yesterday's results")} if view.number > 1 else {}),
            "help": gettext("read how daily games work"),
        },
    )


def _hints(view: DealView | None, reader: Reader) -> Sequence[str]:
    has_games = view is not None and any(row.game for row in view.rows)
    return (
        *(("play",) if _can_play(view, reader) else ()),
        *(("open",) if has_games else ()),
        *(("before",) if view is None or view.number > 1 else ()),
        *(("after",) if view is not None and view.number and not view.is_open else ()),
        *(("next", "league") if view is None or view.number else ()),
        *("actions", "help", "back"),
    )


def _can_play(view: DealView | None, reader: Reader) -> bool:
    if view is None or not view.is_open or not view.number or view.barred:
        return False
    return view.own is None or view.own.state == "playing"


def _next_game(view: DealView | None, row: AttemptLine, typed: str, reader: Reader) -> Daily:
    return Daily(reader.game_after("" if view is None else view.game))


def _other_day(by: int) -> Action[DealView, AttemptLine]:
    def turn(view: DealView, row: AttemptLine, typed: str, reader: Reader) -> Command | str:
        if (by > 0 and view.is_open) or view.number + by < 1:
            return reader.translator.gettext("There are no more days in that direction.")
        return Daily(view.game, view.number + by)

    return Action(turn, when=lambda view, reader: view is not None and view.number > 0)


def _replay(view: DealView, row: AttemptLine, typed: str, reader: Reader) -> Replay | str:
    if row.game:
        return Replay(row.game)
    return (
        reader.translator.gettext("This daily game can be seen when its day ends, at 00:00 UTC.")
        if view.number
        else ""
    )


def _opening(view: DealView, reader: Reader) -> Iterator[str]:
    gettext, name = reader.translator.gettext, _name(view, reader)
    if reader.spoken:
        yield f"{name}."
        return
    yield f"{name}, {view.day}" if view.day else name
    if view.rows:
        yield (
            gettext("rank, total, player") if view.by_total else gettext("rank, points short, total, player")
        )


def _line(view: DealView, reader: Reader) -> Callable[[AttemptLine], str]:
    def line(row: AttemptLine) -> str:
        total, lost = "" if row.total is None else str(row.total), _lost(row, reader.translator)
        points = f"{total or lost:>5}" if view.by_total else f"{lost:>6}  {total:>5}"
        words = (f"{row.place or '-':>3}", points, clean(row.name))
        return "  ".join((*words, *filter(None, (row.game, turn_bars(row)))))

    return line


def _sentence(row: AttemptLine, reader: Reader) -> str:
    """Return how somebody did; the bars of their turns can't be spoken."""
    gettext, lost = reader.translator.gettext, _lost(row, reader.translator)
    places = {"place": row.place, "name": clean(row.name), "lost": lost, "total": row.total or 0}
    if row.place and lost:
        return gettext("Rank {place}: {name}, {lost} short, total {total}.", **places)
    if row.place:
        return gettext("Rank {place}: {name}, total {total}.", **places)
    return (
        gettext("{name}: {lost}, total {total}.", **places)
        if lost
        else gettext("{name}: total {total}.", **places)
    )


def _closing(view: DealView, reader: Reader) -> Iterator[str]:
    """Yield what `_facts` says; in the shell also the turns of a duplicate match that is closed, and the hashes."""
    gettext = reader.translator.gettext
    if reader.spoken:
        yield from _facts(view, reader)
        return
    if not view.number and not view.is_open and not view.by_total:
        for row in view.rows:
            yield gettext(
                "{name}, points of the turns (short): {turns}",
                name=clean(row.name),
                turns="; ".join(_turns(row, reader.translator)),
            )
    if not view.rows:
        yield _empty(view, False, reader)
    yield from _facts(view, reader)
    yield gettext("Seed hash: {hash}", hash=view.commitment)
    if view.seed:
        yield gettext("Seed: {seed}", seed=view.seed)
    for each in view.coming:
        yield gettext("Seed hash of {day}: {hash}", day=each.day, hash=each.commitment)
        yield gettext("Seed hash of {day}, practice: {hash}", day=each.day, hash=each.practice)


def _record(view: DealView, reader: Reader) -> Mapping[str, object]:
    """Return what everybody plays, beside the results in `rows`; `own` and the places are null where there are none.

    `line` is the reader's result to paste; a turn has its points and how many it was short.
    """
    fields = (
        "game options bots number day code closes is_open commitment seed practice players streak longest"
    )
    return {
        **{field: getattr(view, field) for field in fields.split()},
        "ranked_by": "total" if view.by_total else "lost",
        "own": None if view.own is None else row_record(_COLUMNS, view.own),
        "line": share_line(view, reader),
        "coming": list(map(asdict, view.coming)),
    }


_COLUMNS: Final[tuple[PageColumn[AttemptLine], ...]] = (
    rank_column(lambda row: row.place),
    PageColumn(N_("player"), player_cells, "name state ranked", flexible=True, keeps=8),
    PageColumn(
        N_("short"),
        lambda row, reader: (PageCell(_lost(row, reader.translator), "points"),),
        "lost",
        least=6,
        right=True,
        hides=True,
    ),
    PageColumn(
        N_("total"),
        lambda row, _: (PageCell("" if row.total is None else str(row.total), "dim"),),
        "total",
        least=5,
        right=True,
    ),
    PageColumn(
        N_("turns"),
        lambda row, _: (PageCell(turn_bars(row)),),
        lambda row: {
            "turns": [{"points": turn.made, "lost": turn.lost} for turn in row.turns],
            "game": row.game,
        },
        optional=True,
        hides=True,
    ),
)

DEAL_PAGE: Final[Page[DealView, AttemptLine]] = Page(
    keys=DEAL,
    title=_title,
    hints=_hints,
    answer=DealView,
    sections=lambda view: (PageSection(view.rows),),
    columns=_COLUMNS,
    detail=lambda row, reader: (
        (PageCell(clean(row.name)),),
        [PageCell(each, "dim") for each in _turns(row, reader.translator)[:_MOST_BARS]],
    ),
    below=lambda view, reader: [(each, "dim") for each in _facts(view, reader)] if view is not None else [],
    empty=_card,
    renew=lambda view: (
        Daily(view.game, view.number if view.own else 0) if view.number else Duplicate(view.code)
    ),
    actions={
        "open": Action(_replay, row=True, main=True),
        "play": Action(lambda view, row, typed, reader: PlayDaily(view.game), when=_can_play, awaited=False),
        "next": Action(_next_game),
        "before": _other_day(-1),
        "after": _other_day(1),
        "league": Action(lambda view, row, typed, reader: Open(LEAGUE_PAGE, League())),
        "code": Action(
            lambda view, row, typed, reader: Duplicate(typed),
            ask=Question(N_("Code of the duplicate match"), _MAX_CODE, (Duplicate.__name__,)),
        ),
    },
    help_title=N_("Help: daily games"),
    help=(
        HelpText(N_("Daily games"), DEAL, DEAL_HELP),
        HelpText(N_("Duplicate matches"), text=DUPLICATE_HELP),
        HelpText(N_("Games without a judge"), text=TOTAL_HELP),
        HelpText(N_("Secrecy"), text=SECRECY_HELP),
        HelpText(N_("Leagues"), text=LEAGUE_HELP),
    ),
    opening=_opening,
    line=_line,
    sentence=_sentence,
    worded=("rank", "player", "short", "total", "turns"),
    closing=_closing,
    record=_record,
)
