"""Which talk is new for somebody."""

from cartino_tui.context import MAX_UNREAD_TABLES, UnreadChat
from tests.support.visit import chat, toy_table, welcome
from tests.tui.conftest import Visiting

HI, HO, HE = ("Bo", "hi"), ("Cy", "ho"), ("Ann", "he")


def test_what_is_there_when_one_comes_is_not_new_and_what_comes_unseen_is() -> None:
    unread = UnreadChat()
    unread.update("K7QP", chat(HI), "Ann", seen=False)
    assert unread.count("K7QP") == 0
    unread.update("K7QP", chat(HI, HO, HE, HI), "Ann", seen=False)
    assert unread.count("K7QP") == 2
    assert unread.count("B4ZT") == 0


def test_what_comes_before_ones_eyes_is_read_but_does_not_hide_what_came_unseen() -> None:
    unread = UnreadChat()
    unread.update("K7QP", chat(), "Ann", seen=True)
    unread.update("K7QP", chat(HI), "Ann", seen=True)
    assert unread.count("K7QP") == 0
    unread.update("K7QP", chat(HI, HO), "Ann", seen=False)
    unread.update("K7QP", chat(HI, HO, HI), "Ann", seen=True)
    assert unread.count("K7QP") == 2
    unread.read("K7QP", chat(HI, HO, HI))
    assert unread.count("K7QP") == 0


def test_only_so_many_tables_are_remembered() -> None:
    unread = UnreadChat()
    for number in range(MAX_UNREAD_TABLES + 1):
        unread.update(f"T{number}", chat(), "Ann", seen=True)
    unread.update("T0", chat(HI), "Ann", seen=False)
    assert unread.count("T0") == 0
    unread.update(f"T{MAX_UNREAD_TABLES}", chat(HI), "Ann", seen=False)
    assert unread.count(f"T{MAX_UNREAD_TABLES}") == 1


async def test_talk_that_came_behind_the_help_is_told_and_marked_until_the_next_key(visit: Visiting) -> None:
    async with visit(toy_table(), chat(HI), greeting=(welcome("Ann"),)) as v:
        await v.types("question_mark")
        await v.hears(chat(HI, HO, HI))
        await v.types("escape")
        assert v.status == "2 new messages."
        assert "t chat (2 new)" in v.text
        await v.types("1")
        assert "new" not in v.text
        await v.hears(chat(HI, HO, HI, HO))
        assert "new" not in v.text


async def test_talk_is_new_for_whose_terminal_is_not_in_front(visit: Visiting) -> None:
    async with visit(toy_table(), chat(HI), greeting=(welcome("Ann"),)) as v:
        v.app.context.presence.note_focus(False)
        await v.hears(chat(HI, HO))
        assert v.status == "1 new message."


async def test_who_reads_all_the_talk_has_read_what_comes_there(visit: Visiting) -> None:
    async with visit(toy_table(), chat(HI), greeting=(welcome("Ann"),)) as v:
        await v.types("T")
        await v.hears(chat(HI, HO))
        await v.types("escape")
        assert "new" not in v.text
