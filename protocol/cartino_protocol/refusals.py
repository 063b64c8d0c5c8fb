"""Why a command was refused: a closed list with a sentence for each reason.

For `illegal`, a game's own rule refused a move: `detail` is a word from the game's list, and its screen has the
sentence.
"""

from typing import Final, Literal

from cartino_protocol.base import Message
from cartino_protocol.text import N_, LazyMessage, legible

_MAX_DETAIL: Final = 100
"""Characters; a detail may hold what somebody typed."""

FailureReason = Literal["not-saved", "review-failed", "table-broke", "set-aside", "game-missing"]
"""The server failed."""
_MissingGame = Literal[
    "unknown-game", "no-past-game", "no-turn", "deal-unknown", "league-unknown", "no-daily"
]
_MissingPlace = Literal["unknown-code", "not-in-room", "not-seated", "no-such-line", "duplicate-code"]
NotFoundReason = Literal[_MissingGame, _MissingPlace, "unknown-person", "unknown-key"]
"""What the command names isn't there."""
_TooFast = Literal["busy", "too-much-talk", "too-many-codes", "too-many-tries", "too-many-reports"]
TooManyReason = Literal[_TooFast, "bot-day", "too-many-attempts", "too-many-duplicates"]
"""It can be done later."""
_Unreadable = Literal["malformed", "version", "hello-first", "no-line", "elsewhere"]
_BadText = Literal["bad-text", "long-text", "bad-name", "name-taken", "mixed-name", "house-name", "bad-word"]
_BadOrder = Literal[
    "bad-options", "bad-seats", "unknown-bot", "too-many-rooms", "too-many-challenges", "house-ends"
]
_AtTable = Literal[
    "full", "seat-taken", "seated", "not-owner", "too-few", "not-open", "in-room", "no-challenge"
]
_InGame = Literal["not-playing", "not-finished", "not-your-turn", "stale", "illegal", "paused", "timed-out"]
_AfterGame = Literal["no-review", "over-there", "no-lesson"]
_Invitation = Literal[
    "not-at-table", "already-here", "invited-yourself", "too-many-invitations", "too-many-invited"
]
_Talk = Literal[
    "muted", "muted-until", "reported-yourself", "ignored-yourself", "ignored-bot", "too-many-ignored"
]
_Deal = Literal["daily-open", "deal-open", "deal-over", "played-once", "deal-needs-key"]
_Match = Literal["too-many-matches", "matches-full"]
_Key = Literal["no-key", "bad-code", "too-many-keys", "key-yours", "key-seated", "key-moved", "last-key"]
_Account = Literal["account-name", "account-muted", "bot-account", "bot-late", "bot-clock", "not-a-bot"]
_OfServer = Literal[FailureReason, NotFoundReason, TooManyReason, _Unreadable, _BadText, _Key, _Account]
_OfTable = Literal[_BadOrder, _AtTable, _InGame, _AfterGame, _Invitation, _Talk, _Deal, _Match]
RefusalReason = Literal[_OfServer, _OfTable]

HOW_TO_MAKE_A_KEY: Final = N_(
    "This needs an SSH key. Create one on your computer with `ssh-keygen -t ed25519` and connect "
    "again; ssh uses it automatically."
)

REFUSALS: dict[RefusalReason, str] = {
    "malformed": N_("That message couldn't be read, so nothing was changed."),
    "version": N_(
        "This program and the server use different protocol versions. Update the older of the two."
    ),
    "hello-first": N_("The client sent no greeting; connect again."),
    "unknown-code": N_("There is no table {detail}. Check the code, or pick a table from the list."),
    "too-many-codes": N_("Too many wrong codes from your network. Try again in a minute."),
    "unknown-game": N_("There is no game called {detail} here."),
    "bad-options": N_("The game has no option {detail}."),
    "bad-seats": N_("A table has {detail} seats, including bots, and one of them is yours."),
    "unknown-bot": N_("There is no bot called {detail} here."),
    "bad-name": N_("A name has 2 to 16 letters or digits, with - _ . ' or a space between them."),
    "name-taken": N_("{detail} is taken, or too similar to another name; choose a different one."),
    "bad-text": N_("That text is empty, too long, or contains control characters. Type it again."),
    "long-text": N_("Too long: a message can have up to {detail} characters."),
    "too-many-rooms": N_("Too many tables are open. Join one, or wait until one closes."),
    "too-many-challenges": N_("You have {detail} open challenges already. Withdraw one first."),
    "no-challenge": N_("{detail} isn't a challenge. Join it with `ssh -t HOST join {detail}`."),
    "not-in-room": N_("You're in the lobby. Go to a table first."),
    "full": N_("Every seat at that table is taken. You can watch instead."),
    "seat-taken": N_("That seat is taken. Choose another."),
    "not-seated": N_("You're watching. Take a seat to do that."),
    "seated": N_("You already have a seat here."),
    "not-owner": N_("Only the table's owner can start the game."),
    "too-few": N_("At least {detail} players must be seated before the game can start."),
    "not-open": N_("The game has already started, so that can't be changed any more."),
    "not-playing": N_("No game is running at this table."),
    "not-finished": N_("The game isn't over yet."),
    "not-your-turn": N_("It isn't your turn."),
    "stale": N_("The table changed before your move arrived. Look again, then repeat it."),
    "illegal": N_("The rules don't allow that."),
    "busy": N_("Too many commands at once. Wait a second, then repeat the last one."),
    "not-saved": N_("The server can't save right now; nothing was changed. Try again in a moment."),
    "paused": N_("The game is paused. It resumes when everyone here agrees."),
    "timed-out": N_("Time's up, so a substitute bot plays this turn. The next one is yours."),
    "bad-word": N_("That resume code doesn't work: mistyped, already used, or its game is over."),
    "in-room": N_("You're at a table. Go back to the lobby first."),
    "no-past-game": N_("There is no finished game {detail} here, or it is no longer kept."),
    "no-review": N_("Nothing to review in {detail}: it wasn't finished, or no bot judges that game."),
    "review-failed": N_("{detail} can't be reviewed: its record is damaged, or the bot took too long."),
    "over-there": N_("The game is over at that point. Go back a few steps to play from there."),
    "no-turn": N_("There is no such turn: {detail}."),
    "set-aside": N_("That game is damaged and was set aside. Ask the host."),
    "game-missing": N_("That game is kept, but {detail} can't be played here now. Ask the host."),
    "table-broke": N_("Sorry, that table broke and was closed. Other tables aren't affected."),
    "no-line": N_("Not sent: the connection was down. Send it again once you're reconnected."),
    "elsewhere": N_("You're now playing from your other terminal. Press Enter to move back here."),
    "unknown-person": N_("Nobody called {detail} is here or has finished a game that you can see."),
    "not-at-table": N_("Go to a table first; invitations are to your table."),
    "already-here": N_("{detail} is already at this table."),
    "invited-yourself": N_("You're already here. Invite someone else."),
    "too-many-invitations": N_("{detail} already has too many invitations. Try again later."),
    "too-many-invited": N_("Too many of your invitations are unanswered. Wait for an answer first."),
    "no-lesson": N_("There are no lessons for that game here. Its rules are in the help."),
    "muted": N_("Not sent: the host muted you."),
    "muted-until": N_("Not sent: the host muted you until {detail} UTC."),
    "house-ends": N_("The server stops soon: running games go on, but no new ones can start."),
    "too-much-talk": N_("Too many messages at once. Wait a few seconds, then send it again."),
    "no-such-line": N_("That message is no longer in the chat, so it can't be reported."),
    "too-many-reports": N_("You've reported a lot already. Wait an hour; the host will read your reports."),
    "reported-yourself": N_("That message is your own."),
    "ignored-yourself": N_("You can't mute yourself."),
    "ignored-bot": N_("{detail} is a bot and never chats."),
    "too-many-ignored": N_("You've muted {detail} people already, the most allowed. Unmute someone first."),
    "daily-open": N_("This daily game can be seen when its day ends, at 00:00 UTC."),
    "deal-open": N_("This deal opens when everybody has played it, at the latest on {detail} UTC."),
    "duplicate-code": N_(
        "{detail} is a duplicate match: play it with `ssh -t HOST join {detail}`, see its results with `ssh HOST "
        "duplicate {detail}`."
    ),
    "deal-over": N_("That deal is over; its results are on its page."),
    "played-once": N_("A shared deal is played once; its results are on its page."),
    "deal-needs-key": N_("Daily games and duplicate matches need an SSH key: one key, one attempt."),
    "too-many-matches": N_("You have too many matches open. The first closes by {detail} UTC."),
    "too-many-duplicates": N_("You have begun {detail} duplicate matches today. Begin another one tomorrow."),
    "too-many-attempts": N_("Your network has begun too many shared deals today. Try again tomorrow."),
    "matches-full": N_("Too many duplicate matches are open. Join one, or try again when one closes."),
    "deal-unknown": N_("There is no daily game or duplicate match {detail} here."),
    "league-unknown": N_("There is no league {detail} here. Leave out the name to list them."),
    "no-daily": N_("There is no daily of that game here."),
    "mixed-name": N_("A name can't mix alphabets; choose another."),
    "house-name": N_("{detail} is reserved; choose another name."),
    "no-key": HOW_TO_MAKE_A_KEY,
    "bad-code": N_("Invalid or expired code. Ask for a new one."),
    "too-many-tries": N_("Too many invalid codes. Wait ten minutes, then ask for a new one."),
    "too-many-keys": N_("You have the maximum number of keys. Remove one you no longer need."),
    "key-yours": N_("This key is already yours. Enter the code while connected with the other key."),
    "key-seated": N_("This key has a seat at a table. End the game or give up the seat first."),
    "key-moved": N_("This key now belongs to another account. Connect again to use that account."),
    "unknown-key": N_("{detail} isn't one of your keys, or is too short. Type at least eight characters."),
    "last-key": N_("That is your only key; you couldn't come back without it. Add another first."),
    "account-name": N_("Nothing was changed: your name here is {detail}. Type it to confirm."),
    "account-muted": N_("You're muted. Do that once the mute ends, or ask the host."),
    "bot-account": N_("This is a bot account. It stays one, and has this key only."),
    "bot-late": N_(
        "Only a key that has played no game and has no seat can become a bot's. Create another one with "
        "`ssh-keygen -t ed25519 -f bot`."
    ),
    "bot-clock": N_("Bot accounts only take seats at tables with a clock."),
    "bot-day": N_("A bot account can begin {detail} games between bots a day. Ask again later."),
    "not-a-bot": N_(
        "Only bot accounts can do that. `ssh HOST account bot` turns a new key into one; see `ssh HOST help bot`."
    ),
}


_NO_PROFILE: Final = N_("{detail} hasn't finished a game that you can see.")


class Refusal(Message, frozen=True):
    """A command was refused and has changed nothing. `detail` fills the sentence or names a game's rule.

    `to`: the command's wire tag, "" if the command was unreadable.
    """

    reason: RefusalReason
    detail: str = ""
    to: str = ""

    def words(self) -> LazyMessage:
        """Return the refusal as a message; for `illegal` the game has a better one."""
        no_profile = self.reason == "unknown-person" and self.to == "Profile"
        text = _NO_PROFILE if no_profile else REFUSALS[self.reason]
        return LazyMessage(text, {"detail": legible(self.detail[:_MAX_DETAIL])})

    def sentence(self) -> str:
        """Return the sentence in English."""
        return str(self.words())
