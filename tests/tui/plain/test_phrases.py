"""Lines hold nothing that a terminal obeys, and a guest's mark is said as a word."""

import msgspec

from cartino_protocol.notices import News, Notice
from cartino_protocol.views import ChatLine, ChatView
from cartino_tui.i18n import ENGLISH
from cartino_tui.plain.phrases import printable_line, spell_out_guests
from cartino_tui.visit.state import ClientState
from tests.support.visit import toy_table, welcome


def test_nothing_in_a_line_is_obeyed() -> None:
    assert printable_line("a\x1b[31mb\u202ec\u200bd\ne", ascii=False) == "a[31mbcd e"


def test_wide_letters_stay_where_they_can_be_shown() -> None:
    assert printable_line("大 é", ascii=False) == "大 é"
    assert printable_line("é – “ok”", ascii=True) == 'e - "ok"'


CHAT = ChatView(
    (ChatLine(1, "~eve", "look in ~/eve or ask ~eve2", "table"),),
    "table",
    (Notice(2, News("left", "~gus")), Notice(3, News("renamed", "~gus", "~guy"))),
)
KNOWN = msgspec.structs.replace(
    ClientState(), welcome=welcome("~ann", guest=True), table=toy_table("~Bo Ann"), chat=CHAT
)


def spoken(line: str) -> str:
    [said] = spell_out_guests([line], KNOWN, ENGLISH)
    return said


def test_a_guest_is_said_to_be_one() -> None:
    assert spoken("You are ~ann, in the lobby.") == "You are guest ann, in the lobby."
    assert spoken("~Bo takes a seat; (~eve) watches.") == "guest Bo takes a seat; (guest eve) watches."
    assert spoken("~gus is now ~guy") == "guest gus is now guest guy"


def test_nothing_else_is_taken_for_a_name() -> None:
    for line in ("about ~5 minutes", "~eve2 is nobody here", "in ~/bin", "~annabel", "a~ann", "Ann moves"):
        assert spoken(line) == line
