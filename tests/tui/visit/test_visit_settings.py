from cartino_protocol.commands import Prefer
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.refusals import Refusal
from cartino_tui.preferences import Preferences, Settings, decode_settings
from cartino_tui.visit.events import Event, QuitRequest, SaveSettings, Send, StartTimer, TimeUp
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.visit import SAVE_DELAY, Visit
from tests.support.visit import welcome
from tests.tui.conftest import Visiting


class World:
    """A person's settings, and what the server is told of them."""

    def __init__(self) -> None:
        self.visit = Visit(None, Preferences(), ShellCommands(), "test")
        self.timers: list[StartTimer] = []
        self.said: list[Settings] = []
        self.hears(welcome())

    def hears(self, event: Event) -> None:
        for effect in self.visit.handle(event):
            match effect:
                case Send(Prefer(settings)):
                    self.said.append(decode_settings(bytes(settings)))
                case StartTimer("save-settings"):
                    self.timers.append(effect)

    def choose(self, **choices: object) -> None:
        self.visit.preferences.choose(**choices)
        self.hears(SaveSettings())


def test_many_changes_are_said_once_a_moment_after_the_last() -> None:
    world = World()
    world.choose(theme="light")
    world.choose(theme="own")
    assert world.said == []
    assert world.timers == [StartTimer("save-settings", SAVE_DELAY)] * 2, "the second starts it again"
    world.hears(TimeUp("save-settings"))
    assert world.said == [Settings(theme="own")]
    world.hears(SaveSettings(now=True))
    assert len(world.said) == 1, "it is known"


def test_at_the_end_it_is_said_at_once() -> None:
    world = World()
    world.hears(SaveSettings(now=True))
    assert world.said == []
    world.visit.preferences.choose(bell=False)
    world.hears(QuitRequest())
    assert world.said == [Settings(bell=False)]


def test_without_a_line_it_stays_news() -> None:
    world = World()
    world.choose(bell=False)
    world.hears(ConnectionStatus("lost", 3))
    world.hears(TimeUp("save-settings"))
    assert world.said == []
    world.hears(ConnectionStatus("back"))
    world.hears(welcome())
    assert world.said == [Settings(bell=False)]


def test_what_the_server_had_no_time_for_is_said_again_at_the_end_and_not_before() -> None:
    world = World()
    world.choose(bell=False)
    world.hears(TimeUp("save-settings"))
    world.hears(Refusal("busy", to="Sit"))
    world.hears(Refusal("not-saved", to="Prefer"))
    world.hears(SaveSettings(now=True))
    assert len(world.said) == 1, "it was heard"
    world.hears(Refusal("busy", to="Prefer"))
    assert len(world.said) == 1
    world.hears(QuitRequest())
    assert world.said == [Settings(bell=False)] * 2


async def test_the_app_hears_of_it(visit: Visiting) -> None:
    async with visit() as v:
        v.app.context.preferences.choose(bell=False)
        said = v.app.context.preferences.flush_unsent_settings()
        await v.hears(Refusal("busy", to="Prefer"))
        await v.types("q")
    assert said is not None
    assert v.link.said[-1] == said
