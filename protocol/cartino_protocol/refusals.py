"""Why a command was refused: a closed list with a sentence for each reason.

For `illegal`, a game's own rule refused a move: `detail` is a word from the game's list, and its screen has the
sentence.
"""

from typing import Final, Literal

from cartino_protocol.base import Message
from cartino_protocol.text import N_, LazyMessage, legible

_MAX_DETAIL: Final = 100
"""Characters; a detail may hold what somebody typed."""

RefusalReason = Literal[
    "malformed",
    "version",
    "hello-first",
    "unknown-code",
    "unknown-game",
    "bad-options",
    "bad-seats",
    "unknown-bot",
    "bad-name",
    "name-taken",
    "bad-text",
    "long-text",
    "too-many-rooms",
    "not-in-room",
    "full",
    "seat-taken",
    "not-seated",
    "seated",
    "not-owner",
    "too-few",
    "not-open",
    "not-playing",
    "not-finished",
    "not-your-turn",
    "stale",
    "illegal",
    "busy",
    "not-saved",
    "paused",
    "timed-out",
    "bad-word",
    "in-room",
    "no-past-game",
    "set-aside",
    "game-missing",
    "table-broke",
    "no-line",
    "elsewhere",
    "unknown-person",
    "not-at-table",
    "already-here",
    "invited-yourself",
    "too-many-invitations",
    "too-many-invited",
    "no-lesson",
    "muted",
    "muted-until",
    "house-ends",
    "too-much-talk",
    "no-such-line",
    "too-many-reports",
    "reported-yourself",
    "ignored-yourself",
    "ignored-bot",
    "too-many-ignored",
    "mixed-name",
    "house-name",
    "no-key",
    "bad-code",
    "too-many-tries",
    "too-many-codes",
    "too-many-keys",
    "key-yours",
    "key-seated",
    "key-moved",
    "unknown-key",
    "last-key",
    "account-name",
    "account-muted",
]

HOW_TO_MAKE_A_KEY: Final = N_(
    "This is only for people with a key: make one on your own machine with `ssh-keygen -t ed25519`, then connect "
    "again; ssh shows it by itself."
)

REFUSALS: dict[RefusalReason, str] = {
    "malformed": N_("That message could not be read, so nothing was changed."),
    "version": N_(
        "This client speaks another version of the protocol than the server; update the older of the two."
    ),
    "hello-first": N_("The client did not introduce itself; connect again."),
    "unknown-code": N_("There is no table with the code {detail}; check it, or pick one from the list."),
    "too-many-codes": N_("Too many wrong codes came from your network; wait a minute, then try again."),
    "unknown-game": N_("There is no game called {detail} here."),
    "bad-options": N_("The game has no option {detail}."),
    "bad-seats": N_("A table has {detail} seats, bots included, and one of them is yours."),
    "unknown-bot": N_("There is no bot called {detail} here."),
    "bad-name": N_("A name is 2 to 16 letters or digits, with - _ . ' or a blank between."),
    "name-taken": N_("{detail} is somebody else's name, or looks like one; choose another."),
    "bad-text": N_("That text is empty, too long or holds control characters; type it again."),
    "long-text": N_("That is too long; a line has up to {detail} characters."),
    "too-many-rooms": N_("There are too many tables open right now; join one, or wait until one closes."),
    "not-in-room": N_("You are in the lobby; go to a table first."),
    "full": N_("Every seat at that table is taken; you can watch it instead."),
    "seat-taken": N_("That seat is taken; choose another."),
    "not-seated": N_("You are watching; take a seat to do that."),
    "seated": N_("You already have a seat here."),
    "not-owner": N_("Only the owner of the table can start the game."),
    "too-few": N_("At least {detail} players have to be seated before the game can start."),
    "not-open": N_("The game has already begun, so that can't be changed any more."),
    "not-playing": N_("No game is running at this table."),
    "not-finished": N_("The game is not over yet."),
    "not-your-turn": N_("It is not your turn."),
    "stale": N_("The table changed before your move arrived; look again and repeat it."),
    "illegal": N_("The rules don't allow that."),
    "busy": N_("Too many commands at once; wait a second and repeat the last."),
    "not-saved": N_("The house can't save just now; nothing was changed, try again in a moment."),
    "paused": N_("The game is paused; it goes on when everybody here wants it to."),
    "timed-out": N_("Your time was up, so a stand-in plays this turn; the next one is yours."),
    "bad-word": N_("That word brings nobody back: mistyped, used already, or its game is over."),
    "in-room": N_("You are at a table; go back to the lobby first."),
    "no-past-game": N_("There is no finished game {detail} here, or it is no longer kept."),
    "set-aside": N_("The game at that table is damaged and set aside. Ask the host."),
    "game-missing": N_("That table is kept, but {detail} can't be played here now. Ask the host."),
    "table-broke": N_("Sorry: something broke at that table, so it was closed. The others go on."),
    "no-line": N_("The line was down, so that was not said; repeat it once it is back."),
    "elsewhere": N_("Your seat is at your other terminal now; Enter brings it back here."),
    "unknown-person": N_("There is nobody called {detail} here, nor in any game that you may see."),
    "not-at-table": N_("Go to a table first; that is where you invite people to."),
    "already-here": N_("{detail} is at this table already."),
    "invited-yourself": N_("You are here already; invite somebody else."),
    "too-many-invitations": N_("Too many invitations wait for {detail} already; try again later."),
    "too-many-invited": N_("Too many whom you invited have not answered; wait until one of them does."),
    "no-lesson": N_("There are no lessons for that game here; its rules are in the help."),
    "muted": N_("The host has muted you, so nobody heard that."),
    "muted-until": N_("The host has muted you until {detail} UTC, so nobody heard that."),
    "house-ends": N_("The house ends soon, so no new game begins; those that run go on."),
    "too-much-talk": N_("That is too much talk at once; wait a few seconds and say it again."),
    "no-such-line": N_("That line is not among the talk here any more, so it can't be reported."),
    "too-many-reports": N_("You have reported a lot already; wait an hour, the host reads what there is."),
    "reported-yourself": N_("You said that yourself."),
    "ignored-yourself": N_("You can't ignore yourself."),
    "ignored-bot": N_("{detail} is a bot and says nothing."),
    "too-many-ignored": N_("You ignore {detail} people already, the most there can be; take one off."),
    "mixed-name": N_("A name is written in one script, or in those of one language; choose another."),
    "house-name": N_("{detail} is reserved; choose another name."),
    "no-key": HOW_TO_MAKE_A_KEY,
    "bad-code": N_(
        "That is no code that is good now: mistyped, used already, or too old; have a new one made."
    ),
    "too-many-tries": N_("Too many codes that were none; wait ten minutes, then have a new one made."),
    "too-many-keys": N_("That is as many keys as can be; drop one that you don't need any more."),
    "key-yours": N_("This key is yours already; type the code where you come with the other key."),
    "key-seated": N_(
        "With this key you sit at a table: end the game or leave the seat first, then add the key."
    ),
    "key-moved": N_("This key is somebody else's since you came; connect again to be whom it is now."),
    "unknown-key": N_(
        "{detail} is none of your keys, or not enough of one: type eight characters or more of it."
    ),
    "last-key": N_(
        "That is your only key, and without it you could never come again; add another one first."
    ),
    "account-name": N_("Not deleted: your name here is {detail}; type that to confirm."),
    "account-muted": N_("You are muted; you can delete your account once that ends, or ask the host."),
}


class Refusal(Message, frozen=True):
    """A command was refused and has changed nothing. `detail` fills the sentence or names a game's rule.

    `to`: the command's wire tag, "" if the command was unreadable.
    """

    reason: RefusalReason
    detail: str = ""
    to: str = ""

    def words(self) -> LazyMessage:
        """Return the refusal as a message; for `illegal` the game has a better one."""
        return LazyMessage(REFUSALS[self.reason], {"detail": legible(self.detail[:_MAX_DETAIL])})

    def sentence(self) -> str:
        """The sentence in English."""
        return str(self.words())
