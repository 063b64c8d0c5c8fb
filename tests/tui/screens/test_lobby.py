"""The lobby: every key and click, and what it says to the server."""

import re
from pathlib import Path

import msgspec
import pytest

from cartino_protocol.commands import Back, Command, Create, Join, QuickPlay, Rename, Watch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, Mine
from cartino_protocol.wire import encode_raw
from cartino_tui.game_port.screen import Look
from cartino_tui.pages.tables import TABLES_PAGE, TablesView
from cartino_tui.preferences import Settings
from tests.support.pages import page_at
from tests.support.pseudo import pseudo, speak_pseudo
from tests.support.visit import line, lobby, toy_table, welcome
from tests.tui.conftest import Visiting

OPEN, FULL, MINE = (
    line("K7QP", "Bo -"),
    line("B4ZT", "Bo Chika", "playing", turn=(1,)),
    line("QQ2M", "Ann Bo"),
)
HERE = (lobby(FULL, OPEN, people=4), Mine((MINE,)))


def marked(text: str) -> str:
    """The code in the marked row."""
    return next(row for row in text.splitlines() if "►" in row[:4]).split()[1]


async def test_ones_own_tables_come_first_then_free_seats_then_the_rest(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        codes = [row.split()[0] for row in v.text.replace("►", " ").splitlines()[4:7]]
        assert codes == ["QQ2M", "K7QP", "B4ZT"]
        assert "your table" in v.text
        assert "►Chika" in v.text


async def test_games_between_people_come_before_those_against_bots_which_are_counted(visit: Visiting) -> None:
    bots = line("K7QP", "Bo bot:greedy bot:greedy bot:keen", "playing", turn=(2,))
    async with visit(lobby(bots, line("B4ZT", "Chika Dunja", "playing"))) as v:
        rows = v.text.splitlines()[4:6]
        assert [row.replace("►", " ").split()[0] for row in rows] == ["B4ZT", "K7QP"]
        assert "►3 bots" in rows[1]
        await v.types("down")
        assert "bot keen" in v.text, "below the list all of it stands"


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        (("down",), "K7QP"),
        (("j", "j"), "B4ZT"),
        (("j", "j", "j"), "B4ZT"),
        (("end", "up"), "K7QP"),
        (("G", "k", "k", "k"), "QQ2M"),
        (("pagedown",), "B4ZT"),
        (("pagedown", "pageup"), "QQ2M"),
        (("end", "home"), "QQ2M"),
    ],
)
async def test_the_cursor_moves_and_stops_at_the_ends(
    visit: Visiting, keys: tuple[str, ...], code: str
) -> None:
    async with visit(*HERE) as v:
        await v.types(*keys)
        assert marked(v.text) == code


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (("enter",), Join("QQ2M")),
        (("w",), Join("QQ2M")),
        (("j", "enter"), Join("K7QP")),
        (("j", "w"), Watch("K7QP")),
        (("G", "enter"), Watch("B4ZT")),
        (("p",), QuickPlay()),
        (("c", *"k7-qp", "enter"), Join("K7QP")),
        (("c", *"watch k7qp", "enter"), Watch("K7QP")),
    ],
)
async def test_every_way_to_a_table(visit: Visiting, keys: tuple[str, ...], said: Command) -> None:
    """Enter sits down, watches where no seat is free, and goes back to one's own seat, as w does there."""
    async with visit(*HERE) as v:
        await v.types(*keys)
        await v.says(said)


async def test_quick_play_is_the_game_one_played_last(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.hears(toy_table(you=0), Left("closed", "K7QP"))
        await v.types("p")
        await v.says(QuickPlay("toy"))


async def test_a_game_one_only_watched_is_none_one_played(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.hears(toy_table(you=None), Left("closed", "K7QP"))
        await v.types("p")
        await v.says(QuickPlay())


@pytest.mark.parametrize(("odd", "wanted"), [(True, "odd"), (False, "")])
async def test_quick_play_names_a_game_that_can_be_played_here(
    visit: Visiting, odd: bool, wanted: str
) -> None:
    played = msgspec.structs.replace(welcome(odd=odd), settings=encode_raw(Settings(game="odd")))
    async with visit(*HERE, greeting=(played, lobby())) as v:
        await v.types("p")
        await v.says(QuickPlay(wanted))


async def test_what_is_typed_on_the_way_to_a_table_is_for_the_table(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.types("p", "1", "enter", "e")
        await v.says(QuickPlay())
        await v.hears(toy_table())
        await v.until(lambda: len(v.link.sent) == 2, "the table's screen does what was typed before it came")
        await v.hears(toy_table(number=2, laid=1))
        await v.until(lambda: len(v.link.sent) == 3)


async def test_a_refusal_is_one_sentence_until_the_next_key(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.types("j", "enter")
        await v.hears(Refusal("full"))
        assert v.status == Refusal("full").sentence()
        await v.types("up")
        assert v.status == ""


async def test_a_code_that_is_none_is_not_sent(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.types("c", "0", "O", "enter")
        assert v.status == "Not a valid code. Codes have 4 or 8 letters and digits."
        assert v.link.sent == []


async def test_a_code_that_is_none_stays_to_be_mended(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.types("c", *"K7Q", "enter")
        assert v.status == "Not a valid code. Codes have 4 or 8 letters and digits."
        await v.types("P", "enter")
        await v.says(Join("K7QP"))


async def test_what_the_server_refuses_stays_to_be_mended_with_the_reason(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.types("c", *"K7QQ", "enter")
        await v.says(Join("K7QQ"))
        refusal = Refusal("unknown-code", "K7QQ", "Join")
        await v.hears(refusal)
        assert v.status == refusal.sentence()
        await v.types("backspace", "P", "enter")
        await v.says(Join("K7QQ"), Join("K7QP"))
        await v.hears(Refusal("too-many-codes", to="Join"))
        await v.types("escape")
        await v.until(lambda: "q quit" in v.text)


async def test_a_full_table_can_be_watched_without_typing_its_code_again(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.types("c", *"zzzz", "enter")
        await v.says(Join("ZZZZ"))
        await v.hears(Refusal("full", to="Join"))
        assert v.status == "Every seat at ZZZZ is taken. Watch instead? (y/n)"
        await v.types("n")
        assert "q quit" in v.text
        await v.types("c", *"zzzz", "enter")
        await v.hears(Refusal("full", to="Join"))
        await v.types("y")
        await v.says(Join("ZZZZ"), Join("ZZZZ"), Watch("ZZZZ"))


async def test_a_refusal_opens_no_line_that_did_not_lead_to_it(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.types("j", "enter")
        await v.hears(Refusal("busy", to="Join"))
        assert "q quit" in v.text
        await v.types("r", "x", "enter")
        await v.says(Join("K7QP"), Rename("Annx"))
        await v.types("down")
        await v.hears(Refusal("name-taken", "Annx", "Rename"))
        assert "q quit" in v.text
        assert v.status == Refusal("name-taken", "Annx").sentence()


async def test_enter_says_what_it_does_with_the_marked_table(visit: Visiting) -> None:
    async with visit(*HERE, size=(100, 24)) as v:
        assert "Enter rejoin" in v.text
        await v.types("down")
        assert "Enter sit down" in v.text
        assert "w watch" in v.text
        await v.types("down")
        assert "Enter watch     n new" in v.text, "the other hints stay where they are"


async def test_all_of_the_marked_table_stands_below_the_list(visit: Visiting) -> None:
    name = "Bartholomew_1234"
    table = line("K7QP", f"{name} {name} {name} {name}", "playing", 3, (1,), clock="30s")
    async with visit(lobby(table), size=(60, 20)) as v:
        *_, players, more, facts = [row for row in v.text.splitlines()[:-2] if row.strip()]
        assert f"{players} ·{more}" == f" {name} · ►{name} · {name} · {name}"
        assert facts.strip() == "Toy small · playing · 30 seconds per turn · 3 watching"


async def test_below_the_list_stands_what_the_row_of_an_open_table_doesnt_say(visit: Visiting) -> None:
    async with visit(lobby(line("K7QP", "Bo - -")), size=(80, 24)) as v:
        assert "Toy small · 2 free seats\n" in v.text


async def test_a_name_is_changed_and_shown_when_the_server_agrees(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.types("r", "backspace", "backspace", "backspace", "B", "o", "enter")
        await v.says(Rename("Bo"))
        assert "you are Ann" in v.text
        await v.hears(welcome("Bo"))
        assert "you are Bo" in v.text


async def test_a_name_left_as_it_is_is_not_sent(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.types("r", "enter", "r", "escape")
        await v.pilot.pause()
        assert v.link.sent == []


async def test_q_quits_and_escape_asks_first(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.types("backspace")
        assert v.status == "Quit? (y/n)"
        await v.types("n")
        assert v.app.is_running
        await v.types("q")
        await v.until(lambda: v.app.return_code is not None)
    assert v.app.return_code == 0
    assert v.link.closed


async def test_an_empty_lobby_says_what_to_do(visit: Visiting) -> None:
    async with visit(lobby(people=1)) as v:
        assert "No tables are open yet" in v.text
        await v.types("enter")
        assert v.status == "There are no tables yet. Press p to play now, n to open one."
        await v.types("down", "up", "end")
        assert v.link.sent == []


async def test_a_click_marks_and_a_second_click_goes_there(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.click("K7QP")
        assert marked(v.text) == "K7QP"
        assert v.link.sent == []
        await v.click("K7QP")
        await v.says(Join("K7QP"))


async def test_a_click_on_a_hint_presses_its_key_and_one_on_nothing_does_nothing(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.pilot.click(offset=(40, 15))
        await v.click("p play now")
        await v.says(QuickPlay())


async def test_the_wheel_moves_the_cursor(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.wheel(down=True)
        assert marked(v.text) == "K7QP"
        await v.wheel(down=False)
        assert marked(v.text) == "QQ2M"


async def test_a_long_list_scrolls_and_the_cursor_stays_on_its_table(visit: Visiting) -> None:
    tables = [line(f"A{a}{b}Z") for a in "BCDEF" for b in "GHJKLM"]
    async with visit(lobby(*tables)) as v:
        await v.types(*["j"] * 25)
        await v.until(lambda: marked(v.text) == tables[25].code)
        assert "↑" in v.text
        assert "↓" in v.text
        await v.hears(lobby(*tables[10:]))
        assert marked(v.text) == tables[25].code
        await v.hears(lobby(*tables[26:]))
        assert marked(v.text) in {table.code for table in tables[26:]}


async def test_an_arrow_key_changes_two_rows_and_what_is_said_of_the_marked_table(visit: Visiting) -> None:
    """What goes over the wire for an arrow: at most these cells, well below 600 bytes with their colours."""
    async with visit(*HERE) as v:
        before = v.frame.rows
        await v.types("down")
        changed = [y for y, (old, new) in enumerate(zip(before, v.frame.rows, strict=True)) if old != new]
        rule = next(y for y, row in enumerate(v.text.splitlines()) if y > 1 and row.startswith("─"))
        assert len([y for y in changed if y < rule]) == 2
        assert rule not in changed
        assert len(changed) <= 2 + 2 + 1, "two of the list, players and facts, and what Enter does"


async def test_the_form_opens_the_table_that_was_chosen(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.types(
            "n", "up", "right", "down", "right", "down", "right", "down", "right", "down", "right", "enter"
        )
        await v.says(Create("toy", {"size": "big"}, seats=3, bots=("random",), open=False))


async def test_the_form_by_mouse_and_a_refusal_that_keeps_it(visit: Visiting) -> None:
    async with visit(welcome(odd=True), *HERE) as v:
        await v.click("n new")
        await v.until(lambda: "New table" in v.text)
        await v.click("Odd")
        await v.until(lambda: "small" not in v.text)
        await v.click("Open the table")
        await v.says(Create("odd", {}, seats=2, bots=(), open=True))
        await v.hears(Refusal("too-many-rooms"))
        assert v.status == Refusal("too-many-rooms").sentence()
        await v.types("escape")
        await v.until(lambda: "PLAYERS" in v.text)


async def test_help_scrolls_and_never_leaves_its_ends(visit: Visiting) -> None:
    async with visit(*HERE) as v:
        await v.types("question_mark")
        await v.until(lambda: "Help: the lobby" in v.text)
        await v.types("up")
        assert "lines 1 to" in v.text
        await v.types("end")
        last = v.text
        await v.types("down", "pagedown", "space")
        assert v.text == last
        await v.types("home", "j", "k")
        assert "lines 1 to" in v.text
        await v.types("q")
        await v.until(lambda: "PLAYERS" in v.text)
        assert v.app.return_code is None


def test_the_frame_knows_no_game_by_name() -> None:
    package = Path(__file__).parents[3] / "cartino_tui"
    files = [*package.glob("screens/*.py"), *package.glob("*.py")]
    assert len(files) > 15
    for file in files:
        words = re.sub("cartino(_|-tui|app)", "", file.read_text().lower())
        allowed = (
            words.count('title = "cartino"')
            + words.count("cartinoapp")
            + words.count("`cartino play`")
            + file.match("__main__.py") * 99
        )
        assert words.count("cartino") <= allowed, file


async def test_a_question_for_text_shows_its_keys_and_they_are_buttons(visit: Visiting) -> None:
    async with visit(lobby(line("K7QP"))) as v:
        await v.types("b", *"amber-otter")
        await v.until(
            lambda: v.text.endswith(
                "Your resume code amber-otter                            Enter done  Esc cancel"
            )
        )
        await v.click("Esc cancel")
        await v.until(lambda: "q quit" in v.text)
        assert v.link.sent == []
        await v.types("b", *"amber-otter")
        await v.click("code amber")
        await v.click("Enter done")
        await v.says(Back("amber-otter"))


async def test_a_click_on_a_hint_presses_its_key_in_every_language(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    speak_pseudo(monkeypatch)
    async with visit(*HERE) as v:
        await v.types("escape")
        await v.click(f"n {pseudo('no')}")
        await v.click(f"p {pseudo('play now')}")
        await v.says(QuickPlay())
        await v.hears(Refusal("busy", to="QuickPlay"))
        await v.types("c")
        await v.click(f"{pseudo('Esc')} {pseudo('cancel')}")
        await v.click(f"? {pseudo('help')}")
        await v.until(lambda: pseudo("Help: the lobby") in v.text)
        await v.click(f"{pseudo('Esc')} {pseudo('back')}")
        await v.until(lambda: pseudo("players").upper() in v.text)


def test_how_long_the_line_takes_stands_beside_who_is_here_where_there_is_room() -> None:
    usual = page_at(TABLES_PAGE, TablesView(name="Ann", people=3), link_time="48 ms")
    assert usual(Look(80, 24)).text().splitlines()[0].endswith("3 people here · 48 ms")
    small = page_at(TABLES_PAGE, TablesView(name="Maximiliane Roß.", people=3), guest=True, link_time="48 ms")
    assert "ms" not in small(Look(60, 20)).text().splitlines()[0]
