"""An app that shows what reaches it."""

from typing import Any, cast

from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.theme import theme_of
from cartino_tui.terminal.session_app import SessionApp
from cartino_tui.terminal.textual_internals import PaintedScreen


class EchoScreen(PaintedScreen[None]):
    """One line of text, and a line below."""

    def __init__(self, told: str, below: str = "below") -> None:
        super().__init__()
        self.told, self.below = told, below

    def on_mount(self) -> None:
        self.tell(self.told)

    def on_resize(self) -> None:
        self.tell(self.told)

    def tell(self, text: str) -> None:
        self.told = text
        painter, (width, height) = cast(SessionApp[None], self.app).painter, self.size
        if width and not painter.waits(lambda: self.tell(self.told)):
            canvas = Canvas(width, height)
            canvas.put(0, 0, text, "key")
            canvas.put(0, 1, self.below, "text")
            painter.show(canvas.frame())


class EchoApp(SessionApp[str]):
    """Shows the last event; x breaks it, q leaves."""

    def get_default_screen(self) -> EchoScreen:
        return EchoScreen("hello")

    def on_mount(self) -> None:
        """Wear colours that no terminal of 256 has."""
        self.painter.dress(theme_of("nord"))

    def tell(self, text: str) -> None:
        screen = self.screen
        assert isinstance(screen, EchoScreen)
        screen.tell(text)

    def on_key(self, event: Any) -> None:
        if event.key == "x":
            raise RuntimeError("boom")
        if event.key == "q":
            self.exit(return_code=4)
        self.tell(f"key {event.key}")

    def on_paste(self, event: Any) -> None:
        self.tell(f"paste {event.text}")

    def on_click(self, event: Any) -> None:
        self.tell(f"click {event.screen_x} {event.screen_y}")

    def on_resize(self, event: Any) -> None:
        if event.size.width != 80:
            self.call_later(self.tell, f"size {event.size.width}x{event.size.height}")
