"""Figures in words: how sure a rating is, what a player loses a game, goals against bots, days in a row."""

from collections.abc import Mapping

from msgspec.structs import asdict

from cartino_protocol import views
from cartino_tui.pages.page import Reader


def rating_text(rating: int, games: int) -> str:
    """Return a rating, with a mark where it is provisional."""
    return f"{rating}?" if games < views.FIRM_GAMES else str(rating)


def range_text(range: views.RatingRange | None) -> str:
    """Return the range of a rating: "1310–1690"; "" for none."""
    return "" if range is None else f"{range.low}–{range.high}"


def _lost(skill: views.Skill) -> str:
    """Return what a player loses a game: "20.2 ±2.6", with a mark where it is provisional."""
    mark = "?" if skill.games < views.FIRM_GAMES else ""
    return f"{skill.lost:.1f}{mark}" + ("" if skill.within is None else f" ±{skill.within:.1f}")


def main_lost(line: views.Leader) -> str:
    """Return what a player loses in a game of the kind that they play most; "" where nothing is known."""
    return _lost(line.skill[0]) if line.skill else ""


def kind_title(skill: views.Skill | views.Goal, reader: Reader) -> str:
    """Return the kind of game: "Cartino 1974, 2 seats"."""
    seats = reader.translator.ngettext("{n} seat", "{n} seats", skill.seats)
    return f"{reader.title(skill.game, skill.options)}, {seats}"


def skill_facts(skill: views.Skill, reader: Reader) -> str:
    """Return what a player loses a game, in words."""
    gettext, ngettext = reader.translator.gettext, reader.translator.ngettext
    facts = (
        gettext("{lost} points short of perfect play a game", lost=f"{skill.lost:.1f}"),
        "" if skill.within is None else gettext("±{n} (95%)", n=f"{skill.within:.1f}"),
        ngettext("last game", "last {n} games", skill.games),
        gettext("provisional") if skill.games < views.FIRM_GAMES else "",
    )
    return ", ".join(filter(None, facts))


def rating_facts(games: int, range: views.RatingRange | None, reader: Reader) -> list[str]:
    """Return how sure a rating is: its range, and whether it is provisional."""
    gettext = reader.translator.gettext
    facts = (
        "" if range is None else gettext("level {low} to {high} (99.7%)", low=range.low, high=range.high),
        gettext("provisional") if games < views.FIRM_GAMES else "",
    )
    return [fact for fact in facts if fact]


def goal_text(goal: views.Goal, reader: Reader) -> str:
    """Return how the games against a bot went: "bot greedy: 3 of 5 won, best margin +41, best turn 38"."""
    gettext = reader.translator.gettext
    best = f"{reader.fact(goal.game, goal.fact)} {goal.best}" if goal.fact else ""
    facts = (
        gettext("{wins} of {games} won", wins=goal.wins, games=goal.games),
        gettext("best margin {n}", n=f"{goal.margin:+}"),
        best,
    )
    return f"{reader.player(goal.bot, bot=True)}: {', '.join(filter(None, facts))}"


def streak_text(days: int, reader: Reader) -> str:
    """Return on how many days in a row a player has finished a game."""
    return reader.translator.ngettext(
        "{n} day with a finished game.", "{n} days in a row with a finished game.", days
    )


def range_record(range: views.RatingRange | None) -> Mapping[str, int | None]:
    """Return the range of a rating as JSON has it."""
    return {"low": None if range is None else range.low, "high": None if range is None else range.high}


def skill_record(skill: views.Skill) -> Mapping[str, object]:
    """Return what a player loses a game as JSON has it."""
    return {**asdict(skill), "provisional": skill.games < views.FIRM_GAMES}
