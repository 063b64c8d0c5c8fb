"""Every screen of the frame at every size, in English, in a language 40 % longer, and in ASCII: all is whole."""

import itertools
from collections.abc import Callable, Iterator
from functools import partial

import msgspec
import pytest

from cartino_protocol.views import HistoryView
from cartino_tui.draw.canvas import Frame
from cartino_tui.draw.text import clean
from cartino_tui.game_port.screen import Look
from cartino_tui.keys import REPLAY, TALK
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.pages.tables import TABLES_PAGE, TablesView
from cartino_tui.screens.chat import chat_rows, draw_chat
from cartino_tui.screens.page_drawing import page_help
from cartino_tui.screens.waiting_drawing import WaitingModel, draw_waiting, waiting_hints
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import LobbyEntry
from cartino_tui.widgets.help import (
    cut_prompt,
    draw_help,
    lobby_help,
    replay_help,
    waiting_help,
)
from cartino_tui.widgets.layout import (
    MIN_HEIGHT,
    MIN_WIDTH,
    draw_too_small,
    too_small,
    translate_hints,
)
from cartino_tui.widgets.notices import with_notice
from cartino_tui.widgets.prompt import Prompt, draw_prompt_line, open_prompt
from cartino_tui.widgets.table_form import FormDrawing, TableForm, new_form
from tests.support.languages import in_others
from tests.support.pages import page_at
from tests.support.past import past
from tests.support.pseudo import in_pseudo, plain_words, pseudo
from tests.support.sizes import each_size, sizes
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
SAID = (
    ("", "Ann takes a seat"),
    (LONGEST, "hello there, " * 20),
    ("Léa", "hi! <b>[red]x[/]"),
    (clean(WIDE), clean(WIDE * 9)),
)
FOREIGN = (LONGEST, WIDE[0], "????", "greedy", "random", "hello there")
"""What may be cut: names and words of people."""
NAMES = ("Bartholomew", "greedy", "random", "Ann", "Bo", "Chika", "Eve", "Léa", "Toy", "Odd", "small", "big")
LET_THROUGH = (
    *(*NAMES, "unknown-game", "UTC", "fa", "bc", WORD, *WORD.split("-"), "hello", "there", "hi", "red"),
    *("Ann takes a seat", DOOR.words, "join", "back", "watch", "stone", "Lay a"),
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
GAMES = (
    past(4711, "Ann Léa", (120, -5)),
    past(31234, FOUR, (101, 98, 101, -12), (0, 2), code="B4ZT", reason="blocked"),
    past(31235, f"{WIDE} {WIDE} {WIDE}", (101, 98, -12), (0, 2), code="B4ZU"),
    past(40, "bot:greedy bot:random Ann", (10, 20, 5), (1,), code="QQ2M", reason="points"),
    past(7, "Ann Bo", (3, 0), (), code="M8RW", reason="abandoned", ended="2025-12-31T23:59:00Z"),
)

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


def waits() -> Iterator[Draw]:
    def draw(model: WaitingModel, look: Look) -> Frame:
        hints = translate_hints(waiting_hints(model.table), look)
        return draw_waiting(msgspec.structs.replace(model, hints=hints), look)

    views = (
        toy_table(
            f"{LONGEST} {LONGEST} {LONGEST} -", "open", clock="day", absence="10m", cut=(0, 1, 2), away=(1, 2)
        ),
        msgspec.structs.replace(
            toy_table("Ann bot:greedy bot:random -", "open", watchers=("a",) * 14, open=False),
            code="K7QPWX3M",
        ),
        toy_table(f"{WIDE} {WIDE} -", "open", you=1, away=(0,), cut=(0, 1)),
        toy_table("Bo -", "open", you=None, clock="none", absence="never"),
        toy_table(f"{LONGEST} {LONGEST} - -", "open", you=1, away=(0,), cut=(0,), clock="120s"),
    )
    for view in views:
        for word, said in ((WORD, SAID), ("", ())):
            for status in ("", REFUSED):
                yield partial(
                    draw,
                    WaitingModel(view, "Toy small: K7QP", 1, said, status, shell_commands=DOOR, word=word),
                )


def forms() -> Iterator[Draw]:
    def draw(form: TableForm, status: str, look: Look) -> Frame:
        return FormDrawing(form, look, status).frame()

    form = new_form(welcome(odd=True))
    assert form is not None
    for cursor in range(len(form.fields)):
        for status in ("", REFUSED):
            yield partial(draw, form.step(cursor).turn(1), status)


def helps() -> Iterator[Draw]:
    told = msgspec.structs.replace(welcome(guest=True, word=WORD), promise="7" * 64)
    view = toy_table("Ann Bo -", "open")
    toy = TOYS["toy"]
    yield lambda look: draw_help(lobby_help(look.translator, told), look)
    yield lambda look: draw_help(page_help(HISTORY_PAGE, (), look.translator), look)
    yield lambda look: draw_help(waiting_help(toy, view, told, DOOR, look.translator), look)
    yield lambda look: draw_help(replay_help(toy, view, REPLAY, look.translator), look)


def histories() -> Iterator[Draw]:
    for cursor in range(len(GAMES)):
        for status in ("", REFUSED):
            view = HistoryView("player", LONGEST, tuple(GAMES), more=True)
            yield page_at(HISTORY_PAGE, view, cursor=cursor, status=status)
    yield page_at(HISTORY_PAGE, HistoryView("player", LONGEST, (), more=False))
    yield page_at(HISTORY_PAGE, HistoryView("mine", "", (), more=False))
    yield page_at(HISTORY_PAGE)
    yield page_at(HISTORY_PAGE, waiting=True)


def talks() -> Iterator[Draw]:
    def draw(status: str, look: Look) -> Frame:
        rows = chat_rows(SAID * 9, look, look.width - 2)
        return draw_chat(rows, 3, look, status, translate_hints(TALK.hints("chat", "up", "back"), look))

    yield partial(draw, "")
    yield partial(draw, REFUSED)
    yield lambda look: draw_chat([], 0, look, "", translate_hints(TALK.hints("chat", "back"), look))


def lines() -> Iterator[Draw]:
    def draw(label: str, most: int, text: str, look: Look) -> Frame:
        empty = draw_chat([], 0, look, "", ())
        ask = Prompt(look.translator.gettext(label), most, lambda text: None, text)
        return draw_prompt_line(empty, open_prompt(ask).noted(REFUSED if text else ""), look)

    for label, most in (("Table code (or: watch CODE)", 16), ("To the table", 300), ("Your name", 16)):
        for text in ("", "hello there"):
            yield partial(draw, label, most, text)
    yield lambda look: draw_prompt_line(
        draw_chat([], 0, look, "", ()), open_prompt(cut_prompt(lambda cut: None, look.translator)), look
    )
    yield lambda look: with_notice(draw_chat([], 0, look, "", ()), REFUSED, look)


SCREENS = {
    "lobby": lobbies,
    "waiting room": waits,
    "form": forms,
    "help": helps,
    "history": histories,
    "talk": talks,
    "line": lines,
}


@each_size
@pytest.mark.parametrize("screen", SCREENS)
def test_every_label_is_whole(screen: str, every: bool) -> None:
    for width, height in sizes(SIZES, every=every):
        english = Look(width, height)
        for look in (english, in_pseudo(english), *in_others(english), Look(width, height, ascii=True)):
            for draw in SCREENS[screen]():
                with drawn_whole(*FOREIGN) as faults:
                    frame = draw(look)
                assert faults == [], f"{width}x{height} {look.translator.name}\n{frame.text()}"
                assert (frame.width, frame.height, len(frame.rows)) == (width, height, height)
                assert all(sum(len(text) for text, _ in row) == width for row in frame.rows)
                assert not look.ascii or frame.text().isascii()


@pytest.mark.parametrize("screen", SCREENS)
def test_every_word_is_said_in_the_readers_language(screen: str) -> None:
    for size in ((60, 20), (80, 24), (160, 60)):
        for draw in SCREENS[screen]():
            frame = draw(in_pseudo(Look(*size)))
            found = plain_words(frame, *LET_THROUGH)
            assert [word for word in found if not any(name.startswith(word) for name in NAMES)] == []


@pytest.mark.parametrize("screen", ["lobby", "waiting room", "history"])
def test_the_help_and_the_way_out_are_among_the_hints_of_every_width(screen: str) -> None:
    for width in WIDTHS:
        for look in (Look(width, 20), in_pseudo(Look(width, 20))):
            for draw in SCREENS[screen]():
                row = draw(look).text().split("\n")[-1].split("  ")
                assert row[-1].split()[0] == "q", look
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
            seen = draw(look).text()
            if number < 2 * len(TABLES):
                assert TABLES[number // 2].line.code in seen, size


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
            draw_prompt_line(
                with_notice(frame, REFUSED, look), open_prompt(Prompt("Say", 9, print, "hello")), spoken
            )


@pytest.mark.parametrize("size", [(20, 10), (59, 20), (60, 19), (40, 5), (20, 3)])
def test_the_card_says_the_size(size: tuple[int, int]) -> None:
    seen = " ".join(draw_too_small(Look(*size)).text().split())
    assert f"{size[0]} x {size[1]}" in seen
    assert size[1] < 5 or "60 x 20" in seen
