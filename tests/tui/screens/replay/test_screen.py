"""A replay in the server: steps come when they are wanted, one at a time; leaving waits for what is due."""

import msgspec
import pytest

from cartino_protocol.commands import Command, Replay
from cartino_protocol.refusals import Refusal
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.screens.replay import screen as replay
from cartino_tui.screens.replay.screen import ReplayScreen
from cartino_tui.visit import farewell
from tests.support.pages import is_open
from tests.support.past import STEPS, PastServer, moment_of, past
from tests.support.visit import Visit
from tests.tui.conftest import Visiting

FEW = [past(12), past(11)]
ALL = STEPS + 1


async def opened(v: Visit) -> None:
    """Stand at the first step of K7QP-12 in a server that answers at once, which then is asked nothing yet."""
    await v.types("f", "enter")
    await v.until(lambda: isinstance(v.app.screen, ReplayScreen))
    await v.until(lambda: f"K7QP-12 | 1/{ALL}" in v.text)
    v.link.said.clear()


def at(*steps: int) -> list[Command]:
    return [Replay("K7QP-12", step) for step in steps]


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        (("right",), 2),
        (("l", "l", "h"), 2),
        (("left",), 1),
        (("pagedown", "pagedown"), 21),
        (("end",), ALL),
        (("end", "pageup"), ALL - 10),
        (("end", "right"), ALL),
        (("end", "home"), 1),
    ],
)
async def test_the_keys_step_as_in_a_record_of_ones_own(
    visit: Visiting, keys: tuple[str, ...], place: int
) -> None:
    async with visit(link=PastServer(FEW)) as v:
        await opened(v)
        await v.types(*keys)
        await v.until(lambda: f"| {place}/{ALL}\n" in v.text and f"laid {place - 1} " in v.text)
        done = f"Stone {place - 1} was laid" if place > 1 else "The deal"
        assert v.status == done
        assert v.text.splitlines()[-1].startswith(
            "← step back  c chart  → next step  e try a turn  o play on"
        )


async def test_a_key_held_down_over_a_slow_line_asks_for_the_newest_step_alone(visit: Visiting) -> None:
    server = PastServer(FEW)
    async with visit(link=server) as v:
        await opened(v)
        server.slow = True
        await v.types(*["right"] * 20)
        await v.until(lambda: f"| 21/{ALL}…" in v.text, "it shows where it is going")
        assert "laid 0 " in v.text
        await v.says(*at(1))
        server.answer()
        await v.until(lambda: "laid 1 " in v.text)
        await v.says(*at(1, 20))
        server.answer()
        await v.until(lambda: "laid 20 " in v.text)
        assert f"| 21/{ALL}\n" in v.text
        await v.says(*at(1, 20))


async def test_a_refusal_is_a_sentence_and_stepping_goes_on(visit: Visiting) -> None:
    server = PastServer(FEW)
    async with visit(link=server) as v:
        await opened(v)
        server.slow = True
        await v.types("right", "right")
        await v.says(*at(1))
        server.due.clear()
        await v.hears(Refusal("busy", to="Rename"))
        assert f"| 3/{ALL}…" in v.text, "that was no answer to a step"
        await v.hears(Refusal("no-past-game", "K7QP-12", to="Replay"))
        assert v.status == Refusal("no-past-game", "K7QP-12").sentence()
        assert f"| 1/{ALL}\n" in v.text
        server.slow = False
        await v.types("right")
        await v.until(lambda: "laid 1 " in v.text)


async def test_a_server_that_is_busy_is_asked_again_for_what_is_wanted_by_then(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "MIN_RETRY_SECONDS", 0.01)
    server = PastServer(FEW)
    async with visit(link=server) as v:
        await opened(v)
        server.slow = True
        await v.types("right")
        await v.says(*at(1))
        server.due.clear()
        await v.hears(Refusal("busy", to="Replay"))
        await v.until(lambda: v.link.sent == at(1, 1))
        server.due.clear()
        await v.types("right", "right")
        await v.hears(Refusal("busy", to="Replay"))
        assert "Too many" not in v.text
        assert f"| 4/{ALL}…" in v.text
        await v.until(lambda: v.link.sent == at(1, 1, 3))
        server.answer()
        await v.until(lambda: f"| 4/{ALL}\n" in v.text)


async def test_nothing_is_asked_of_a_busy_server_before_it_is_time(visit: Visiting) -> None:
    server = PastServer(FEW)
    async with visit(link=server) as v:
        await opened(v)
        server.slow = True
        await v.types("right")
        await v.says(*at(1))
        server.due.clear()
        await v.hears(Refusal("busy", to="Replay"))
        await v.types("right", "left", "left")
        await v.says(*at(1))
        server.slow = False
        await v.types("q", "down", "enter")
        await v.until(lambda: f"K7QP-11 | 1/{ALL}" in v.text, "nobody waits for the step any more")


async def test_a_step_that_comes_after_one_has_left_opens_nothing(visit: Visiting) -> None:
    """Its answer is waited for in the list, so that it can't pass for the next game's."""
    server = PastServer(FEW)
    async with visit(link=server) as v:
        await opened(v)
        server.slow = True
        await v.types("right", "q")
        await v.until(lambda: is_open(v.app, HISTORY_PAGE))
        await v.types("down", "enter")
        await v.says(*at(1))
        server.answer()
        await v.until(lambda: len(v.link.sent) == 2)
        assert v.link.sent[-1] == Replay("K7QP-11")
        assert is_open(v.app, HISTORY_PAGE)
        server.answer()
        await v.until(lambda: f"K7QP-11 | 1/{ALL}" in v.text)


async def test_help_lies_over_a_replay_that_goes_on_below(visit: Visiting) -> None:
    server = PastServer(FEW)
    async with visit(link=server) as v:
        await opened(v)
        server.slow = True
        await v.types("right", "question_mark")
        await v.until(lambda: "Help: a record of Toy" in v.text)
        server.answer()
        await v.until(lambda: v.link.all_heard)
        await v.types("q")
        await v.until(lambda: "laid 1 " in v.text)


async def test_a_step_that_cannot_be_read_ends_the_visit_with_a_sentence(visit: Visiting) -> None:
    server = PastServer(FEW)
    async with visit(link=server) as v:
        await opened(v)
        server.slow = True
        await v.types("right")
        await v.says(*at(1))
        good = moment_of("K7QP-12", 1)
        table = msgspec.structs.replace(good.table, game_view=msgspec.Raw(b"\xc1"))
        v.link.tell(msgspec.structs.replace(good, table=table))
        await v.until(lambda: v.app.return_code is not None)
    assert v.app.return_value == farewell.wrap_farewell(str(farewell.UNREADABLE.sentence), 80)
