"""Words for the clipboard of somebody's own terminal (OSC 52), which is the only one there is."""

from typing import Any

from textual.app import App

from cartino_tui.driver.session_app import SessionApp
from cartino_tui.tongue import Tongue


def copied(app: App[Any], text: str, tongue: Tongue) -> str:
    """Send `text` to the clipboard; a sentence on what became of it.

    Terminals without colours show such a sequence as letters, so they get none; others that don't know it drop it,
    and nobody can tell.
    """
    if isinstance(app, SessionApp) and app.session_depth == "mono":
        return tongue.say(
            "This terminal takes nothing into its clipboard; copy it by hand: {text}", text=text
        )
    app.copy_to_clipboard(text)
    return tongue.say("Sent to your clipboard, if your terminal lets it in: {text}", text=text)
