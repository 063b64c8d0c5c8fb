"""Ratings, profiles, invitations and the course of a game at every size and in a longer language: all is whole."""

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal

import pytest
from msgspec.structs import replace

from cartino_protocol.accounts import AccountView, IgnoredPerson, Invitation, KeyLine, KeysView
from cartino_protocol.deals import AttemptLine, DealView, LeagueView, Standing, TurnPoints
from cartino_protocol.views import (
    CourseTurn,
    HeadToHead,
    Highlight,
    Leader,
    LeadersView,
    ProfileView,
    RatingLine,
    ScoreLine,
)
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.keys import COURSE, LEADERS
from cartino_tui.pages.account import ACCOUNT_PAGE, KEYS_PAGE
from cartino_tui.pages.contacts import INVITATIONS_PAGE, MUTED_PAGE
from cartino_tui.pages.deals import DEAL_PAGE
from cartino_tui.pages.leagues import LEAGUE_PAGE
from cartino_tui.pages.people import LEADERS_PAGE, PROFILE_PAGE
from cartino_tui.screens.page_drawing import page_help
from cartino_tui.screens.replay.totals import TotalsDrawing, TotalsModel, TotalsScreen
from cartino_tui.widgets.help import draw_help
from cartino_tui.widgets.layout import translate_hints
from tests.support.languages import in_others
from tests.support.pages import page_at
from tests.support.pseudo import in_pseudo, plain_words, pseudo
from tests.support.sizes import each_size, sizes
from tests.support.visit import toy_table
from tests.support.whole import drawn_whole

WIDTHS = (60, 61, 70, 80, 100, 120, 160, 200)
HEIGHTS = (20, 24, 30, 40, 50, 60)
SIZES = tuple(itertools.product(WIDTHS, HEIGHTS))
LONGEST = "Bartholomew_1234"
REFUSED = pseudo("A refusal of some length that stands here, in a language already, for all of two rows.")

PEOPLE = tuple(Leader(number, number, f"{LONGEST[:-2]}{number}", 99999, 99999) for number in range(1, 51))
BOTS = (Leader(1, 90, "greedy", 1000, 3), Leader(2, 91, "random", -12, 99999))
SCORES = (
    ScoreLine(
        "toy",
        {"size": "small"},
        1,
        1,
        1.0,
        (Highlight("turn", 31, "K7QP-12"), Highlight("lay", 1, "B4ZT-4711")),
    ),
    ScoreLine("toy", {"size": "big"}, 12345, 345, 187.6, (Highlight("turn", 131, "K7QP-31234"),)),
)
RATINGS = (RatingLine("toy", 1234, 1, 1), RatingLine("toy", 99999, 99999, 0))
MET = (HeadToHead("toy", 1, 1, 0), HeadToHead("toy", 12345, 6000, 6000))
TURNS = tuple(
    CourseTurn(number % 4, 2 * number + 1, (number, 2 * number, 99 - number, -number)) for number in range(97)
)
FOUR = toy_table(f"{LONGEST} {LONGEST} bot:greedy Ann", you=None)

Draw = Callable[[Look], Frame]


def leaders() -> Iterator[Draw]:
    for you in (None, PEOPLE[3], Leader(0, 77, LONGEST, 3, 4)):
        view = LeadersView("toy", PEOPLE, BOTS, you)
        for cursor in (0, 49, 50, 51):
            yield page_at(LEADERS_PAGE, view, cursor=cursor, games=2, status=REFUSED * bool(cursor))
    yield page_at(LEADERS_PAGE, LeadersView("toy", (), BOTS), guest=True)
    yield page_at(LEADERS_PAGE, LeadersView("toy", ()), guest=True, status=REFUSED)
    yield page_at(LEADERS_PAGE)
    yield page_at(LEADERS_PAGE, waiting=True)


def profiles() -> Iterator[Draw]:
    view = ProfileView(LONGEST, 3, scores=SCORES, ratings=RATINGS, against=LONGEST, head_to_head=MET)
    yield page_at(PROFILE_PAGE, view)
    yield page_at(PROFILE_PAGE, view, top=4, status=REFUSED)
    yield page_at(PROFILE_PAGE, ProfileView("greedy", 3, bot=True, scores=SCORES[:1], against="Ann"))
    yield page_at(PROFILE_PAGE, ProfileView("Ann", you=True), guest=True)
    yield page_at(PROFILE_PAGE, ProfileView("Ann", you=True), status=REFUSED)


def invitations() -> Iterator[Draw]:
    lines = tuple(Invitation(code, LONGEST, "toy") for code in ("K7QP", "B4ZT", "QQ2M", "M8RW", "N8RW"))
    yield page_at(INVITATIONS_PAGE, lines, cursor=4, status=REFUSED)
    yield page_at(INVITATIONS_PAGE, ())


def ignored() -> Iterator[Draw]:
    people = tuple(IgnoredPerson(str(number), LONGEST) for number in range(99))
    yield page_at(MUTED_PAGE, people, cursor=98, status=REFUSED)
    yield page_at(MUTED_PAGE, people[:1])
    yield page_at(MUTED_PAGE, ())


def ssh_keys() -> Iterator[Draw]:
    day = "2026-11-21T10:00:00Z"
    keys = tuple(
        KeyLine(f"256:{number:_>46}", day * bool(number), day, here=number == 3) for number in range(20)
    )
    command = "12.345.67.89 " + "22222222." * 10 + "22"
    yield page_at(KEYS_PAGE, KeysView(keys), cursor=3, status=REFUSED, command=command)
    made = KeysView(keys, "code", "AAAAA-AAAAA", 10)
    yield page_at(KEYS_PAGE, made, cursor=19, command=command)
    yield page_at(KEYS_PAGE, KeysView((KeyLine("256:" + "0" * 46, here=True),)))
    yield page_at(KEYS_PAGE, waiting=True)
    yield page_at(KEYS_PAGE, guest=True)


def accounts() -> Iterator[Draw]:
    view = AccountView(LONGEST, keys=("256:" + "0" * 46,) * 3, ignored=(LONGEST,) * 9, tables=("K7QP",) * 9)
    yield page_at(ACCOUNT_PAGE, view)
    yield page_at(ACCOUNT_PAGE, view, top=99, status=REFUSED)
    yield page_at(ACCOUNT_PAGE, AccountView(LONGEST, guest=True), guest=True)
    yield page_at(ACCOUNT_PAGE, waiting=True)


def courses() -> Iterator[Draw]:
    def draw(model: TotalsModel, look: Look) -> Frame:
        hints = translate_hints(COURSE.hints(*TotalsScreen.HINTS), look)
        return TotalsDrawing(model, look).frame(hints)

    for at in (0, 50, 96):
        yield partial(draw, TotalsModel(FOUR, "Toy small · K7QP-12", TURNS, at, REFUSED * (at == 50)))
    yield partial(
        draw, TotalsModel(toy_table("Ann Bo", you=None), "Toy small · K7QP-12", (CourseTurn(0, 1, (3, 0)),))
    )


def deals() -> Iterator[Draw]:
    turns = tuple(TurnPoints(number % 23, number % 5 / 2) for number in range(40))
    states: tuple[Literal["playing", "played", "unfinished"], ...] = ("playing", "played", "unfinished")
    rows = tuple(
        AttemptLine("Ann", states[number % 3], number, True, 999, 199.5, turns, "AB2DEFGH-31234")
        for number in range(60)
    )
    closed = DealView("toy", {"size": "small"}, ("greedy",), "2026-02-04T00:00:00Z", False, "ab" * 32)
    daily = replace(closed, number=9999, day="2026-02-03", own=rows[1], players=60, streak=99, longest=100)
    yield page_at(DEAL_PAGE, replace(daily, rows=rows), cursor=59, games=2, status=REFUSED)
    yield page_at(DEAL_PAGE, replace(daily, is_open=True, rows=rows[:3]), cursor=1)
    yield page_at(DEAL_PAGE, replace(daily, is_open=True, own=None), guest=True)
    yield page_at(DEAL_PAGE, replace(daily, is_open=True, own=None, practice=True))
    yield page_at(DEAL_PAGE, replace(closed, code="AB2DEFGH", is_open=True, own=rows[0], rows=rows[:2]))
    yield page_at(DEAL_PAGE)
    yield page_at(DEAL_PAGE, waiting=True)
    standings = tuple(Standing(number, LONGEST, 99, 1999.5, 199) for number in range(60))
    league = LeagueView(LONGEST, "toy", "2026-01-01", "2026-12-31", 365, 200, 100, standings, ("a", "b"))
    yield page_at(LEAGUE_PAGE, league, cursor=59, status=REFUSED)
    yield page_at(LEAGUE_PAGE, LeagueView(""))
    yield page_at(LEAGUE_PAGE, waiting=True)


def helps() -> Iterator[Draw]:
    yield lambda look: draw_help(
        page_help(LEADERS_PAGE, LEADERS.hints("mine", "player", "back"), look.translator), look
    )


SCREENS = {
    "leaders": leaders,
    "profile": profiles,
    "invitations": invitations,
    "ignored": ignored,
    "course": courses,
    "ssh keys": ssh_keys,
    "account": accounts,
    "deals": deals,
    "help": helps,
}


@each_size
@pytest.mark.parametrize("screen", SCREENS)
def test_every_label_is_whole(screen: str, every: bool) -> None:
    for width, height in sizes(SIZES, every=every):
        english = Look(width, height)
        for look in (english, in_pseudo(english), *in_others(english), Look(width, height, ascii=True)):
            for draw in SCREENS[screen]():
                with drawn_whole(LONGEST[:-2]) as faults:
                    frame = draw(look)
                assert faults == [], f"{width}x{height} {look.translator.name}\n{frame.text()}"
                assert (frame.width, frame.height, len(frame.rows)) == (width, height, height)
                assert all(sum(len(text) for text, _ in row) == width for row in frame.rows)
                assert not look.ascii or frame.text().isascii()


@pytest.mark.parametrize("screen", SCREENS)
def test_every_word_is_said_in_the_readers_language(screen: str) -> None:
    names = (LONGEST, LONGEST[:-4], "greedy", "random", "Ann", "Bo", "Toy", "small", "big", "turn", "lay")
    typed = ("keys", "add", "AAAAA", "ssh", "keygen", "ed25519", "ed")
    for size in ((60, 20), (80, 24), (160, 60)):
        for draw in SCREENS[screen]():
            assert plain_words(draw(in_pseudo(Look(*size))), *names, *typed, "QQ", "QQ2M") == []


@pytest.mark.parametrize("screen", ["leaders", "profile", "invitations", "course"])
def test_the_way_out_is_among_the_hints_of_every_width(screen: str) -> None:
    for width in WIDTHS:
        for look in (Look(width, 20), in_pseudo(Look(width, 20))):
            for draw in SCREENS[screen]():
                assert draw(look).text().split("\n")[-1].split("  ")[-1].split()[0] == "q", look


@pytest.mark.parametrize("practice", [True, False])
@pytest.mark.parametrize("streak", [0, 9])
def test_the_card_of_a_new_day_leaves_title_and_sentences_whole(practice: bool, streak: int) -> None:
    view = DealView("toy", {"size": "small"}, ("greedy",), "2026-02-04T00:00:00Z", True, "ab" * 32, number=34)
    draw = page_at(DEAL_PAGE, replace(view, practice=practice, streak=streak))
    for look in (Look(60, 20), *in_others(Look(60, 20))):
        text = draw(look).text()
        rows = text.splitlines()
        assert "34" in rows[0]
        assert set(rows[1].strip()) == {"─"}
        (top,) = [number for number, row in enumerate(rows) if "╭" in row]
        (bottom,) = [number for number, row in enumerate(rows) if "╰" in row]
        card, below = rows[top + 1 : bottom], rows[bottom + 1 : -1]
        assert all(row.count("│") == 2 for row in card)
        assert [row.split()[1] for row in card if row.split()[1] in "p?←"] == ["p", "←", "?"]
        assert not any(mark in row for mark in "│╭╰╮╯" for row in below), text
        assert " ".join(" ".join(below).split()).count("00:00 UTC") == 2, text


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 60)])
def test_the_marked_line_is_in_sight(size: tuple[int, int]) -> None:
    look = Look(*size)
    for cursor in range(len(PEOPLE) + len(BOTS)):
        frame = page_at(LEADERS_PAGE, LeadersView("toy", PEOPLE, BOTS), cursor=cursor)(look)
        assert any("►" in row[:4] for row in frame.text().splitlines()), cursor


def test_all_of_a_profile_can_be_scrolled_to() -> None:
    view = ProfileView(LONGEST, 3, scores=SCORES * 5, ratings=RATINGS, against=LONGEST, head_to_head=MET)
    look = Look(60, 20)
    seen = [page_at(PROFILE_PAGE, view, top=top)(look).text() for top in range(0, 40, 5)]
    assert "RATING" in seen[0]
    assert "RATING" not in seen[-1]
    assert f"{LONGEST} finished\n    ahead: 6000. Tied: 345." in seen[-1]
