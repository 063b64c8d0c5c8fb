from collections.abc import Callable

from cartino_protocol.commands import Prefer
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.refusals import Refusal
from cartino_tui.preferences import Preferences, Settings, decode_settings
from cartino_tui.visit.connection import SAVE_DELAY, ConnectionState, SettingsSaver
from tests.tui.conftest import Visiting


class Later:
    """What is to be done later, until the test lets it be."""

    def __init__(self) -> None:
        self.due: list[tuple[float, Callable[[], None]]] = []

    def __call__(self, seconds: float, act: Callable[[], None]) -> "Later":
        self.due.append((seconds, act))
        return self

    def stop(self) -> None:
        self.due.clear()


class World:
    """A person's choices, and what the house is told of them."""

    def __init__(self) -> None:
        self.later, self.line, self.wanted = Later(), ConnectionState(), Preferences()
        self.said: list[Settings] = []
        self.keeping = SettingsSaver(self.wanted, self.line, self.later, self._hear)

    def _hear(self, prefer: Prefer) -> None:
        self.said.append(decode_settings(bytes(prefer.settings)))

    def choose(self, **choices: object) -> None:
        self.wanted.choose(**choices)
        self.keeping.changed()


def test_many_changes_are_said_once_a_moment_after_the_last() -> None:
    world = World()
    world.choose(theme="light")
    world.choose(theme="own")
    assert world.said == []
    ((seconds, act),) = world.later.due
    assert seconds == SAVE_DELAY
    act()
    assert world.said == [Settings(theme="own")]
    world.keeping.tell()
    assert len(world.said) == 1, "it is known"


def test_at_the_end_it_is_said_at_once() -> None:
    world = World()
    world.keeping.tell()
    assert world.said == []
    world.choose(bell=False)
    world.keeping.tell()
    assert world.said == [Settings(bell=False)]
    assert world.later.due == []


def test_without_a_line_it_stays_news() -> None:
    world = World()
    world.choose(bell=False)
    world.line.hear(ConnectionStatus("lost", 3), 0)
    world.later.due[0][1]()
    assert world.said == []
    world.line.is_up()
    world.keeping.tell()
    assert world.said == [Settings(bell=False)]


def test_what_the_house_had_no_time_for_is_said_again_at_the_end_and_not_before() -> None:
    world = World()
    world.choose(bell=False)
    world.keeping.tell()
    world.keeping.refused(Refusal("busy", to="Sit"))
    world.keeping.refused(Refusal("not-saved", to="Prefer"))
    world.keeping.tell()
    assert len(world.said) == 1, "it was heard"
    world.keeping.refused(Refusal("busy", to="Prefer"))
    assert world.later.due == []
    world.keeping.tell()
    assert world.said == [Settings(bell=False)] * 2


async def test_the_app_hears_of_it(visit: Visiting) -> None:
    async with visit() as v:
        v.app.stage.preferences.choose(bell=False)
        said = v.app.stage.preferences.news()
        await v.hears(Refusal("busy", to="Prefer"))
        await v.types("q")
    assert said is not None
    assert v.link.said[-1] == said
