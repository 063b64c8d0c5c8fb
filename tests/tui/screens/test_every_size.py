"""Every screen of the frame as it is drawn: some as pictures, all at every size.

They are whole in English, in a language 40 % longer, in French, German and ASCII.
"""

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from cartino_protocol.accounts import AccountView, IgnoredPerson, Invitation, KeyLine, KeysView
from cartino_protocol.deals import AttemptLine, DealView, LeagueView, Standing, TurnPoints
from cartino_protocol.views import (
    CourseTurn,
    HeadToHead,
    Highlight,
    HistoryView,
    Leader,
    LeadersView,
    ProfileView,
    RatingLine,
    ScoreLine,
    TableView,
)
from cartino_tui.draw.canvas import Frame
from cartino_tui.draw.text import clean
from cartino_tui.game_port.screen import Look, all_samples
from cartino_tui.i18n import ENGLISH
from cartino_tui.keys import COURSE, LEADERS, REPLAY, SETTINGS, TALK
from cartino_tui.pages.account import ACCOUNT_PAGE, KEYS_PAGE
from cartino_tui.pages.contacts import INVITATIONS_PAGE, MUTED_PAGE
from cartino_tui.pages.deals import DEAL_PAGE
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.pages.leagues import LEAGUE_PAGE
from cartino_tui.pages.new_table import TableForm, new_form
from cartino_tui.pages.people import LEADERS_PAGE, PROFILE_PAGE
from cartino_tui.pages.settings_rows import SETTING_ROWS
from cartino_tui.pages.tables import TABLES_PAGE, TablesView
from cartino_tui.preferences import Preferences
from cartino_tui.screens.chat import chat_rows, draw_chat
from cartino_tui.screens.page_drawing import page_help
from cartino_tui.screens.replay.totals import TotalsDrawing, TotalsModel, TotalsScreen
from cartino_tui.screens.settings import SettingsDrawing
from cartino_tui.screens.waiting_drawing import WaitingModel, waiting_drawing, waiting_hints
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import LobbyEntry
from cartino_tui.widgets.help import (
    HelpDrawing,
    HelpPart,
    cut_prompt,
    lobby_help,
    replay_help,
    table_help,
    waiting_help,
)
from cartino_tui.widgets.layout import MIN_HEIGHT, MIN_WIDTH, draw_too_small, too_small, translate_hints
from cartino_tui.widgets.notices import with_notice
from cartino_tui.widgets.prompt import Prompt, open_prompt
from cartino_tui.widgets.table_form import FormDrawing
from tests.support.games import SCREENS as GAMES
from tests.support.languages import in_others
from tests.support.pages import page_at
from tests.support.past import past, whole
from tests.support.pseudo import in_pseudo, plain_words, pseudo
from tests.support.sizes import USUAL, each_size, sizes
from tests.support.visit import TOYS, line, toy_table, welcome
from tests.support.whole import drawn_whole

WIDTHS = (60, 61, 70, 79, 80, 81, 100, 119, 120, 132, 160, 200)
HEIGHTS = (20, 21, 24, 30, 40, 43, 50, 60)
SIZES = tuple(itertools.product(WIDTHS, HEIGHTS))
LONGEST = "Bartholomew_1234"
FOUR = " ".join([LONGEST] * 4)
WORD = "batiko-nuvaro-zeline"
DOOR = ShellCommands("ssh -t games.example.org")
REFUSED = pseudo("A refusal of some length that stands here, in a language already, for all of two rows.")
WIDE = "王小明王小明王小明王"
"""As wide a name as there is: 10 letters of 3 bytes, which take 20 cells."""
CHAT = (
    ("", "Ann takes a seat"),
    (LONGEST, "hello there, " * 20),
    ("Léa", "hi! <b>[red]x[/]"),
    (clean(WIDE), clean(WIDE * 9)),
)
FOREIGN = (LONGEST[:-2], WIDE[0], "????", "greedy", "random", "hello there")
"""What may be cut: names and words of people."""
NAMES = (
    *("Bartholomew", "greedy", "random", "Ann", "Bo", "Chika", "Eve", "Léa", "Toy", "Odd", "small", "big"),
    *("turn", "lay", "QQ", "English", "français", "Deutsch", "Esc", "Enter", "vi", "LANG", "ctrl"),
)
LET_THROUGH = (
    *(*NAMES, "unknown-game", "UTC", "fa", "bc", WORD, *WORD.split("-"), "hello", "there", "hi", "red"),
    *("Ann takes a seat", DOOR.words, "join", "back", "watch", "stone", "Lay a", LONGEST),
    *("keys", "add", "AAAAA", "ssh", "keygen", "ed25519", "ed"),
)

TABLES = (
    LobbyEntry(line("K7QP", f"{LONGEST} bot:greedy", "playing", 3, (0,), paused=True), mine=True),
    LobbyEntry(line("K7QQ", f"{LONGEST} bot:greedy", "finished"), mine=True),
    LobbyEntry(line("B4ZT", f"{LONGEST} Chika - -", clock="120s")),
    LobbyEntry(line("M8RW", FOUR, "playing", 112, (2,), clock="day")),
    LobbyEntry(line("N8RW", "Ann bot:greedy bot:greedy bot:random", "open")),
    LobbyEntry(line("W8RW", f"{WIDE} {WIDE} Bo {WIDE}", "playing", 1, (1,))),
    LobbyEntry(line("Z9YX", "Bo bot:greedy", "playing", paused=True)),
    LobbyEntry(line("C5DD", "Bo Léa", "playing", game="unknown-game")),
)
PAST = (
    past(4711, "Ann Léa", (120, -5)),
    past(31234, FOUR, (101, 98, 101, -12), (0, 2), code="B4ZT", reason="blocked"),
    past(31235, f"{WIDE} {WIDE} {WIDE}", (101, 98, -12), (0, 2), code="B4ZU"),
    past(40, "bot:greedy bot:random Ann", (10, 20, 5), (1,), code="QQ2M", reason="points"),
    past(7, "Ann Bo", (3, 0), (), code="M8RW", reason="abandoned", ended="2025-12-31T23:59:00Z"),
)
PEOPLE = tuple(Leader(number, number, f"{LONGEST[:-2]}{number}", 99999, 99999) for number in range(1, 51))
BOTS = (Leader(1, 90, "greedy", 1000, 3), Leader(2, 91, "random", -12, 99999))
HIGHLIGHTS = (Highlight("turn", 31, "K7QP-12"), Highlight("lay", 1, "B4ZT-4711"))
SCORES = (
    ScoreLine("toy", {"size": "small"}, 1, 1, 1.0, HIGHLIGHTS),
    ScoreLine("toy", {"size": "big"}, 12345, 345, 187.6, (Highlight("turn", 131, "K7QP-31234"),)),
)
RATINGS = (RatingLine("toy", 1234, 1, 1), RatingLine("toy", 99999, 99999, 0))
MET = (HeadToHead("toy", 1, 1, 0), HeadToHead("toy", 12345, 6000, 6000))
PROFILE = ProfileView(LONGEST, 3, scores=SCORES, ratings=RATINGS, against=LONGEST, head_to_head=MET)

Draw = Callable[[Look], Frame]


def lobbies() -> Iterator[Draw]:
    crowded = TablesView(TABLES, LONGEST, 140)
    for cursor in range(len(TABLES)):
        for status in ("", REFUSED):
            yield page_at(TABLES_PAGE, crowded, cursor=cursor, status=status, guest=True)
    many = TablesView(tuple(TABLES[3] for _ in range(99)), LONGEST, 2)
    yield page_at(TABLES_PAGE, many, cursor=50, top=40)
    yield page_at(TABLES_PAGE, TablesView(name=LONGEST, people=1), status=REFUSED, guest=True)
    yield page_at(TABLES_PAGE, TablesView(arrived=False))


def draw_room(model: WaitingModel, look: Look) -> Frame:
    hints = translate_hints(waiting_hints(model.table), look)
    return waiting_drawing(replace(model, hints=hints), look).frame()


def waits() -> Iterator[Draw]:
    four, bots = f"{LONGEST} {LONGEST} {LONGEST} -", "Ann bot:greedy bot:random -"
    views = (
        toy_table(four, "open", clock="day", absence="10m", cut=(0, 1, 2), away=(1, 2)),
        toy_table(bots, "open", watchers=("a",) * 14, open=False, code="K7QPWX3M"),
        toy_table(f"{WIDE} {WIDE} -", "open", you=1, away=(0,), cut=(0, 1)),
        toy_table("Bo -", "open", you=None, clock="none", absence="never"),
        toy_table(f"{LONGEST} {LONGEST} - -", "open", you=1, away=(0,), cut=(0,), clock="120s"),
    )
    for view, (word, said), status in itertools.product(views, ((WORD, CHAT), ("", ())), ("", REFUSED)):
        model = WaitingModel(view, "Toy small: K7QP", 1, said, status, shell_commands=DOOR, word=word)
        yield partial(draw_room, model)


def form() -> TableForm:
    begun = new_form(welcome(odd=True))
    assert begun is not None
    return begun


def forms() -> Iterator[Draw]:
    def draw(form: TableForm, status: str, look: Look) -> Frame:
        return FormDrawing(form, look, status).frame()

    for cursor, status in itertools.product(range(len(form().fields)), ("", REFUSED)):
        yield partial(draw, form().step(cursor).turn(1), status)


def helps() -> Iterator[Draw]:
    told = replace(welcome(guest=True, word=WORD), promise="7" * 64)
    view = toy_table("Ann Bo -", "open")
    toy, keys = TOYS["toy"], LEADERS.hints("mine", "player", "back")
    yield lambda look: HelpDrawing(lobby_help(look.translator, told), look).frame()
    yield lambda look: HelpDrawing(page_help(HISTORY_PAGE, (), look.translator), look).frame()
    yield lambda look: HelpDrawing(page_help(LEADERS_PAGE, keys, look.translator), look).frame()
    yield lambda look: HelpDrawing(waiting_help(toy, view, told, DOOR, look.translator), look).frame()
    yield lambda look: HelpDrawing(replay_help(toy, view, REPLAY, look.translator), look).frame()


def histories() -> Iterator[Draw]:
    for cursor, status in itertools.product(range(len(PAST)), ("", REFUSED)):
        yield page_at(
            HISTORY_PAGE, HistoryView("player", LONGEST, PAST, more=True), cursor=cursor, status=status
        )
    yield page_at(HISTORY_PAGE, HistoryView("player", LONGEST, (), more=False))
    yield page_at(HISTORY_PAGE, HistoryView("mine", "", (), more=False))
    yield page_at(HISTORY_PAGE)
    yield page_at(HISTORY_PAGE, waiting=True)


def chats() -> Iterator[Draw]:
    def draw(status: str, look: Look) -> Frame:
        rows = chat_rows(CHAT * 9, look, look.width - 2)
        return draw_chat(rows, 3, look, status, translate_hints(TALK.hints("chat", "up", "back"), look))

    yield partial(draw, "")
    yield partial(draw, REFUSED)
    yield lambda look: draw_chat([], 0, look, "", translate_hints(TALK.hints("chat", "back"), look))


def prompts() -> Iterator[Draw]:
    def draw(label: str, most: int, text: str, look: Look) -> Frame:
        ask = Prompt(look.translator.gettext(label), most, lambda text: None, text)
        line = open_prompt(ask).noted(REFUSED if text else "")
        return line.draw(draw_chat([], 0, look, "", ()), look)

    for label, most in (("Table code (or: watch CODE)", 16), ("To the table", 300), ("Your name", 16)):
        for text in ("", "hello there"):
            yield partial(draw, label, most, text)
    yield lambda look: open_prompt(cut_prompt(lambda cut: None, look.translator)).draw(
        draw_chat([], 0, look, "", ()), look
    )
    yield lambda look: with_notice(draw_chat([], 0, look, "", ()), REFUSED, look)


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
    yield page_at(PROFILE_PAGE, PROFILE)
    yield page_at(PROFILE_PAGE, PROFILE, top=4, status=REFUSED)
    yield page_at(PROFILE_PAGE, ProfileView("greedy", 3, bot=True, scores=SCORES[:1], against="Ann"))
    yield page_at(PROFILE_PAGE, ProfileView("Ann", you=True), guest=True)
    yield page_at(PROFILE_PAGE, ProfileView("Ann", you=True), status=REFUSED)


def contacts() -> Iterator[Draw]:
    lines = tuple(Invitation(code, LONGEST, "toy") for code in ("K7QP", "B4ZT", "QQ2M", "M8RW", "N8RW"))
    people = tuple(IgnoredPerson(str(number), LONGEST) for number in range(99))
    yield page_at(INVITATIONS_PAGE, lines, cursor=4, status=REFUSED)
    yield page_at(INVITATIONS_PAGE, ())
    yield page_at(MUTED_PAGE, people, cursor=98, status=REFUSED)
    yield page_at(MUTED_PAGE, people[:1])
    yield page_at(MUTED_PAGE, ())


def accounts() -> Iterator[Draw]:
    day = "2026-11-21T10:00:00Z"
    keys = tuple(
        KeyLine(f"256:{number:_>46}", day * bool(number), day, here=number == 3) for number in range(20)
    )
    command = "12.345.67.89 " + "22222222." * 10 + "22"
    yield page_at(KEYS_PAGE, KeysView(keys), cursor=3, status=REFUSED, command=command)
    yield page_at(KEYS_PAGE, KeysView(keys, "code", "AAAAA-AAAAA", 10), cursor=19, command=command)
    yield page_at(KEYS_PAGE, KeysView((KeyLine("256:" + "0" * 46, here=True),)))
    yield page_at(KEYS_PAGE, waiting=True)
    yield page_at(KEYS_PAGE, guest=True)
    view = AccountView(LONGEST, keys=("256:" + "0" * 46,) * 3, ignored=(LONGEST,) * 9, tables=("K7QP",) * 9)
    yield page_at(ACCOUNT_PAGE, view)
    yield page_at(ACCOUNT_PAGE, view, top=99, status=REFUSED)
    yield page_at(ACCOUNT_PAGE, AccountView(LONGEST, guest=True), guest=True)
    yield page_at(ACCOUNT_PAGE, waiting=True)


def courses() -> Iterator[Draw]:
    def draw(model: TotalsModel, look: Look) -> Frame:
        hints = translate_hints(COURSE.hints(*TotalsScreen.HINTS), look)
        return TotalsDrawing(model, look).frame(hints)

    turns = tuple(CourseTurn(n % 4, 2 * n + 1, (n, 2 * n, 99 - n, -n)) for n in range(97))
    table = toy_table(f"{LONGEST} {LONGEST} bot:greedy Ann", you=None)
    for at in (0, 50, 96):
        yield partial(draw, TotalsModel(table, "Toy small · K7QP-12", turns, at, REFUSED * (at == 50)))
    one = (CourseTurn(0, 1, (3, 0)),)
    yield partial(draw, TotalsModel(toy_table("Ann Bo", you=None), "Toy small · K7QP-12", one))


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


def draw_settings(cursor: int, choices: dict[str, str], look: Look) -> Frame:
    wanted = Preferences(ascii=look.ascii)
    wanted.choose(**choices)
    hints = translate_hints(SETTINGS.hints("more", "help", "back"), look)
    return SettingsDrawing(look, wanted, cursor, sample=tuple(all_samples(GAMES, look))).frame(hints)


def settings() -> Iterator[Draw]:
    for cursor in range(len(SETTING_ROWS)):
        yield partial(draw_settings, cursor, {})
    yield partial(draw_settings, 2, {"theme": "own", "keymap": "own"})


SCREENS: dict[str, Callable[[], Iterator[Draw]]] = {
    "lobby": lobbies,
    "waiting room": waits,
    "form": forms,
    "help": helps,
    "history": histories,
    "chat": chats,
    "prompt": prompts,
    "leaders": leaders,
    "profile": profiles,
    "contacts": contacts,
    "account": accounts,
    "course": courses,
    "deals": deals,
    "settings": settings,
}


def looks(size: tuple[int, int], *, every: bool) -> Iterator[Look]:
    """The languages in which a size is drawn: all where it is small, which is the hardest; else some."""
    english = Look(*size)
    yield in_pseudo(english)
    yield Look(*size, ascii=True)
    if every or size in USUAL[:2]:
        yield from (english, *in_others(english))


@each_size
@pytest.mark.parametrize("screen", SCREENS)
def test_every_label_is_whole(screen: str, every: bool) -> None:
    for size in sizes(SIZES, every=every):
        for look, draw in itertools.product(looks(size, every=every), SCREENS[screen]()):
            with drawn_whole(*FOREIGN) as faults:
                frame = draw(look)
            assert faults == [], f"{size} {look.translator.name}\n{frame.text()}"
            assert (frame.width, frame.height, len(frame.rows)) == (*size, size[1])
            assert all(sum(len(text) for text, _ in row) == size[0] for row in frame.rows)
            assert not look.ascii or frame.text().replace("ç", "c").isascii()


@pytest.mark.parametrize("screen", SCREENS)
def test_every_word_is_said_in_the_readers_language(screen: str) -> None:
    for size in ((60, 20), (80, 24), (160, 60)):
        for draw in SCREENS[screen]():
            found = plain_words(draw(in_pseudo(Look(*size))), *LET_THROUGH)
            assert [word for word in found if not any(name.startswith(word) for name in NAMES)] == []


@pytest.mark.parametrize("screen", ["lobby", "waiting room", "history", "leaders", "profile", "course"])
def test_the_help_and_the_way_out_are_among_the_hints_of_every_width(screen: str) -> None:
    for width in WIDTHS[::2]:
        for look in (Look(width, 20), in_pseudo(Look(width, 20))):
            for draw in itertools.islice(SCREENS[screen](), 0, None, 3):
                row = draw(look).text().split("\n")[-1].split("  ")
                assert row[-1].split()[0] == "q", look
                if screen in {"lobby", "waiting room", "history"}:
                    assert "? " + look.translator.gettext("help") in row, look


@each_size
def test_what_has_to_be_read_or_typed_stands_there_whole(every: bool) -> None:
    for size in sizes(SIZES, every=every):
        look = in_pseudo(Look(*size))
        for draw in waits():
            seen = draw(look).text()
            assert "join K7QP" in seen, size
            assert any(name in seen for name in (LONGEST, "greedy", "Bo", clean(WIDE))), size
        for number, draw in enumerate(lobbies()):
            if number < 2 * len(TABLES):
                assert TABLES[number // 2].line.code in draw(look).text(), size


@each_size
def test_below_the_smallest_size_a_card_says_so_in_whatever_room_there_is(every: bool) -> None:
    assert not too_small(Look(MIN_WIDTH, MIN_HEIGHT))
    widths = range(1, 61) if every else (1, 2, 3, 5, 8, 13, 20, 21, 34, 47, 58, 59, 60)
    heights = range(1, 25) if every else (1, 2, 3, 4, 5, 8, 13, 19, 20, 24)
    for width, height in itertools.product(widths, heights):
        look = Look(width, height)
        for spoken in (look, in_pseudo(look), Look(width, height, ascii=True)):
            with drawn_whole() as faults:
                frame = draw_too_small(spoken)
            assert faults == [], f"{width}x{height}"
            assert (frame.width, frame.height) == (width, height)
            line = open_prompt(Prompt("Say", 9, print, "hello"))
            line.draw(with_notice(frame, REFUSED, look), spoken)
        seen = " ".join(draw_too_small(look).text().split())
        assert width < 20 or height < 3 or f"{width} x {height}" in seen
        assert width < 20 or height < 5 or "60 x 20" in seen


@pytest.mark.parametrize("practice", [True, False])
@pytest.mark.parametrize("streak", [0, 9])
def test_the_card_of_a_new_day_leaves_title_and_sentences_whole(practice: bool, streak: int) -> None:
    view = DealView("toy", {"size": "small"}, ("greedy",), "2026-02-04T00:00:00Z", True, "ab" * 32, number=34)
    draw = page_at(DEAL_PAGE, replace(view, practice=practice, streak=streak))
    for look in (Look(60, 20), *in_others(Look(60, 20))):
        rows = draw(look).text().splitlines()
        assert "34" in rows[0]
        assert set(rows[1].strip()) == {"─"}
        (top,) = [number for number, row in enumerate(rows) if "╭" in row]
        (bottom,) = [number for number, row in enumerate(rows) if "╰" in row]
        card, below = rows[top + 1 : bottom], rows[bottom + 1 : -1]
        assert all(row.count("│") == 2 for row in card)
        assert [row.split()[1] for row in card if row.split()[1] in "p?←"] == ["p", "←", "?"]
        assert not any(mark in row for mark in "│╭╰╮╯" for row in below), rows
        assert " ".join(" ".join(below).split()).count("00:00 UTC") == 2, rows


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 60)])
def test_the_selected_row_is_in_sight(size: tuple[int, int]) -> None:
    for cursor in range(len(PEOPLE) + len(BOTS)):
        frame = page_at(LEADERS_PAGE, LeadersView("toy", PEOPLE, BOTS), cursor=cursor)(Look(*size))
        assert any("►" in row[:4] for row in frame.text().splitlines()), cursor


def test_all_of_a_profile_can_be_scrolled_to() -> None:
    view = replace(PROFILE, scores=SCORES * 5)
    seen = [page_at(PROFILE_PAGE, view, top=top)(Look(60, 20)).text() for top in range(0, 40, 5)]
    assert "RATING" in seen[0]
    assert "RATING" not in seen[-1]
    assert f"{LONGEST} finished\n    ahead: 6000. Tied: 345." in seen[-1]


@pytest.mark.parametrize("host", ["h.example", "a-house-with-quite-a-long-name.games.example.org", "h" * 120])
@pytest.mark.parametrize("look", [Look(80, 24), Look(120, 40), Look(80, 24, ascii=True)])
def test_no_command_is_cut_however_long_the_name_of_the_server_is(host: str, look: Look) -> None:
    view, commands = toy_table("Ann Bo Chika -", "open"), ShellCommands(f"ssh -t -p 2222 {host}")
    seen = draw_room(WaitingModel(view, "Toy", shell_commands=commands, word=WORD), look).text()
    flat = "".join(row.replace("FRIENDS", "").replace("RESUME", "").strip() for row in seen.splitlines())
    assert f"{host}joinK7QP" in flat.replace(" ", "")
    assert f"{host}back{WORD}" in flat.replace(" ", "")
    assert f"{WORD}\n" in seen, "the code is whole and nothing stands behind it"
    assert view.commitment not in seen
    assert look.width == 80 or view.commitment[:8] in seen


# Pictures: each test says in its name or sentence what they prove.

LOOKS = pytest.mark.parametrize(
    "look",
    [Look(80, 24), Look(120, 40), Look(80, 24, ascii=True)],
    ids=["80x24", "120x40", "ascii"],
)
SERVER = (
    LobbyEntry(line("K7QP", "Ann bot:greedy", "playing", 3, (0,)), mine=True),
    LobbyEntry(line("B4ZT", f"{LONGEST} Chika - -")),
    LobbyEntry(line("QQ2M", "Eve -")),
    LobbyEntry(line("M8RW", FOUR, "playing", 12, (2,))),
    LobbyEntry(line("Z9YX", "Bo bot:greedy", "finished")),
    LobbyEntry(line("C5DD", "Bo Léa", "playing", game="unknown-game")),
)
CLOCKS = (
    LobbyEntry(line("K7QP", "Ann Bo", "playing", clock="day", paused=True), mine=True),
    LobbyEntry(line("B4ZT", "Eve -", clock="120s")),
    LobbyEntry(line("M8RW", FOUR, "playing", 12, (2,), clock="30s")),
    LobbyEntry(line("Z9YX", "Bo bot:greedy", "playing", paused=True)),
)
LONG = tuple(LobbyEntry(line(f"A{a}{b}Z")) for a in "BCDEF" for b in "GHJKLM")
SAID = (("", "Ann takes a seat"), ("Ann", "hello there"), ("eve", "hi! <b>[red]x[/]"))
NOW = HelpPart("Available now", (("1-5", "pick a stone"),))


def room(view: TableView, **more: object) -> Draw:
    model = WaitingModel(view, "Toy small: table K7QP", shell_commands=DOOR, **more)  # type: ignore[arg-type]
    return lambda look: waiting_drawing(replace(model, hints=waiting_hints(view)), look).frame()


PICTURES: dict[str, Draw] = {
    # The own table first and marked; bots, free seats, whose turn; four of the longest names; an unknown game.
    "a lobby with every kind of table": page_at(
        TABLES_PAGE, TablesView(SERVER, "Ann", 14), cursor=1, status="A sentence about what happened."
    ),
    "clocks and pauses in the list": page_at(TABLES_PAGE, TablesView(CLOCKS, "Ann", 4)),
    "an empty lobby": page_at(TABLES_PAGE, TablesView(name="Ann", people=1), guest=True),
    # The code with the command that uses it, and both terms of the table in a phrase.
    "a guest with a resume code": room(
        toy_table("Ann Bo -", "open", clock="day", absence="10m"), said=SAID, word="amber-otter-seven"
    ),
    # A bot and two free seats, the cut that was made, two watchers, talk with markup shown as it is.
    "the owner of a private table of four": room(
        toy_table("Ann bot:greedy - -", "open", cut=(0,), watchers=("eve", "Finn"), open=False), said=SAID
    ),
    # No start for one who is not the owner; a player who is away; an uncut shuffle explained.
    "a guest at a table of three": room(
        toy_table(f"{LONGEST} {LONGEST} -", "open", you=1, away=(0,)), cursor=1
    ),
    # One may sit down but neither start nor cut.
    "a spectator": room(toy_table("Bo -", "open", you=None), cursor=1, status="A refusal stands here."),
    # Several games, so there is a line for them; the choice taken stands in brackets, not in colour alone.
    "the form": lambda look: FormDrawing(form().step(1), look).frame(),
    "the help of the lobby": lambda look: HelpDrawing(lobby_help(ENGLISH), look).frame(),
    "the settings": partial(draw_settings, 2, {}),
}
SINGLE: dict[str, tuple[Look, Draw]] = {
    "a lobby before the server has said anything": (
        Look(80, 24),
        page_at(TABLES_PAGE, TablesView(arrived=False)),
    ),
    "a long lobby": (Look(80, 24), page_at(TABLES_PAGE, TablesView(LONG, "Ann"), cursor=10, top=6)),
    "the help of a table": (
        Look(80, 24),
        lambda look: HelpDrawing(table_help(TOYS["toy"], toy_table(), ENGLISH, NOW), look).frame(),
    ),
    "a terminal that is too small": (Look(60, 12), draw_too_small),
    "the settings in the smallest terminal": (Look(60, 20), partial(draw_settings, 2, {})),
}


@LOOKS
@pytest.mark.parametrize("name", PICTURES)
def test_picture(snapshot: SnapshotAssertion, name: str, look: Look) -> None:
    assert whole(PICTURES[name](look), look) == snapshot


@pytest.mark.parametrize("name", SINGLE)
def test_single_picture(snapshot: SnapshotAssertion, name: str) -> None:
    look, draw = SINGLE[name]
    assert whole(draw(look), look) == snapshot
