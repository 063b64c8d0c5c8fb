"""What can be typed in the lobby with a name or a code behind it, and what the server's answers say."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from cartino_protocol.base import PRIVATE_CODE_LENGTH, parse_code
from cartino_protocol.commands import Back, Command, Decline, Leaders, Profile, Rename
from cartino_protocol.deals import Daily, Duplicate, League, PlayDaily
from cartino_protocol.text import N_
from cartino_tui.draw.text import clean
from cartino_tui.game_port.speech import AnySpeech, find_word
from cartino_tui.i18n import Translator
from cartino_tui.pages.tables import INVALID_CODE, read_code_command
from cartino_tui.plain.lesson import LessonMenu
from cartino_tui.plain.lobby_menus import RulesMenu
from cartino_tui.plain.menu import PlainContext
from cartino_tui.plain.table_commands import mute, unmute

_MAX_TYPED: Final = 64
"""Characters that the server reads of a key code or a name."""


def typed_command(context: PlainContext, text: str) -> Callable[[], None] | None:
    """Return what `join CODE`, `watch CODE`, `profile NAME`, `back WORD` and such do, None for other text."""
    command_words, send = context.translator.command_words, context.send
    head, _, rest = text.partition(" ")
    rest = rest.strip()
    game = rest.casefold()[:_MAX_TYPED]
    # Without a name or code, some say what is wanted or mean one's own; others are no command.
    for words, then in (
        (command_words("ignore"), partial(mute, context, rest)),
        (command_words("unignore"), partial(unmute, context, rest)),
        # The game that newcomers are offered; the choice with a number asks which.
        (command_words("learn"), partial(learn, context, rest)),
        (command_words("profile"), partial(send, Profile(rest[:1000]))),
        (command_words("daily"), partial(send, PlayDaily(game))),
        (command_words("league"), partial(send, League(rest[:_MAX_TYPED]))),
    ):
        if find_word(words, head) is not None:
            return then
    for words, then in (
        (command_words("join", "code"), partial(go_to_code, context, rest)),
        (command_words("watch"), partial(go_to_code, context, f"watch {rest}")),
        (command_words("name"), partial(send, Rename(rest), awaited=False)),
        ((*command_words("back"), "b"), partial(send, Back(rest[:_MAX_TYPED]))),
        (command_words("decline"), partial(send, Decline(rest[:_MAX_TYPED]), awaited=False)),
        ((*command_words("ratings"), "top"), partial(send, Leaders(game))),
        (command_words("results"), partial(send, _results_command(rest))),
    ):
        if rest and find_word(words, head) is not None:
            return then
    return None


def _results_command(text: str) -> Command:
    """Return what shows the results of a game's daily, "cartino" or "cartino 127", or of a duplicate match's code."""
    game, _, number = text.partition(" ")
    if parse_code(game) is not None and len(game) == PRIVATE_CODE_LENGTH:
        return Duplicate(game)
    digits = number.strip()
    return Daily(
        game.casefold()[:64], int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else 0
    )


def go_to_code(context: PlainContext, typed: str) -> None:
    """Go to the table or the moment of a finished game that was `typed`, or say what a code looks like."""
    command = read_code_command(typed)
    if command is None:
        context.explain(INVALID_CODE)
    else:
        context.send(command)


def server_speeches(context: PlainContext) -> Sequence[AnySpeech]:
    """Return the speech of each of the server's games that this program knows."""
    return [context.speeches[game.name] for game in context.games if game.name in context.speeches]


def learn(context: PlainContext, name: str) -> None:
    """Begin the lessons of the game `name`, or of the first one for "", and remember that they were found."""
    preferences, taught = (
        context.preferences,
        (speech for speech in server_speeches(context) if speech.lessons),
    )
    found = next((speech for speech in taught if name.casefold() in {"", speech.name}), None)
    if found is None:
        context.explain(N_("There are no lessons here. Type rules for the rules."))
        return
    if not preferences.settings.taught:
        preferences.choose(taught=True)
        context.save_settings()
    context.push(LessonMenu(context, found))


def tell_rules(context: PlainContext, name: str) -> None:
    """Open the rules of the game `name`."""
    chapters = tuple(
        section.translate_section(context.translator) for section in context.speeches[name].rules
    )
    context.push(RulesMenu(context, context.title(name, {}), chapters))


def online_sentences(context: PlainContext) -> Sequence[str]:
    """Name the place and the people online; an older server only counts them."""
    known, translator = context.client_state, context.translator
    names = known.online.names
    people = max(known.lobby.people if known.lobby is not None else 0, len(names))
    told = translator.ngettext("{n} person is online", "{n} people are online", people)
    shown = ", ".join(map(clean, names))
    if len(names) < people and names:
        shown = translator.gettext("{names} and {n} more", names=shown, n=people - len(names))
    sentence = translator.gettext("{people}: {names}.", people=told, names=shown) if names else f"{told}."
    place = clean(known.summary.place) if known.summary is not None else ""
    here = (translator.gettext("This is {place}.", place=place),) if place else ()
    return (*here, sentence, still_here(translator))


def still_here(translator: Translator) -> str:
    """Say that the person is in the lobby, and how to hear its choices."""
    return translator.gettext("You're in the lobby. An empty line repeats the choices.")
