"""Every list: each column is seen on the screen, in the shell's text, in plain mode's sentences and in JSON."""

import json
import pkgutil
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, NamedTuple

import pytest
from msgspec.structs import replace

import cartino_tui.pages
from cartino_protocol import views
from cartino_protocol.accounts import IgnoredPerson, Invitation, KeyLine, KeysView
from cartino_protocol.deals import AttemptLine, DealView, LeagueView, Standing, TurnPoints
from cartino_tui.game_port.screen import Look
from cartino_tui.pages.account import KEYS_PAGE
from cartino_tui.pages.contacts import INVITATIONS_PAGE, MUTED_PAGE
from cartino_tui.pages.deals import DEAL_PAGE
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.pages.leagues import LEAGUE_PAGE
from cartino_tui.pages.page import (
    AnyPage,
    Page,
    PageCell,
    PageColumn,
    Reader,
    page_json,
    page_sentences,
    page_text,
)
from cartino_tui.pages.people import LEADERS_PAGE
from cartino_tui.pages.tables import TABLES_PAGE, TablesView
from cartino_tui.visit.state import LobbyEntry
from tests.support.pages import page_at
from tests.support.visit import TOYS

UNSPOKEN: Final = ""
"""For a column that sentences leave out."""


class Listed(NamedTuple):
    """A page with a row, and how the page's own text and sentence word the columns of `Page.worded`."""

    page: AnyPage
    view: Any
    worded: Mapping[str, tuple[str, str]] = {}


LEADER = views.Leader(
    7, 4, "Zoé", 1400, 12, views.RatingRange(1400, 1920), (views.Skill("toy", {}, 2, 9, 15.0, 4.1),)
)
ATTEMPT = AttemptLine("Bo", "played", 7, True, 214, 3.5, (TurnPoints(3, 0.0), TurnPoints(12, 3.5)))
GAME = views.PastGame(
    "K7QP-12", 12, "toy", {}, ("ann", "bot:greedy"), (31, -4), (0,), "out", "2026-01-02T03:04:05Z"
)
TABLE = views.TableLine(
    "K7QP", "toy", {}, (views.SeatLine("ann", "human"), views.SeatLine("", "empty")), 3, "open", clock="30s"
)
LISTS: Final = (
    Listed(
        LEADERS_PAGE,
        views.LeadersView("toy", (LEADER,)),
        {
            "rank": ("  7  ", "Rank 7:"),
            "player": ("Zoé", "Zoé"),
            "rating": (" 1400 ", "rating 1400"),
            "games": ("12 rated games", "12 rated games"),
        },
    ),
    Listed(
        DEAL_PAGE,
        DealView("toy", {}, (), "2026-02-04T00:00:00Z", False, "ab", number=34, rows=(ATTEMPT,)),
        {
            "rank": ("  7  ", "Rank 7:"),
            "player": ("Bo", "Bo"),
            "short": ("3.5", "3.5 short"),
            "total": ("214", "total 214"),
            "turns": ("▂█", UNSPOKEN),
        },
    ),
    Listed(
        LEAGUE_PAGE,
        LeagueView("spring", "toy", "2026-01-01", "2026-03-31", 90, 10, 5, (Standing(7, "Ann", 5, 12.5, 7),)),
        {
            "rank": ("  7  ", "Rank 7:"),
            "player": ("Ann", "Ann"),
            "days": ("  5  ", "on 5 days"),
            "short": ("12.5", "12.5 short"),
        },
    ),
    Listed(
        HISTORY_PAGE,
        views.HistoryView("all", "", (GAME,), False),
        {
            "when": ("2026-01-02", "2026-01-02"),
            "name": ("K7QP-12", "K7QP-12"),
            "game": ("Toy", "Toy"),
            "players": ("ann 31 (won), bot greedy -4", "ann won with 31, bot greedy -4"),
        },
    ),
    Listed(
        TABLES_PAGE,
        TablesView((LobbyEntry(TABLE),)),
        {
            "code": ("K7QP", "K7QP"),
            "game": ("Toy", "Toy"),
            "players": ("ann, (free)", "ann, free seat"),
            "clock": ("30 seconds per turn", "30 seconds per turn"),
            "watching": ("3 watching", "3 watching"),
            "status": ("open", "open"),
        },
    ),
    Listed(KEYS_PAGE, KeysView((KeyLine("SHA256:abc", here=True),))),
    Listed(INVITATIONS_PAGE, (Invitation("K7QP", "Bo", "toy"),)),
    Listed(MUTED_PAGE, (IgnoredPerson("1", "Bo"),)),
)
EACH: Final = pytest.mark.parametrize("listed", LISTS, ids=lambda listed: type(listed.view).__name__)
READER: Final = Reader(games=TOYS)


def record_keys(page: AnyPage, view: object) -> set[str]:
    """Return the keys of the first row in JSON."""
    told = json.loads(page_json(page, view, READER))
    rows = told if isinstance(told, list) else told[page.sections(view)[0].key]
    return set(rows[0])


def test_every_page_with_columns_is_tested_here() -> None:
    modules = [
        import_module(f"cartino_tui.pages.{each.name}")
        for each in pkgutil.iter_modules(cartino_tui.pages.__path__)
    ]
    pages = [
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, Page) and each.columns
    ]
    assert {id(page) for page in pages} == {id(listed.page) for listed in LISTS}


@EACH
def test_a_new_column_is_on_the_screen_in_text_in_sentences_and_in_json(listed: Listed) -> None:
    toy = PageColumn[Any]("wins", lambda row, _: (PageCell("9371"),))
    page = replace(listed.page, columns=(*listed.page.columns, toy))
    screen = page_at(page, listed.view)(Look(160, 40)).text().casefold()
    assert ("wins" in screen, "9371" in screen) == (True, True)
    assert "wins: 9371" in page_text(page, listed.view, READER)
    assert "wins: 9371" in " ".join(page_sentences(page, listed.view, READER))
    assert '"wins": "9371"' in page_json(page, listed.view, READER)


@EACH
def test_each_column_is_in_text_and_sentences(listed: Listed) -> None:
    page, view = listed.page, listed.view
    text, spoken = page_text(page, view, READER), " ".join(page_sentences(page, view, READER))
    assert set(page.worded) == set(listed.worded), "the columns that the page words itself"
    for column in page.columns:
        if column.heading in page.worded:
            in_text, in_sentence = listed.worded[column.heading]
            assert in_text in text
            assert in_sentence in spoken
        else:
            without = replace(page, columns=tuple(each for each in page.columns if each is not column))
            assert page_text(without, view, READER) != text
            assert " ".join(page_sentences(without, view, READER)) != spoken


@EACH
def test_each_column_has_keys_of_its_own_in_json(listed: Listed) -> None:
    page, view = listed.page, listed.view
    for column in page.columns:
        without = replace(page, columns=tuple(each for each in page.columns if each is not column))
        assert record_keys(without, view) < record_keys(page, view)
