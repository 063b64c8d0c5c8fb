"""Pages in tests: which one is in front, and one drawn at any size."""

from collections.abc import Callable
from typing import Any

from cartino_protocol.commands import Command
from cartino_tui.app import CartinoApp
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.pages.page import AnyPage, Reader
from cartino_tui.screens.page import PageScreen
from cartino_tui.screens.page_drawing import PageDrawing, PageModel, page_hints
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.widgets.layout import translate_hints
from tests.support.visit import TOYS


def is_open(app: CartinoApp, page: AnyPage) -> bool:
    """Whether `page` is the screen in front."""
    return isinstance(app.screen, PageScreen) and app.screen.page is page


def in_stack(app: CartinoApp, page: AnyPage) -> bool:
    """Whether `page` is open, in front or below."""
    return any(isinstance(screen, PageScreen) and screen.page is page for screen in app.screen_stack)


def page_at(
    page: AnyPage,
    view: Any = None,
    *,
    cursor: int = 0,
    top: int = 0,
    status: str = "",
    waiting: bool = False,
    query: Command | None = None,
    guest: bool = False,
    games: int = 1,
    command: str = "",
    link_time: str = "",
) -> Callable[[Look], Frame]:
    """Return what draws `page` as it stands, with its hints."""
    model = PageModel(view, cursor, top, status, waiting, query)

    def draw(look: Look) -> Frame:
        reader = Reader(
            look.translator, TOYS, ShellCommands(command), guest, ("toy", "odd")[:games], link_time
        )
        hints = translate_hints(page_hints(page, view, reader), look)
        return PageDrawing(page, model, look, reader).frame(hints)

    return draw
