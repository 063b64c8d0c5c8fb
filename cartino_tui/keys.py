"""The key bindings of every screen, one table per screen, used by the screen, its hints and its help.

Keys have Textual's names. Nothing requires Ctrl or Alt; Ctrl-L (repaint) and Ctrl-C (quit) also have a plain key.
"""

from cartino_protocol.text import N_
from cartino_tui import key_table

KeyRow = key_table.KeyRow
KeyTable = key_table.KeyTable

_BACK = ("escape", "backspace")
_HELP = KeyRow("help", ("question_mark", "f1"), "?", N_("help"), N_("this help: the keys and the rules"))
_HELP_KEYS = KeyRow("help", ("question_mark", "f1"), "?", N_("help"), N_("this help: the keys"))
"""Where no game is played."""
_SETTINGS = KeyRow(
    "settings",
    ("o",),
    "o",
    N_("settings"),
    N_("your settings: language, colours, keys, terminal"),
)
_ACTIONS = KeyRow(
    "actions", ("colon",), ":", N_("more"), N_("all that can be done here, to search and choose from")
)
_REPAINT = KeyRow("repaint", ("ctrl+l",), "Ctrl-L", N_("repaint"), N_("paint the whole screen again"))
_OF_TALK = (
    KeyRow("ignore", ("T x",), "T x", N_("ignore"), N_("hear no more of somebody who said something here")),
    KeyRow("report", ("T r",), "T r", N_("report"), N_("have the host read a line that somebody said here")),
    KeyRow("ignored", ("T i",), "T i", N_("ignored"), N_("the people whom you ignore, to hear them again")),
)
"""What is done among all that was said, for whoever seeks it at the table."""


def _table(*rows: KeyRow) -> KeyTable:
    """The keys of a screen with those that all screens have."""
    return KeyTable(*rows, _ACTIONS, _REPAINT)


LOBBY = _table(
    KeyRow("up", ("up", "k"), "↑", N_("up"), N_("the table above")),
    KeyRow("down", ("down", "j", "tab"), "↓", N_("down"), N_("the table below")),
    KeyRow("page-up", ("pageup",), "PgUp", N_("page up"), N_("a screenful up")),
    KeyRow("page-down", ("pagedown",), "PgDn", N_("page down"), N_("a screenful down")),
    KeyRow("first", ("home", "g"), "Home", N_("first"), N_("the first table")),
    KeyRow("last", ("end", "G"), "End", N_("last"), N_("the last table")),
    KeyRow(
        "join",
        ("enter",),
        "Enter",
        N_("join"),
        N_("sit down; watch where no seat is free; back to your own seat"),
    ),
    KeyRow("watch", ("w",), "w", N_("watch"), N_("watch the table without a seat")),
    KeyRow("new", ("n",), "n", N_("new"), N_("open a table of your own")),
    KeyRow("code", ("c",), "c", N_("code"), N_("go to the table whose code somebody gave you")),
    KeyRow("quick", ("p",), "p", N_("play now"), N_("the first free seat, or a new table with a bot")),
    KeyRow("rename", ("r",), "r", N_("name"), N_("change the name that others see")),
    KeyRow(
        "learn", ("h",), "h", N_("learn"), N_("how to play: lessons of three minutes, at a table of your own")
    ),
    KeyRow("history", ("f",), "f", N_("finished"), N_("the finished games, to look at again")),
    KeyRow("leaders", ("l",), "l", N_("ratings"), N_("who plays best, and what each of them has played")),
    KeyRow("invited", ("i",), "i", N_("invitations"), N_("the tables that you were asked to")),
    KeyRow("ignored", ("x",), "x", N_("ignored"), N_("the people whom you ignore, to hear them again")),
    KeyRow(
        "keys",
        ("y",),
        "y",
        N_("ssh keys"),
        N_("the ssh keys by which the house knows you: add another, drop one"),
    ),
    KeyRow("account", ("m",), "m", N_("account"), N_("what the server keeps of you, and to delete it")),
    KeyRow(
        "word",
        ("b",),
        "b",
        N_("come back"),
        N_("a guest's way back to their seat, with the word that they were given"),
    ),
    _SETTINGS,
    _HELP,
    KeyRow("quit", ("q",), "q", N_("quit"), N_("leave the house")),
    KeyRow("back", _BACK, "Esc", N_("quit"), N_("leave the house, after a question")),
)

WAITING = _table(
    KeyRow("up", ("up", "k"), "↑", N_("up"), N_("the seat above")),
    KeyRow("down", ("down", "j", "tab"), "↓", N_("down"), N_("the seat below")),
    KeyRow("sit", ("enter",), "Enter", N_("sit here"), N_("take the marked seat")),
    KeyRow("number", tuple("123456789"), "1-9", N_("sit"), N_("take the seat of that number")),
    KeyRow("stand", ("u",), "u", N_("stand up"), N_("give the seat back and watch")),
    KeyRow("start", ("s",), "s", N_("start"), N_("start with those who sit here (the table's owner)")),
    KeyRow("cut", ("x",), "x", N_("cut"), N_("cut the shuffle: any text of yours goes into it")),
    KeyRow("invite", ("i",), "i", N_("invite"), N_("ask somebody here by name, now or when they come")),
    KeyRow(
        "copy", ("y",), "y", N_("copy"), N_("what friends type to come, into the clipboard of your terminal")
    ),
    KeyRow("chat", ("t",), "t", N_("talk"), N_("say something to the table")),
    KeyRow("said", ("T",), "T", N_("all talk"), N_("all that was said at this table")),
    *_OF_TALK,
    _SETTINGS,
    _HELP,
    KeyRow("leave", ("q", *_BACK), "q", N_("leave"), N_("back to the lobby")),
)

TABLE = _table(
    KeyRow(
        "pause",
        ("p",),
        "p",
        N_("pause"),
        N_("vote to pause the game or to go on; it takes all who play and are here"),
    ),
    KeyRow(
        "chat",
        ("t",),
        "t",
        N_("talk"),
        N_("say something; spectators talk among themselves while a game runs"),
    ),
    KeyRow("said", ("T",), "T", N_("all talk"), N_("all that was said at this table")),
    *_OF_TALK,
    KeyRow("why", ("v",), "v", N_("why"), N_("explain the score of the last move; again for earlier ones")),
    KeyRow(
        "advice", ("i",), "i", N_("idea"), N_("what you could do, where ideas are switched on, against bots")
    ),
    _SETTINGS,
    _HELP,
    KeyRow(
        "rematch", ("r",), "r", N_("again"), N_("another game, once the game is over and everybody wants it")
    ),
    KeyRow("cut", ("x",), "x", N_("cut"), N_("cut the shuffle of the next game, once this one is over")),
    KeyRow(
        "leave",
        ("q", *_BACK),
        "q",
        N_("leave"),
        N_("to the lobby; a running game keeps your seat"),
    ),
)

FORM = _table(
    KeyRow("up", ("up", "k"), "↑", N_("up"), N_("the line above")),
    KeyRow("down", ("down", "j", "tab"), "↓", N_("down"), N_("the line below")),
    KeyRow("less", ("left", "h"), "←", "", N_("the choice to the left")),
    KeyRow("more", ("right", "l", "space"), "→", N_("choose"), N_("the choice to the right")),
    KeyRow("open", ("enter",), "Enter", N_("open the table"), N_("open the table and sit down at it")),
    _HELP,
    KeyRow("back", (*_BACK, "q"), "Esc", N_("back"), N_("back to the lobby without a table")),
)

SETTINGS = _table(
    KeyRow("up", ("up", "k"), "↑", N_("up"), N_("the line above")),
    KeyRow("down", ("down", "j", "tab"), "↓", N_("down"), N_("the line below")),
    KeyRow("less", ("left", "h"), "←", "", N_("the choice to the left")),
    KeyRow(
        "more",
        ("right", "l", "space", "enter"),
        "→",
        N_("change"),
        N_("the choice to the right"),
    ),
    KeyRow("first", ("home", "g"), "Home", N_("first"), N_("the first line")),
    KeyRow("last", ("end", "G"), "End", N_("last"), N_("the last line")),
    KeyRow("card", ("c",), "c", N_("terminal"), N_("what your terminal can show, and what to choose for it")),
    KeyRow("test", ("t",), "t", N_("keys"), N_("press any key and see what it is called and does")),
    KeyRow("own", ("m",), "m", N_("my keys"), N_("which key does what, and others of your own")),
    KeyRow("defaults", ("d",), "d", N_("defaults"), N_("forget all that you have chosen, after a question")),
    _HELP_KEYS,
    KeyRow("back", (*_BACK, "q", "o"), "Esc", N_("back"), N_("back to where you were")),
)

CALIBRATION = _table(
    KeyRow("yes", ("y", "Y"), "y", N_("yes"), N_("it lines up: all characters")),
    KeyRow("no", ("n", "N"), "n", N_("no"), N_("it does not: plain letters only")),
    KeyRow("next", ("right", "l", "space", "enter"), "→", N_("other colours"), N_("the next colours")),
    KeyRow("before", ("left", "h"), "←", "", N_("the colours before")),
    KeyRow("deck", ("d",), "d", N_("deck"), N_("four colours or two")),
    KeyRow("back", (*_BACK, "q"), "Esc", N_("back"), N_("back to the settings")),
)

OWN_KEYS = _table(
    KeyRow("up", ("up", "k"), "↑", N_("up"), N_("the line above")),
    KeyRow("down", ("down", "j", "tab"), "↓", N_("down"), N_("the line below")),
    KeyRow("first", ("home", "g"), "Home", N_("first"), N_("the first line")),
    KeyRow("last", ("end", "G"), "End", N_("last"), N_("the last line")),
    KeyRow("choose", ("enter", "space"), "Enter", N_("choose"), N_("choose another key for it")),
    KeyRow("clear", ("d", "delete"), "d", N_("as before"), N_("no key of your own for it")),
    KeyRow("back", (*_BACK, "q"), "Esc", N_("back"), N_("back to the settings")),
)

KEY_TEST = KeyTable(
    KeyRow("back", _BACK, "Esc Esc", N_("back"), N_("back to the settings; once shows the key")),
)

HELP = _table(
    KeyRow("up", ("up", "k"), "↑", N_("up"), N_("a line up")),
    KeyRow("down", ("down", "j", "enter"), "↓", N_("down"), N_("a line down")),
    KeyRow("page-up", ("pageup", "b"), "PgUp", N_("page up"), N_("a page up")),
    KeyRow("page-down", ("pagedown", "space"), "PgDn", N_("page down"), N_("a page down")),
    KeyRow("first", ("home", "g"), "Home", N_("top"), N_("the top")),
    KeyRow("last", ("end", "G"), "End", N_("end"), N_("the end")),
    KeyRow("find", ("slash",), "/", N_("find"), N_("find words in this help")),
    KeyRow("next", ("n",), "n", N_("next"), N_("where the words stand next")),
    KeyRow("previous", ("N",), "N", N_("previous"), N_("where they stood before")),
    KeyRow("back", (*_BACK, "q", "question_mark", "f1"), "Esc", N_("back"), N_("back to where you were")),
)

LESSON = _table(
    KeyRow(
        "on",
        ("enter",),
        "Enter",
        N_("go on"),
        N_("on, once the task is done; takes back what strayed"),
    ),
    KeyRow(
        "read",
        ("space",),
        "Space",
        N_("the task"),
        N_("the task again, where it has a page of its own; else as Enter"),
    ),
    KeyRow("later", ("pagedown",), "PgDn", N_("next lesson"), N_("the next lesson")),
    KeyRow("earlier", ("pageup",), "PgUp", N_("lesson before"), N_("this lesson anew, then the one before")),
    _HELP,
    KeyRow("leave", ("q", *_BACK), "q", N_("leave"), N_("to the lobby, at any time")),
)

REPLAY = _table(
    KeyRow("back", ("left", "h"), "←", N_("step back"), N_("a step back")),
    KeyRow("on", ("right", "l", "space"), "→", N_("step on"), N_("a step on")),
    KeyRow("far-back", ("pageup",), "PgUp", N_("10 back"), N_("ten steps back")),
    KeyRow("far-on", ("pagedown",), "PgDn", N_("10 on"), N_("ten steps on")),
    KeyRow("first", ("home", "g"), "Home", N_("beginning"), N_("the beginning")),
    KeyRow("last", ("end", "G"), "End", N_("end"), N_("the end")),
    KeyRow("course", ("c",), "c", N_("course"), N_("the totals turn by turn, to choose a turn from")),
    KeyRow(
        "turn", ("t", *"123456789"), "t", N_("turn"), N_("go to a turn by its number (also: type the number)")
    ),
    _HELP,
    KeyRow("quit", ("q", *_BACK), "q", N_("quit"), N_("leave")),
)

REPLAY_IN_HOUSE = KeyTable(
    *(row for row in REPLAY.rows if row.action != "quit"),
    KeyRow("quit", ("q", *_BACK), "q", N_("back"), N_("back to the list")),
)

HISTORY = _table(
    KeyRow("up", ("up", "k"), "↑", N_("up"), N_("the game above")),
    KeyRow("down", ("down", "j"), "↓", N_("down"), N_("the game below; at the end older ones")),
    KeyRow("page-up", ("pageup",), "PgUp", N_("newer"), N_("a screenful up")),
    KeyRow("page-down", ("pagedown",), "PgDn", N_("older"), N_("a screenful down; at the end older games")),
    KeyRow("first", ("home", "g"), "Home", N_("first"), N_("the newest game")),
    KeyRow("last", ("end", "G"), "End", N_("last"), N_("the last game of the list")),
    KeyRow("open", ("enter",), "Enter", N_("replay"), N_("step through the game")),
    KeyRow("all", ("a",), "a", N_("all"), N_("all games that you may see")),
    KeyRow("mine", ("m",), "m", N_("mine"), N_("those that you played")),
    KeyRow("player", ("p",), "p", N_("player"), N_("those of a player, by name")),
    KeyRow("next", ("tab",), "Tab", N_("next list"), N_("all, mine, a player's, in turn")),
    KeyRow("export", ("e",), "e", N_("export"), N_("how to get the game's record as a file")),
    _HELP_KEYS,
    KeyRow("back", ("q", *_BACK), "q", N_("back"), N_("back to the lobby")),
)

COURSE = _table(
    KeyRow("back", ("left", "h", "up", "k"), "←", N_("turn before"), N_("a turn back")),
    KeyRow("on", ("right", "l", "down", "j"), "→", N_("turn after"), N_("a turn on")),
    KeyRow("far-back", ("pageup",), "PgUp", N_("10 back"), N_("ten turns back")),
    KeyRow("far-on", ("pagedown",), "PgDn", N_("10 on"), N_("ten turns on")),
    KeyRow("first", ("home", "g"), "Home", N_("beginning"), N_("the first turn")),
    KeyRow("last", ("end", "G"), "End", N_("end"), N_("the last turn")),
    KeyRow("show", ("enter", "space"), "Enter", N_("show"), N_("the table after that turn")),
    KeyRow(
        "turn",
        ("t", *"123456789"),
        "t",
        N_("turn"),
        N_("choose a turn by its number (also: type the number)"),
    ),
    KeyRow("quit", ("q", "c", *_BACK), "q", N_("back"), N_("back to the table")),
)

LEADERS = _table(
    KeyRow("up", ("up", "k"), "↑", N_("up"), N_("the line above")),
    KeyRow("down", ("down", "j"), "↓", N_("down"), N_("the line below")),
    KeyRow("page-up", ("pageup",), "PgUp", N_("page up"), N_("a screenful up")),
    KeyRow("page-down", ("pagedown",), "PgDn", N_("page down"), N_("a screenful down")),
    KeyRow("first", ("home", "g"), "Home", N_("first"), N_("the best")),
    KeyRow("last", ("end", "G"), "End", N_("last"), N_("the end of the list")),
    KeyRow("open", ("enter",), "Enter", N_("profile"), N_("what the marked player has played")),
    KeyRow("mine", ("m",), "m", N_("mine"), N_("what you have played")),
    KeyRow("player", ("p",), "p", N_("player"), N_("what somebody has played, by name")),
    KeyRow("next", ("tab",), "Tab", N_("next game"), N_("the ratings of the next game, in turn")),
    _HELP_KEYS,
    KeyRow("back", ("q", *_BACK), "q", N_("back"), N_("back to the lobby")),
)

PROFILE = _table(
    KeyRow("up", ("up", "k"), "↑", N_("up"), N_("a line up")),
    KeyRow("down", ("down", "j"), "↓", N_("down"), N_("a line down")),
    KeyRow("page-up", ("pageup",), "PgUp", N_("page up"), N_("a page up")),
    KeyRow("page-down", ("pagedown", "space"), "PgDn", N_("page down"), N_("a page down")),
    KeyRow("games", ("enter", "f"), "Enter", N_("games"), N_("their finished games, to look at again")),
    KeyRow("player", ("p",), "p", N_("player"), N_("what somebody else has played, by name")),
    KeyRow("against", ("v",), "v", N_("compare"), N_("how they did against somebody, by name")),
    KeyRow("mine", ("m",), "m", N_("mine"), N_("what you have played")),
    _HELP_KEYS,
    KeyRow("back", ("q", *_BACK), "q", N_("back"), N_("back to where you were")),
)

INVITATIONS = _table(
    KeyRow("up", ("up", "k"), "↑", N_("up"), N_("the invitation above")),
    KeyRow("down", ("down", "j", "tab"), "↓", N_("down"), N_("the invitation below")),
    KeyRow("join", ("enter", "i"), "Enter", N_("join"), N_("go to that table and sit down")),
    KeyRow("watch", ("w",), "w", N_("watch"), N_("go there and look on")),
    KeyRow("decline", ("n", "d"), "n", N_("no"), N_("put the invitation away; nobody is told")),
    KeyRow("ignore", ("x",), "x", N_("never"), N_("put it away, and hear no more from whoever sent it")),
    KeyRow("back", ("q", *_BACK), "q", N_("back"), N_("back to the lobby")),
)

IGNORED = _table(
    KeyRow("up", ("up", "k"), "↑", N_("up"), N_("the one above")),
    KeyRow("down", ("down", "j", "tab"), "↓", N_("down"), N_("the one below")),
    KeyRow("page-up", ("pageup",), "PgUp", N_("page up"), N_("a page up")),
    KeyRow("page-down", ("pagedown", "space"), "PgDn", N_("page down"), N_("a page down")),
    KeyRow("hear", ("enter", "x", "delete"), "Enter", N_("hear again"), N_("ignore the marked one no more")),
    KeyRow("ignore", ("n",), "n", N_("ignore"), N_("hear no more of somebody, by name")),
    KeyRow("back", (*_BACK, "q", "i"), "Esc", N_("back"), N_("back to where you were")),
)

SSH_KEYS = _table(
    KeyRow("up", ("up", "k"), "↑", N_("up"), N_("the key above")),
    KeyRow("down", ("down", "j", "tab"), "↓", N_("down"), N_("the key below")),
    KeyRow("page-up", ("pageup",), "PgUp", N_("page up"), N_("a page up")),
    KeyRow("page-down", ("pagedown", "space"), "PgDn", N_("page down"), N_("a page down")),
    KeyRow("code", ("n",), "n", N_("add a key"), N_("a code by which another key becomes yours too")),
    KeyRow(
        "add", ("a",), "a", N_("type a code"), N_("make the key in use here that of whoever has the code")
    ),
    KeyRow("drop", ("d", "delete"), "d", N_("drop"), N_("the marked key is yours no more, after a question")),
    KeyRow("back", (*_BACK, "q", "y"), "Esc", N_("back"), N_("back to the lobby")),
)

ACCOUNT = _table(
    KeyRow("up", ("up", "k"), "↑", N_("up"), N_("a line up")),
    KeyRow("down", ("down", "j"), "↓", N_("down"), N_("a line down")),
    KeyRow("page-up", ("pageup",), "PgUp", N_("page up"), N_("a page up")),
    KeyRow("page-down", ("pagedown", "space"), "PgDn", N_("page down"), N_("a page down")),
    KeyRow(
        "delete", ("d", "delete"), "d", N_("delete"), N_("delete your account, once you have typed your name")
    ),
    KeyRow("back", (*_BACK, "q", "m"), "Esc", N_("back"), N_("back to the lobby")),
)

TALK = _table(
    KeyRow("up", ("up", "k"), "↑", N_("up"), N_("the line above")),
    KeyRow("down", ("down", "j", "tab"), "↓", N_("down"), N_("the line below")),
    KeyRow("page-up", ("pageup",), "PgUp", N_("page up"), N_("a page up")),
    KeyRow("page-down", ("pagedown", "space"), "PgDn", N_("page down"), N_("a page down")),
    KeyRow("first", ("home", "g"), "Home", N_("first"), N_("the oldest line that is kept")),
    KeyRow("last", ("end", "G"), "End", N_("last"), N_("the newest line")),
    KeyRow("chat", ("t", "enter"), "t", N_("talk"), N_("say something")),
    KeyRow("ignore", ("x",), "x", N_("ignore"), N_("hear no more of whoever said the marked line")),
    KeyRow("report", ("r",), "r", N_("report"), N_("have the host read the marked line, after a question")),
    KeyRow("ignored", ("i",), "i", N_("ignored"), N_("the people whom you ignore, to hear them again")),
    KeyRow("back", (*_BACK, "q", "T"), "Esc", N_("back"), N_("back to the table")),
)

QUESTION = KeyTable(
    KeyRow("yes", ("y", "Y", "enter"), "y", N_("yes")),
    KeyRow("no", ("n", "N", "q", *_BACK), "n", N_("no")),
    _REPAINT,
)
