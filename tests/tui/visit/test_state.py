"""What the client knows after each answer, and when a moment is another."""

import msgspec

from cartino_protocol.accounts import Ignored, IgnoredPerson
from cartino_protocol.notices import News, Notice
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Bye, ChatLine, ChatView, HistoryView, Left, Mine, SavedSelection
from cartino_tui.visit.state import ClientState, StateKey, has_seat, lobby_entries, state_key
from tests.support.past import moment_of, past
from tests.support.visit import chat, line, lobby, toy_table, welcome


def test_each_view_replaces_the_one_before_and_no_other() -> None:
    known = ClientState()
    for answer in (welcome(), lobby(), Mine((line("K7QP"),)), toy_table(), chat(("Bo", "hi"))):
        known = known.learn(answer)
    talk = chat(("Bo", "hi"))
    assert known == ClientState(welcome(), None, Mine((line("K7QP"),)), toy_table(), talk, heard=talk)
    newer = known.learn(lobby(people=9))
    assert newer.lobby == lobby(people=9)
    assert newer.table == known.table


def test_events_teach_nothing() -> None:
    known = ClientState(table=toy_table())
    assert known.learn(Refusal("full")) == known
    assert known.learn(Bye("shutdown")) == known


def test_leaving_forgets_table_and_talk_and_so_does_another_table_the_talk() -> None:
    known = ClientState(table=toy_table(), chat=chat(("Bo", "hi")))
    assert known.learn(Left("left")) == ClientState()
    assert known.learn(toy_table(code="B4ZT")) == ClientState(table=toy_table(code="B4ZT"))
    assert known.learn(toy_table(number=2)).chat == known.chat


def test_moments_differ_by_what_answers_a_wish_and_by_nothing_else() -> None:
    here = state_key(ClientState(table=toy_table()))
    assert here == state_key(ClientState(table=toy_table(watchers=("eve",)), chat=chat(("Bo", "hi"))))
    others = (
        toy_table(number=2),
        toy_table(you=1),
        toy_table(state="finished"),
        toy_table(code="B4ZT"),
        toy_table(again=(0,)),
    )
    assert len({here, StateKey(), *(state_key(ClientState(table=other)) for other in others)}) == 7


def test_answers_about_past_games_are_counted_and_each_is_another_moment_even_if_equal() -> None:
    known = ClientState()
    moments = {state_key(known)}
    listed, shown = HistoryView("all", "", (past(1),), more=False), moment_of("K7QP-1", 0)
    answers: tuple[Answer, ...] = (listed, listed, shown, shown)
    for answer in answers:
        known = known.learn(answer)
        moments.add(state_key(known))
    assert known == ClientState(told=4)
    assert len(moments) == 5


def test_a_table_stands_once_in_the_list_though_it_is_ones_own() -> None:
    known = ClientState(
        lobby=lobby(line("AAAA", "A B"), line("BBBB"), line("CCCC")), mine=Mine((line("CCCC"),))
    )
    assert [(entry.line.code, entry.mine) for entry in lobby_entries(known)] == [
        ("CCCC", True),
        ("BBBB", False),
        ("AAAA", False),
    ]


def test_what_was_in_hand_is_known_only_at_its_table() -> None:
    kept = SavedSelection(msgspec.Raw(b"\xc0"))
    known = ClientState().learn(kept).learn(toy_table()).learn(toy_table(number=2))
    assert known.kept is kept
    assert known.learn(toy_table(code="B4ZT")).kept is None
    assert known.learn(Left("left")).kept is None


def test_a_seat_is_ones_own_at_the_table_where_one_stands_or_at_another() -> None:
    assert has_seat(ClientState(table=toy_table()), "playing")
    assert not has_seat(ClientState(table=toy_table()), "open")
    assert not has_seat(ClientState(table=toy_table(you=None)), "playing")
    assert has_seat(ClientState(mine=Mine((line("K7QP"),))), "playing", "open")
    assert not has_seat(ClientState(), "open", "playing", "finished")


def test_tables_that_are_over_stand_behind_those_that_go_on_even_ones_own() -> None:
    over, plays = line("AAAA", state="finished"), line("BBBB", state="playing")
    others = lobby(line("CCCC", state="finished"), line("DDDD"))
    known = ClientState(welcome(), others, Mine((over, plays)))
    assert [entry.line.code for entry in lobby_entries(known)] == ["BBBB", "DDDD", "AAAA", "CCCC"]


BO = ChatLine(1, "Bo", "hi", "table", "Bo-mark")
EVE = ChatLine(2, "Eve", "hi", "table", "Eve-mark")


def test_what_those_say_whom_one_ignores_is_left_out_and_comes_again() -> None:
    both = ChatView((BO, EVE), "table", (Notice(3, News("watches", "Eve")),))
    known = ClientState().learn(toy_table()).learn(both).learn(Ignored(()))
    assert known.chat is both
    known = known.learn(Ignored((IgnoredPerson("Eve-mark", "whatever"),)))
    assert known.chat == msgspec.structs.replace(both, lines=(BO,))
    renamed = ChatView((BO, msgspec.structs.replace(EVE, name="Adam")), "table")
    assert known.learn(renamed).chat == ChatView((BO,), "table")
    assert known.learn(Ignored(())).chat is both
    gone = known.learn(Left("left"))
    assert (gone.chat, gone.heard, gone.ignored) == (None, None, known.ignored)
    assert gone.learn(Ignored(())).chat is None


def test_lines_of_an_older_server_are_nobodys() -> None:
    old = ChatView((msgspec.structs.replace(BO, who=""),), "table")
    assert ClientState().learn(old).learn(Ignored((IgnoredPerson("", "Bo"),))).chat is not None
