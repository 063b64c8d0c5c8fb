"""The table during and after a game; the visits are in `table.txt`."""

from cartino_protocol.commands import Act, Command
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import TableView
from cartino_protocol.wire import encode_raw
from cartino_tui.game_port.screen import MIN_LOOK, Look, Reaction
from tests.support.visit import Counter, End, LayOne, Pick, ScriptedLink, ToyScreen, toy_table
from tests.support.visit_script import visits
from tests.tui.conftest import Visiting

LAY_1 = Act(1, encode_raw(LayOne(1)))


async def test_many_turns_in_one_burst_are_played_in_order(visit: Visiting) -> None:
    """The server answers every move; four turns of three keys are typed before the first answer."""
    link = ScriptedLink()
    number = 1

    def answer(command: Command) -> None:
        nonlocal number
        if isinstance(command, Act):
            assert command.number == number
            number += 1
            link.tell(toy_table(number=number, laid=(number + 1) % 2))

    link.reacts = answer
    async with visit(toy_table(), link=link) as v:
        await v.types(*("1", "enter", "e") * 4)
        await v.until(lambda: number == 9)
        moves = [bytes(c.move) for c in link.sent if isinstance(c, Act)]
        assert moves == [bytes(encode_raw(LayOne(1))), bytes(encode_raw(End()))] * 4


async def test_a_move_that_was_not_saved_is_repeated_by_the_same_key(visit: Visiting) -> None:
    """By a game whose stone leaves the hand at once, as Cartino's does."""

    class Hasty(ToyScreen):
        def update_pointer(self, table: TableView, view: Counter, pointer: Pick) -> Pick:
            return pointer

        def key(
            self, table: TableView, view: Counter, pointer: Pick, key: str, look: Look = MIN_LOOK
        ) -> Reaction[Pick]:
            reaction = super().key(table, view, pointer, key, look)
            return Reaction(Pick(), reaction.move) if reaction.move else reaction

    async with visit(toy_table(game="hasty"), game_screens={"hasty": Hasty()}) as v:
        await v.types("1", "enter")
        await v.says(LAY_1)
        await v.hears(Refusal("not-saved", to="Act"))
        assert v.status == Refusal("not-saved").sentence()
        assert "picked 1" in v.text
        await v.types("enter")
        await v.says(LAY_1, LAY_1)
        await v.hears(Refusal("busy", to="Say"), toy_table(game="hasty", number=2))
        assert "picked 0" in v.text, "the refusal was about something else"


test_visits = visits(__file__)
