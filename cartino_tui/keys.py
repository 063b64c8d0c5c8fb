"""The key bindings of every screen, one table per screen, used by the screen, its hints and its help.

Keys have Textual's names. Nothing requires Ctrl or Alt; Ctrl-L (repaint) and Ctrl-C (quit) also have a plain key.
"""

from cartino_protocol.text import N_
from cartino_tui import key_table
from cartino_tui.key_table import key_label

KeyRow = key_table.KeyRow
KeyTable = key_table.KeyTable


def _row(action: str, keys: str, what: str, help: str = "", *, shown: str | None = None) -> KeyRow:
    """Return a row for `keys`, Textual's names with blanks between; hints show the first, or else `shown`."""
    names = tuple(keys.split())
    return KeyRow(action, names, key_label(names[0]) if shown is None else shown, what, help)


def _up_down(up: str, down: str, *more_down: str) -> tuple[KeyRow, KeyRow]:
    return (
        _row("up", "up k", N_("up"), up),
        KeyRow("down", ("down", "j", *more_down), "↓", N_("down"), down),
    )


def _pages(up: str, down: str, *more_down: str) -> tuple[KeyRow, KeyRow]:
    return (
        _row("page-up", "pageup", N_("page up"), up),
        KeyRow("page-down", ("pagedown", *more_down), "PgDn", N_("page down"), down),
    )


def _ends(first: str, last: str) -> tuple[KeyRow, KeyRow]:
    return (_row("first", "home g", N_("first"), first), _row("last", "end G", N_("last"), last))


_LINES = _up_down(N_("the line above"), N_("the line below"), "tab")
_TEXT_PAGES = _pages(N_("a page up"), N_("a page down"), "space")
_LINE_ENDS = _ends(N_("the first line"), N_("the last line"))
_SCREENFULS = _pages(N_("a screenful up"), N_("a screenful down"))
_SCROLL = _up_down(N_("a line up"), N_("a line down"))
_HELP = _row("help", "question_mark f1", N_("help"), N_("this help: the keys and the rules"))
_HELP_KEYS = _row("help", "question_mark f1", N_("help"), N_("this help: the keys"))
"""For screens without a game."""
_SETTINGS = _row("settings", "o", N_("settings"), N_("your settings: language, colours, keys, terminal"))
_ACTIONS = _row("actions", "colon", N_("more"), N_("all that can be done here, to search and choose from"))
_REPAINT = _row("repaint", "ctrl+l", N_("repaint"), N_("paint the whole screen again"))
_OF_TALK = (
    KeyRow("ignore", ("T x",), "T x", N_("ignore"), N_("hear no more of somebody who said something here")),
    KeyRow("report", ("T r",), "T r", N_("report"), N_("have the host read a line that somebody said here")),
    KeyRow("ignored", ("T i",), "T i", N_("ignored"), N_("the people whom you ignore, to hear them again")),
)
"""Shown at the table for those who look for them there; they work in the chat history."""


def _table(*rows: KeyRow) -> KeyTable:
    """Return the keys of a screen, with those of all screens."""
    return KeyTable(*rows, _ACTIONS, _REPAINT)


LOBBY = _table(
    *_up_down(N_("the table above"), N_("the table below"), "tab"),
    *_SCREENFULS,
    *_ends(N_("the first table"), N_("the last table")),
    _row("join", "enter", N_("join"), N_("sit down; watch where no seat is free; back to your own seat")),
    _row("watch", "w", N_("watch"), N_("watch the table without a seat")),
    _row("new", "n", N_("new"), N_("open a table of your own")),
    _row("code", "c", N_("code"), N_("go to the table whose code somebody gave you")),
    _row("quick", "p", N_("play now"), N_("the first free seat, or a new table with a bot")),
    _row("rename", "r", N_("name"), N_("change the name that others see")),
    _row("learn", "h", N_("learn"), N_("how to play: lessons of three minutes, at a table of your own")),
    _row("history", "f", N_("finished"), N_("the finished games, to look at again")),
    _row("leaders", "l", N_("ratings"), N_("who plays best, and what each of them has played")),
    _row("invited", "i", N_("invitations"), N_("the tables that you were asked to")),
    _row("ignored", "x", N_("ignored"), N_("the people whom you ignore, to hear them again")),
    _row("keys", "y", N_("ssh keys"), N_("the ssh keys by which the house knows you: add another, drop one")),
    _row("account", "m", N_("account"), N_("what the server keeps of you, and to delete it")),
    _row(
        "word",
        "b",
        N_("come back"),
        N_("a guest's way back to their seat, with the word that they were given"),
    ),
    _SETTINGS,
    _HELP,
    _row("quit", "q", N_("quit"), N_("leave the house")),
    _row("back", "escape backspace", N_("quit"), N_("leave the house, after a question")),
)

WAITING = _table(
    *_up_down(N_("the seat above"), N_("the seat below"), "tab"),
    _row("sit", "enter", N_("sit here"), N_("take the marked seat")),
    _row("number", "1 2 3 4 5 6 7 8 9", N_("sit"), N_("take the seat of that number"), shown="1-9"),
    _row("stand", "u", N_("stand up"), N_("give the seat back and watch")),
    _row("start", "s", N_("start"), N_("start with those who sit here (the table's owner)")),
    _row("cut", "x", N_("cut"), N_("cut the shuffle: any text of yours goes into it")),
    _row("invite", "i", N_("invite"), N_("ask somebody here by name, now or when they come")),
    _row("copy", "y", N_("copy"), N_("what friends type to come, into the clipboard of your terminal")),
    _row("chat", "t", N_("talk"), N_("say something to the table")),
    _row("said", "T", N_("all talk"), N_("all that was said at this table")),
    *_OF_TALK,
    _SETTINGS,
    _HELP,
    _row("leave", "q escape backspace", N_("leave"), N_("back to the lobby")),
)

TABLE = _table(
    _row(
        "pause",
        "p",
        N_("pause"),
        N_("vote to pause the game or to go on; it takes all who play and are here"),
    ),
    _row("chat", "t", N_("talk"), N_("say something; spectators talk among themselves while a game runs")),
    _row("said", "T", N_("all talk"), N_("all that was said at this table")),
    *_OF_TALK,
    _row("why", "v", N_("why"), N_("explain the score of the last move; again for earlier ones")),
    _row("advice", "i", N_("idea"), N_("what you could do, where ideas are switched on, against bots")),
    _SETTINGS,
    _HELP,
    _row("rematch", "r", N_("again"), N_("another game, once the game is over and everybody wants it")),
    _row("cut", "x", N_("cut"), N_("cut the shuffle of the next game, once this one is over")),
    _row("leave", "q escape backspace", N_("leave"), N_("to the lobby; a running game keeps your seat")),
)

FORM = _table(
    *_LINES,
    _row("less", "left h", "", N_("the choice to the left")),
    _row("more", "right l space", N_("choose"), N_("the choice to the right")),
    _row("open", "enter", N_("open the table"), N_("open the table and sit down at it")),
    _HELP,
    _row("back", "escape backspace q", N_("back"), N_("back to the lobby without a table")),
)

SETTINGS = _table(
    *_LINES,
    _row("less", "left h", "", N_("the choice to the left")),
    _row("more", "right l space enter", N_("change"), N_("the choice to the right")),
    *_LINE_ENDS,
    _row("card", "c", N_("terminal"), N_("what your terminal can show, and what to choose for it")),
    _row("test", "t", N_("keys"), N_("press any key and see what it is called and does")),
    _row("own", "m", N_("my keys"), N_("which key does what, and others of your own")),
    _row("defaults", "d", N_("defaults"), N_("forget all that you have chosen, after a question")),
    _HELP_KEYS,
    _row("back", "escape backspace q o", N_("back"), N_("back to where you were")),
)

CALIBRATION = _table(
    _row("yes", "y Y", N_("yes"), N_("it lines up: all characters")),
    _row("no", "n N", N_("no"), N_("it does not: plain letters only")),
    _row("next", "right l space enter", N_("other colours"), N_("the next colours")),
    _row("before", "left h", "", N_("the colours before")),
    _row("deck", "d", N_("deck"), N_("four colours or two")),
    _row("back", "escape backspace q", N_("back"), N_("back to the settings")),
)

OWN_KEYS = _table(
    *_LINES,
    *_LINE_ENDS,
    _row("choose", "enter space", N_("choose"), N_("choose another key for it")),
    _row("clear", "d delete", N_("as before"), N_("no key of your own for it")),
    _row("back", "escape backspace q", N_("back"), N_("back to the settings")),
)

KEY_TEST = KeyTable(
    _row(
        "back",
        "escape backspace",
        N_("back"),
        N_("back to the settings; once shows the key"),
        shown="Esc Esc",
    )
)

HELP = _table(
    *_up_down(N_("a line up"), N_("a line down"), "enter"),
    _row("page-up", "pageup b", N_("page up"), N_("a page up")),
    _row("page-down", "pagedown space", N_("page down"), N_("a page down")),
    _row("first", "home g", N_("top"), N_("the top")),
    _row("last", "end G", N_("end"), N_("the end")),
    _row("find", "slash", N_("find"), N_("find words in this help")),
    _row("next", "n", N_("next"), N_("where the words stand next")),
    _row("previous", "N", N_("previous"), N_("where they stood before")),
    _row("back", "escape backspace q question_mark f1", N_("back"), N_("back to where you were")),
)

LESSON = _table(
    _row("on", "enter", N_("go on"), N_("on, once the task is done; takes back what strayed")),
    _row(
        "read", "space", N_("the task"), N_("the task again, where it has a page of its own; else as Enter")
    ),
    _row("later", "pagedown", N_("next lesson"), N_("the next lesson")),
    _row("earlier", "pageup", N_("lesson before"), N_("this lesson anew, then the one before")),
    _HELP,
    _row("leave", "q escape backspace", N_("leave"), N_("to the lobby, at any time")),
)

REPLAY = _table(
    _row("back", "left h", N_("step back"), N_("a step back")),
    _row("on", "right l space", N_("step on"), N_("a step on")),
    _row("far-back", "pageup", N_("10 back"), N_("ten steps back")),
    _row("far-on", "pagedown", N_("10 on"), N_("ten steps on")),
    _row("first", "home g", N_("beginning"), N_("the beginning")),
    _row("last", "end G", N_("end"), N_("the end")),
    _row("course", "c", N_("course"), N_("the totals turn by turn, to choose a turn from")),
    _row("turn", "t 1 2 3 4 5 6 7 8 9", N_("turn"), N_("go to a turn by its number (also: type the number)")),
    _HELP,
    _row("quit", "q escape backspace", N_("quit"), N_("leave")),
)

REPLAY_FROM_LIST = KeyTable(
    *(row for row in REPLAY.rows if row.action != "quit"),
    _row("quit", "q escape backspace", N_("back"), N_("back to the list")),
)

HISTORY = _table(
    *_up_down(N_("the game above"), N_("the game below; at the end older ones")),
    _row("page-up", "pageup", N_("newer"), N_("a screenful up")),
    _row("page-down", "pagedown", N_("older"), N_("a screenful down; at the end older games")),
    *_ends(N_("the newest game"), N_("the last game of the list")),
    _row("open", "enter", N_("replay"), N_("step through the game")),
    _row("all", "a", N_("all"), N_("all games that you may see")),
    _row("mine", "m", N_("mine"), N_("those that you played")),
    _row("player", "p", N_("player"), N_("those of a player, by name")),
    _row("next", "tab", N_("next list"), N_("all, mine, a player's, in turn")),
    _row("export", "e", N_("export"), N_("how to get the game's record as a file")),
    _HELP_KEYS,
    _row("back", "q escape backspace", N_("back"), N_("back to the lobby")),
)

COURSE = _table(
    _row("back", "left h up k", N_("turn before"), N_("a turn back")),
    _row("on", "right l down j", N_("turn after"), N_("a turn on")),
    _row("far-back", "pageup", N_("10 back"), N_("ten turns back")),
    _row("far-on", "pagedown", N_("10 on"), N_("ten turns on")),
    _row("first", "home g", N_("beginning"), N_("the first turn")),
    _row("last", "end G", N_("end"), N_("the last turn")),
    _row("show", "enter space", N_("show"), N_("the table after that turn")),
    _row(
        "turn", "t 1 2 3 4 5 6 7 8 9", N_("turn"), N_("choose a turn by its number (also: type the number)")
    ),
    _row("quit", "q c escape backspace", N_("back"), N_("back to the table")),
)

LEADERS = _table(
    *_up_down(N_("the line above"), N_("the line below")),
    *_SCREENFULS,
    *_ends(N_("the best"), N_("the end of the list")),
    _row("open", "enter", N_("profile"), N_("what the marked player has played")),
    _row("mine", "m", N_("mine"), N_("what you have played")),
    _row("player", "p", N_("player"), N_("what somebody has played, by name")),
    _row("next", "tab", N_("next game"), N_("the ratings of the next game, in turn")),
    _HELP_KEYS,
    _row("back", "q escape backspace", N_("back"), N_("back to the lobby")),
)

PROFILE = _table(
    *_SCROLL,
    *_TEXT_PAGES,
    _row("games", "enter f", N_("games"), N_("their finished games, to look at again")),
    _row("player", "p", N_("player"), N_("what somebody else has played, by name")),
    _row("against", "v", N_("compare"), N_("how they did against somebody, by name")),
    _row("mine", "m", N_("mine"), N_("what you have played")),
    _HELP_KEYS,
    _row("back", "q escape backspace", N_("back"), N_("back to where you were")),
)

INVITATIONS = _table(
    *_up_down(N_("the invitation above"), N_("the invitation below"), "tab"),
    _row("join", "enter i", N_("join"), N_("go to that table and sit down")),
    _row("watch", "w", N_("watch"), N_("go there and look on")),
    _row("decline", "n d", N_("no"), N_("put the invitation away; nobody is told")),
    _row("ignore", "x", N_("never"), N_("put it away, and hear no more from whoever sent it")),
    _row("back", "q escape backspace", N_("back"), N_("back to the lobby")),
)

IGNORED = _table(
    *_up_down(N_("the one above"), N_("the one below"), "tab"),
    *_TEXT_PAGES,
    _row("hear", "enter x delete", N_("hear again"), N_("ignore the marked one no more")),
    _row("ignore", "n", N_("ignore"), N_("hear no more of somebody, by name")),
    _row("back", "escape backspace q i", N_("back"), N_("back to where you were")),
)

SSH_KEYS = _table(
    *_up_down(N_("the key above"), N_("the key below"), "tab"),
    *_TEXT_PAGES,
    _row("code", "n", N_("add a key"), N_("a code by which another key becomes yours too")),
    _row("add", "a", N_("type a code"), N_("make the key in use here that of whoever has the code")),
    _row("drop", "d delete", N_("drop"), N_("the marked key is yours no more, after a question")),
    _row("back", "escape backspace q y", N_("back"), N_("back to the lobby")),
)

ACCOUNT = _table(
    *_SCROLL,
    *_TEXT_PAGES,
    _row("delete", "d delete", N_("delete"), N_("delete your account, once you have typed your name")),
    _row("back", "escape backspace q m", N_("back"), N_("back to the lobby")),
)

TALK = _table(
    *_LINES,
    *_TEXT_PAGES,
    *_ends(N_("the oldest line that is kept"), N_("the newest line")),
    _row("chat", "t enter", N_("talk"), N_("say something")),
    _row("ignore", "x", N_("ignore"), N_("hear no more of whoever said the marked line")),
    _row("report", "r", N_("report"), N_("have the host read the marked line, after a question")),
    _row("ignored", "i", N_("ignored"), N_("the people whom you ignore, to hear them again")),
    _row("back", "escape backspace q T", N_("back"), N_("back to the table")),
)

QUESTION = KeyTable(
    _row("yes", "y Y enter", N_("yes")), _row("no", "n N q escape backspace", N_("no")), _REPAINT
)
