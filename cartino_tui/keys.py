"""Which key does what in the frame: one table a screen, read by the screen and by its help, so help never lies.

Keys go by Textual's names. Nothing needs Ctrl or Alt; Ctrl-L (repaint) and Ctrl-C (out at once) are habits of
the terminal that have a plain key beside them.
"""

from collections.abc import Iterator

import msgspec


class KeyRow(msgspec.Struct, frozen=True):
    """What some keys do: `action` for the code, `shown` and `what` for the hint line, `help` for the help screen."""

    action: str
    keys: tuple[str, ...]
    shown: str
    what: str
    help: str = ""


class KeyTable:
    """The keys of one screen."""

    def __init__(self, *rows: KeyRow) -> None:
        """A table of `rows`. Raises ValueError where a key or an action stands twice."""
        self.rows = rows
        self._by_action = {row.action: row for row in rows}
        self._by_key = {key: row.action for row in rows for key in row.keys}
        if len(self._by_action) != len(rows) or len(self._by_key) != sum(len(row.keys) for row in rows):
            raise ValueError("a key or an action stands twice")

    def action(self, key: str) -> str | None:
        """What `key` does, or None."""
        return self._by_key.get(key)

    def key(self, shown: str) -> str | None:
        """The first key of the row that the hint line shows as `shown`: what a click on the hint presses."""
        return next((row.keys[0] for row in self.rows if row.shown == shown), None)

    def hints(self, *actions: str) -> tuple[tuple[str, str], ...]:
        """The (key, what it does) of `actions`, for the hint line."""
        return tuple((self._by_action[action].shown, self._by_action[action].what) for action in actions)

    def help(self) -> Iterator[tuple[str, str]]:
        """Every row as (key, what it does), for the help screen."""
        for row in self.rows:
            yield row.shown, row.help or row.what


_BACK = ("escape", "backspace")
_HELP = KeyRow("help", ("question_mark", "f1"), "?", "help", "this help: the keys and the rules")
_REPAINT = KeyRow("repaint", ("ctrl+l",), "Ctrl-L", "repaint", "paint the whole screen again")

LOBBY = KeyTable(
    KeyRow("up", ("up", "k"), "↑", "up", "the table above (also k)"),
    KeyRow("down", ("down", "j", "tab"), "↓", "down", "the table below (also j)"),
    KeyRow("page-up", ("pageup",), "PgUp", "page up", "a screenful up"),
    KeyRow("page-down", ("pagedown",), "PgDn", "page down", "a screenful down"),
    KeyRow("first", ("home", "g"), "Home", "first", "the first table"),
    KeyRow("last", ("end", "G"), "End", "last", "the last table"),
    KeyRow(
        "join", ("enter",), "Enter", "join", "sit down; watch where no seat is free; back to your own seat"
    ),
    KeyRow("watch", ("w",), "w", "watch", "watch the table without a seat"),
    KeyRow("new", ("n",), "n", "new", "open a table of your own"),
    KeyRow("code", ("c",), "c", "code", "go to the table whose code somebody gave you"),
    KeyRow("quick", ("p",), "p", "play now", "the first free seat, or a new table with a bot"),
    KeyRow("rename", ("r",), "r", "name", "change the name that others see"),
    KeyRow("history", ("f",), "f", "finished", "the finished games, to look at again"),
    KeyRow(
        "word", ("b",), "b", "back", "a guest's way back to their seat, with the word that they were given"
    ),
    _HELP,
    KeyRow("quit", ("q",), "q", "quit", "leave the house"),
    KeyRow("back", _BACK, "Esc", "quit", "leave the house, after a question (also Backspace)"),
    _REPAINT,
)

WAITING = KeyTable(
    KeyRow("up", ("up", "k"), "↑", "up", "the seat above (also k)"),
    KeyRow("down", ("down", "j", "tab"), "↓", "down", "the seat below (also j)"),
    KeyRow("sit", ("enter",), "Enter", "sit here", "take the marked seat"),
    *(KeyRow(f"sit-{n}", (f"{n}",), f"{n}", "sit", f"take seat {n}") for n in range(1, 10)),
    KeyRow("stand", ("u",), "u", "stand up", "give the seat back and watch"),
    KeyRow("start", ("s",), "s", "start", "start with those who sit here (the table's owner)"),
    KeyRow("cut", ("x",), "x", "cut", "cut the shuffle: any text of yours goes into it"),
    KeyRow("chat", ("t",), "t", "talk", "say something to the table"),
    _HELP,
    KeyRow("leave", ("q", *_BACK), "q", "leave", "back to the lobby (also Esc and Backspace)"),
    _REPAINT,
)

TABLE = KeyTable(
    KeyRow(
        "pause",
        ("p",),
        "p",
        "pause",
        "vote to pause the game or to go on; it takes all who play and are here",
    ),
    KeyRow("chat", ("t",), "t", "talk", "say something; spectators talk among themselves while a game runs"),
    _HELP,
    KeyRow("rematch", ("r",), "r", "again", "another game, once the game is over and everybody wants it"),
    KeyRow("cut", ("x",), "x", "cut", "cut the shuffle of the next game, once this one is over"),
    KeyRow(
        "leave",
        ("q", *_BACK),
        "q",
        "leave",
        "to the lobby (also Esc and Backspace); a running game keeps your seat",
    ),
    _REPAINT,
)

FORM = KeyTable(
    KeyRow("up", ("up", "k"), "↑", "up", "the line above (also k)"),
    KeyRow("down", ("down", "j", "tab"), "↓", "down", "the line below (also j)"),
    KeyRow("less", ("left", "h"), "←", "", "the choice to the left (also h)"),
    KeyRow("more", ("right", "l", "space"), "→", "choose", "the choice to the right (also l, space)"),
    KeyRow("open", ("enter",), "Enter", "open the table", "open the table and sit down at it"),
    KeyRow("back", (*_BACK, "q"), "Esc", "back", "back to the lobby without a table"),
    _REPAINT,
)

HELP = KeyTable(
    KeyRow("up", ("up", "k"), "↑", "up", "a line up"),
    KeyRow("down", ("down", "j", "enter"), "↓", "down", "a line down"),
    KeyRow("page-up", ("pageup", "b"), "PgUp", "page up", "a page up"),
    KeyRow("page-down", ("pagedown", "space"), "PgDn", "page down", "a page down"),
    KeyRow("first", ("home", "g"), "Home", "top", "the top"),
    KeyRow("last", ("end", "G"), "End", "end", "the end"),
    KeyRow("back", (*_BACK, "q", "question_mark", "f1"), "Esc", "back", "back to where you were"),
    _REPAINT,
)

REPLAY = KeyTable(
    KeyRow("back", ("left", "h"), "←", "step back", "a step back (also h)"),
    KeyRow("on", ("right", "l", "space"), "→", "step on", "a step on (also l, space)"),
    KeyRow("far-back", ("pageup",), "PgUp", "10 back", "ten steps back"),
    KeyRow("far-on", ("pagedown",), "PgDn", "10 on", "ten steps on"),
    KeyRow("first", ("home", "g"), "Home", "start", "the beginning"),
    KeyRow("last", ("end", "G"), "End", "end", "the end"),
    _HELP,
    KeyRow("quit", ("q", *_BACK), "q", "quit", "leave (also Esc and Backspace)"),
    _REPAINT,
)

REPLAY_IN_HOUSE = KeyTable(
    *(row for row in REPLAY.rows if row.action != "quit"),
    KeyRow("quit", ("q", *_BACK), "q", "back", "back to the list (also Esc and Backspace)"),
)

HISTORY = KeyTable(
    KeyRow("up", ("up", "k"), "↑", "up", "the game above (also k)"),
    KeyRow("down", ("down", "j"), "↓", "down", "the game below (also j); at the end older ones"),
    KeyRow("page-up", ("pageup",), "PgUp", "newer", "a screenful up"),
    KeyRow("page-down", ("pagedown",), "PgDn", "older", "a screenful down; at the end older games"),
    KeyRow("first", ("home", "g"), "Home", "first", "the newest game"),
    KeyRow("last", ("end", "G"), "End", "last", "the last game of the list"),
    KeyRow("open", ("enter",), "Enter", "replay", "step through the game"),
    KeyRow("all", ("a",), "a", "all", "all games that you may see"),
    KeyRow("mine", ("m",), "m", "mine", "those that you played"),
    KeyRow("player", ("p",), "p", "player", "those of a player, by name"),
    KeyRow("next", ("tab",), "Tab", "next list", "all, mine, a player's, in turn"),
    KeyRow("export", ("e",), "e", "export", "how to get the game's record as a file"),
    _HELP,
    KeyRow("back", ("q", *_BACK), "q", "back", "back to the lobby (also Esc and Backspace)"),
    _REPAINT,
)

QUESTION = KeyTable(
    KeyRow("yes", ("y", "Y", "enter"), "y", "yes"),
    KeyRow("no", ("n", "N", "q", *_BACK), "n", "no"),
    _REPAINT,
)
