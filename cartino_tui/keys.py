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


_LINES = _up_down(N_("select the line above"), N_("select the line below"), "tab")
_TEXT_PAGES = _pages(N_("scroll up a page"), N_("scroll down a page"), "space")
_LINE_ENDS = _ends(N_("go to the first line"), N_("go to the last line"))
_SCREENFULS = _pages(N_("scroll up a screen"), N_("scroll down a screen"))
_SCROLL = _up_down(N_("scroll up a line"), N_("scroll down a line"))
_HELP = _row("help", "question_mark f1", N_("help"), N_("show the help: keys and rules"))
_HELP_KEYS = _row("help", "question_mark f1", N_("help"), N_("show the help: keys"))
"""For screens without a game."""
_SETTINGS = _row("settings", "o", N_("settings"), N_("change your settings: language, colours, keys"))
_ACTIONS = _row("actions", "colon", N_("more"), N_("search everything you can do here"))
_REPAINT = _row("repaint", "ctrl+l", N_("redraw"), N_("redraw the screen"))
_COPY = _row("copy", "y", N_("copy"), N_("copy the command that friends type to join"))
_OF_TALK = (
    KeyRow("ignore", ("T x",), "T x", N_("mute"), N_("mute someone in this chat")),
    KeyRow("report", ("T r",), "T r", N_("report"), N_("report a message to the host")),
    KeyRow("ignored", ("T i",), "T i", N_("mute list"), N_("see who you've muted, or unmute someone")),
)
"""Shown at the table for those who look for them there; they work in the chat history."""


def _table(*rows: KeyRow) -> KeyTable:
    """Return the keys of a screen, with those of all screens."""
    return KeyTable(*rows, _ACTIONS, _REPAINT)


LOBBY = _table(
    *_up_down(N_("select the table above"), N_("select the table below"), "tab"),
    *_SCREENFULS,
    *_ends(N_("go to the first table"), N_("go to the last table")),
    _row("join", "enter", N_("join"), N_("take a free seat, watch if there is none, or return to your own")),
    _row("watch", "w", N_("watch"), N_("watch the table without taking a seat")),
    _row("new", "n", N_("new"), N_("open a new table")),
    _row("code", "c", N_("code"), N_("join a table by code")),
    _row("quick", "p", N_("play now"), N_("take the first free seat, or open a table with a bot")),
    _row("rename", "r", N_("name"), N_("change the name that others see")),
    _row("learn", "h", N_("learn"), N_("learn to play: a three-minute tutorial at a table of your own")),
    _row("history", "f", N_("finished"), N_("browse and replay finished games")),
    _row("leaders", "l", N_("ratings"), N_("see the leaderboard and player profiles")),
    _row("daily", "d", N_("daily"), N_("play today's daily game; see results, other days and leagues")),
    _row("invited", "i", N_("invitations"), N_("see your invitations")),
    _row("ignored", "x", N_("mute list"), N_("see who you've muted, or unmute someone")),
    _row("keys", "y", N_("SSH keys"), N_("add or remove one of your SSH keys")),
    _row("account", "m", N_("account"), N_("see what the server stores about you, or delete your account")),
    _row(
        "word",
        "b",
        N_("resume"),
        N_("return to your seat with a resume code (guests)"),
    ),
    _SETTINGS,
    _HELP,
    _row("quit", "q", N_("quit"), N_("quit at once")),
    _row("back", "escape backspace", N_("quit"), N_("quit (asks first)")),
)

WAITING = _table(
    *_up_down(N_("select the seat above"), N_("select the seat below"), "tab"),
    _row("sit", "enter", N_("sit here"), N_("take the selected seat")),
    _row("number", "1 2 3 4 5 6 7 8 9", N_("sit"), N_("take the seat with that number"), shown="1-9"),
    _row("stand", "u", N_("stand up"), N_("give up your seat and watch")),
    _row("start", "s", N_("start"), N_("start with the seated players (table owner only)")),
    _row("cut", "x", N_("add text"), N_("add your own text to the shuffle")),
    _row("invite", "i", N_("invite"), N_("invite someone by name, even if they aren't here yet")),
    _COPY,
    _row("chat", "t", N_("chat"), N_("send a message to the table")),
    _row("said", "T", N_("chat log"), N_("read the chat history")),
    *_OF_TALK,
    _SETTINGS,
    _HELP,
    _row("leave", "q escape backspace", N_("leave"), N_("go back to the lobby")),
)

TABLE = _table(
    _row(
        "pause",
        "p",
        N_("pause"),
        N_("vote to pause or resume (all present players must agree)"),
    ),
    _row("chat", "t", N_("chat"), N_("send a message; during a game, spectators chat among themselves")),
    _row("said", "T", N_("chat log"), N_("read the chat history")),
    *_OF_TALK,
    _row("why", "v", N_("why"), N_("explain the score of the last move; again for earlier ones")),
    _row("hint", "i", N_("hint"), N_("get a hint (bot games, if hints are on)")),
    _SETTINGS,
    _HELP,
    _row("rematch", "r", N_("rematch"), N_("ask for a rematch after the game (everyone must agree)")),
    _row("review", "f", N_("review"), N_("replay and review this game, once it's over")),
    _row(
        "results", "d", N_("results"), N_("show the results of this deal, of a day or of a duplicate match")
    ),
    _row("cut", "x", N_("add text"), N_("add your own text to the next game's shuffle, after this game")),
    _COPY,
    _row(
        "leave",
        "q escape backspace",
        N_("leave"),
        N_("go back to the lobby; your seat is kept while the game runs"),
    ),
)

FORM = _table(
    *_LINES,
    _row("less", "left h", "", N_("select the previous choice")),
    _row("more", "right l space", N_("choose"), N_("select the next choice")),
    _row("open", "enter", N_("open the table"), N_("open the table and sit down at it")),
    _HELP,
    _row("back", "escape backspace q", N_("back"), N_("go back to the lobby without opening a table")),
)

SETTINGS = _table(
    *_LINES,
    _row("less", "left h", "", N_("select the previous choice")),
    _row("more", "right l space enter", N_("change"), N_("select the next choice")),
    *_LINE_ENDS,
    _row("own", "m", N_("my keys"), N_("see and change the key bindings")),
    _row("defaults", "d", N_("defaults"), N_("reset all settings (asks first)")),
    _HELP_KEYS,
    _row("back", "escape backspace q o", N_("back"), N_("go back to where you were")),
)

OWN_KEYS = _table(
    *_LINES,
    *_LINE_ENDS,
    _row("choose", "enter space", N_("choose"), N_("assign another key")),
    _row("clear", "d delete", N_("reset"), N_("restore the default key")),
    _row("back", "escape backspace q", N_("back"), N_("go back to the settings")),
)

HELP = _table(
    *_up_down(N_("scroll up a line"), N_("scroll down a line"), "enter"),
    _row("page-up", "pageup b", N_("page up"), N_("scroll up a page")),
    _row("page-down", "pagedown space", N_("page down"), N_("scroll down a page")),
    _row("first", "home g", N_("top"), N_("go to the top")),
    _row("last", "end G", N_("end"), N_("go to the end")),
    _row("part", "tab", N_("next section"), N_("go to the next section; after the last, the first")),
    _row("keys", "m", N_("keys"), N_("show the keys that work now; again for all keys")),
    _row("find", "slash", N_("find"), N_("search this help")),
    _row("next", "n", N_("next"), N_("go to the next match")),
    _row("previous", "N", N_("previous"), N_("go to the previous match")),
    _row("back", "escape backspace q question_mark f1", N_("back"), N_("go back to where you were")),
)

LESSON = _table(
    _row("on", "enter", N_("continue"), N_("continue once the task is done; undoes a wrong move")),
    _row(
        "read",
        "space",
        N_("the task"),
        N_("show the task again if it has its own page; otherwise like Enter"),
    ),
    _row("later", "pagedown", N_("next lesson"), N_("go to the next lesson")),
    _row("earlier", "pageup", N_("previous lesson"), N_("restart this lesson; again for the previous one")),
    _HELP,
    _row(
        "leave",
        "q escape backspace",
        N_("leave"),
        N_("go back to the lobby (asks first); the lessons go on from here next time"),
    ),
)

REPLAY = _table(
    _row("back", "left h", N_("step back"), N_("go back one step")),
    _row("on", "right l space", N_("next step"), N_("go forward one step")),
    _row("far-back", "pageup", N_("back 10"), N_("go back ten steps")),
    _row("far-on", "pagedown", N_("forward 10"), N_("go forward ten steps")),
    _row("first", "home g", N_("beginning"), N_("go to the beginning")),
    _row("last", "end G", N_("end"), N_("go to the end")),
    _row("costly", "n", N_("next mistake"), N_("go to the next turn that was 2 or more points short")),
    _row(
        "costly-back",
        "N",
        N_("previous mistake"),
        N_("go to the turn before that was 2 or more points short"),
    ),
    _row("review", "v", N_("review"), N_("show or hide the review")),
    _row(
        "address",
        "y",
        N_("address"),
        N_("show the address of this turn, for others to type in the lobby (c)"),
    ),
    _row("try", "e", N_("try a turn"), N_("play another turn for this player, and see what it loses")),
    _row(
        "play-on",
        "o",
        N_("play on"),
        N_("play on from here against bots, at a table that counts for nothing"),
    ),
    _row("lead", "f", N_("lead/follow"), N_("show the others at your table your steps, or follow who leads")),
    _row("course", "c", N_("chart"), N_("show a chart of the totals, to pick a turn from")),
    _row("turn", "t 1 2 3 4 5 6 7 8 9", N_("turn"), N_("go to a turn by number (or just type the number)")),
    _HELP,
    _row("quit", "q escape backspace", N_("quit"), N_("leave")),
)

TRIAL = _table(
    _row("again", "u", N_("start again"), N_("start the turn again")),
    _row("quit", "q escape backspace", N_("back"), N_("go back to the replay")),
)

REPLAY_FROM_LIST = KeyTable(
    *(row for row in REPLAY.rows if row.action != "quit"),
    _row("quit", "q escape backspace", N_("back"), N_("go back to where you were")),
)

HISTORY = _table(
    *_up_down(N_("select the game above"), N_("select the game below; past the end, older games")),
    _row("page-up", "pageup", N_("newer"), N_("scroll up a screen")),
    _row("page-down", "pagedown", N_("older"), N_("scroll down a screen; past the end, older games")),
    *_ends(N_("go to the newest game"), N_("go to the last game of the list")),
    _row("open", "enter", N_("replay"), N_("replay the game step by step")),
    _row("all", "a", N_("all"), N_("list all games you can see")),
    _row("mine", "m", N_("mine"), N_("list the games you played")),
    _row("player", "p", N_("player"), N_("list a player's games, by name")),
    _row("next", "tab", N_("next list"), N_("switch between all games, yours and a player's")),
    _row("export", "e", N_("export"), N_("show how to save the game record as a file")),
    _HELP_KEYS,
    _row("back", "q escape backspace", N_("back"), N_("go back to the lobby")),
)

COURSE = _table(
    _row("back", "left h up k", N_("previous turn"), N_("go back one turn")),
    _row("on", "right l down j", N_("next turn"), N_("go forward one turn")),
    _row("far-back", "pageup", N_("back 10"), N_("go back ten turns")),
    _row("far-on", "pagedown", N_("forward 10"), N_("go forward ten turns")),
    _row("first", "home g", N_("beginning"), N_("go to the first turn")),
    _row("last", "end G", N_("end"), N_("go to the last turn")),
    _row("show", "enter space", N_("show"), N_("show the table after that turn")),
    _row("turn", "t 1 2 3 4 5 6 7 8 9", N_("turn"), N_("choose a turn by number (or just type the number)")),
    _row("quit", "q c escape backspace", N_("back"), N_("go back to the table")),
)

DEAL = _table(
    *_up_down(N_("select the line above"), N_("select the line below")),
    *_SCREENFULS,
    *_ends(N_("go to the top of the list"), N_("go to the end of the list")),
    _row("play", "p d", N_("play"), N_("play today's daily game, or go on with it")),
    _row("open", "enter", N_("replay"), N_("replay the selected game, once its deal is closed")),
    _row("before", "left h", N_("day before"), N_("show the previous day's daily game")),
    _row("after", "right l", N_("day after"), N_("show the next day's daily game")),
    _row("next", "tab", N_("next game"), N_("show the daily game of the next kind")),
    _row("code", "c", N_("duplicate"), N_("show the results of a duplicate match, by its code")),
    _row("league", "s", N_("leagues"), N_("show the standings of leagues")),
    _HELP_KEYS,
    _row("back", "q escape backspace", N_("back"), N_("go back to the lobby")),
)

LEAGUE = _table(
    *_up_down(N_("select the line above"), N_("select the line below")),
    *_SCREENFULS,
    *_ends(N_("go to the top of the list"), N_("go to the end of the list")),
    _row("play", "p d", N_("play"), N_("play today's game of this league")),
    _row("next", "tab", N_("next league"), N_("switch to the next league")),
    _HELP_KEYS,
    _row("back", "q escape backspace", N_("back"), N_("go back to where you were")),
)

LEADERS = _table(
    *_up_down(N_("select the line above"), N_("select the line below")),
    *_SCREENFULS,
    *_ends(N_("go to the top of the list"), N_("go to the end of the list")),
    _row("open", "enter", N_("profile"), N_("show the selected player's profile")),
    _row("mine", "m", N_("mine"), N_("show your profile")),
    _row("player", "p", N_("player"), N_("show a player's profile, by name")),
    _row("next", "tab", N_("next game"), N_("switch to the next game's ratings")),
    _HELP_KEYS,
    _row("back", "q escape backspace", N_("back"), N_("go back to the lobby")),
)

PROFILE = _table(
    *_SCROLL,
    *_TEXT_PAGES,
    _row("games", "enter f", N_("games"), N_("replay their finished games")),
    _row("player", "p", N_("player"), N_("show another player's profile, by name")),
    _row("against", "v", N_("compare"), N_("compare with another player, by name")),
    _row("mine", "m", N_("mine"), N_("show your profile")),
    _HELP_KEYS,
    _row("back", "q escape backspace", N_("back"), N_("go back to where you were")),
)

INVITATIONS = _table(
    *_up_down(N_("select the invitation above"), N_("select the invitation below"), "tab"),
    _row("join", "enter i", N_("join"), N_("go to that table and take a seat")),
    _row("watch", "w", N_("watch"), N_("go there and watch")),
    _row("decline", "n d", N_("no"), N_("dismiss (the sender isn't told)")),
    _row("ignore", "x", N_("never"), N_("dismiss and mute the sender")),
    _row("back", "q escape backspace", N_("back"), N_("go back to the lobby")),
)

IGNORED = _table(
    *_up_down(N_("select the player above"), N_("select the player below"), "tab"),
    *_TEXT_PAGES,
    _row("hear", "enter x delete", N_("unmute"), N_("unmute the selected player")),
    _row("ignore", "n", N_("mute"), N_("mute someone by name")),
    _row("back", "escape backspace q i", N_("back"), N_("go back to where you were")),
)

SSH_KEYS = _table(
    *_up_down(N_("select the key above"), N_("select the key below"), "tab"),
    *_TEXT_PAGES,
    _row("code", "n", N_("add a key"), N_("get a code that adds another key to your account")),
    _row(
        "add",
        "a",
        N_("enter a code"),
        N_("add the key you're using to another account, with a code from there"),
    ),
    _row("drop", "d delete", N_("remove"), N_("remove the selected key (asks first)")),
    _row("back", "escape backspace q y", N_("back"), N_("go back to the lobby")),
)

ACCOUNT = _table(
    *_SCROLL,
    *_TEXT_PAGES,
    _row("delete", "d delete", N_("delete"), N_("delete your account (type your name to confirm)")),
    _row("back", "escape backspace q m", N_("back"), N_("go back to the lobby")),
)

TALK = _table(
    *_LINES,
    *_TEXT_PAGES,
    *_ends(N_("go to the oldest message"), N_("go to the newest message")),
    _row("chat", "t enter", N_("chat"), N_("send a message")),
    _row("ignore", "x", N_("mute"), N_("mute the sender of the selected message")),
    _row("report", "r", N_("report"), N_("report the selected message to the host (asks first)")),
    _row("ignored", "i", N_("mute list"), N_("see who you've muted, or unmute someone")),
    _row("back", "escape backspace q T", N_("back"), N_("go back to the table")),
)

QUESTION = KeyTable(_row("yes", "y Y", N_("yes")), _row("no", "n N q escape backspace", N_("no")), _REPAINT)
