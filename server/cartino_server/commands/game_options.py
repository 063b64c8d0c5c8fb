"""Arguments that depend on a game: --game, its options, seats and bots."""

from argparse import Action, Namespace
from collections.abc import Sequence
from itertools import pairwise

from cartino_engine.port import AnyGame
from cartino_games.registry import installed
from cartino_protocol.exit_status import MISUSE
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_, LazyMessage, lazy_gettext
from cartino_protocol.views import OptionInfo
from cartino_server.commands.console import CommandError, failure, misuse, shorten
from cartino_server.commands.parser import CommandParser, whole_number


def chosen_game(words: Sequence[str], otherwise: str = "") -> AnyGame:
    """Return the game that `words` name with --game; else the one called `otherwise`; else the first one.

    Raises CommandError where no installed game can be played.
    """
    games = installed().rules
    if not games:
        raise failure("None of the installed games can be played; `cartino doctor` says why.")
    named = [word.partition("=")[2] for word in words if word.startswith("--game=")]
    named += [after for word, after in pairwise(words) if word == "--game"]
    found = games.get(named[-1] if named else otherwise)
    return next(iter(games.values())) if found is None else found


def add_game_options(words: CommandParser, games: Sequence[AnyGame]) -> None:
    """Add --game (by default the first of `games`) and the options of `games` to `words`.

    An option of another game is refused by a sentence that names the game.
    """
    words.add_argument(
        "--game",
        choices=installed().rules,
        type=_game_name,
        default=games[0].name,
        help=words.gettext("the game ({default}); add --help for its options"),
    )
    actions: dict[str, Action] = {}
    for game in games:
        group = words.add_argument_group(words.gettext("options of {game}", game=game.title))
        for option in game.options:
            about = f"{words.translator.gettext(option.help)} ({option.default})".strip()
            known = actions.get(option.name)
            if known is None:
                actions[option.name] = group.add_argument(
                    option_flag(option), dest=option.name, choices=option.choices, help=about
                )
            else:
                # Several games share this option: accept the choices of all.
                known.choices = tuple(dict.fromkeys((*(known.choices or ()), *option.choices)))
                known.help = f"{known.help}; {game.title}: {about}"
    words.refused |= {
        option_flag(option): _other_games_option(words.called, option, other, games[0])
        for other in installed().rules.values()
        for option in other.options
        if option.name not in actions
    }


def option_flag(option: OptionInfo) -> str:
    """Return how a game's option is written on the command line."""
    return f"--{option.name.replace('_', '-')}"


def _game_name(text: str) -> str:
    """Return the game's name `text`. Raises CommandError if that game is broken."""
    why = installed().broken.get(text)
    if why is not None and text not in installed().packages:
        raise CommandError(broken_game_message(text, why), MISUSE)
    return text


def broken_game_message(game: str, why: str) -> LazyMessage:
    """Return the sentence for a game that could not be loaded."""
    shown = shorten(why, 200).rstrip(".")
    return lazy_gettext("The game {game} is installed but can't be played: {why}.", game=game, why=shown)


def _other_games_option(called: str, option: OptionInfo, other: AnyGame, game: AnyGame) -> LazyMessage:
    own = ", ".join(f"{option_flag(each)} {'|'.join(each.choices)}" for each in game.options)
    sentence = (
        N_("{called}: {option} is an option of {other}; {game} has {own}.")
        if own
        else N_("{called}: {option} is an option of {other}; {game} has none.")
    )
    flag = option_flag(option)
    places = {"called": called, "option": flag, "other": other.title, "game": game.title, "own": own}
    return LazyMessage(sentence, places)


def game_options(game: AnyGame, values: dict[str, object]) -> dict[str, str]:
    """Return the options of `game` that are in a namespace's `values`."""
    return {
        option.name: str(values[option.name])
        for option in game.options
        if values.get(option.name) is not None
    }


def parse_game_options(game: AnyGame, values: Namespace) -> dict[str, str]:
    """Return the options of `game` in `values`, with defaults. Raises CommandError."""
    options = game.read_options(game_options(game, vars(values)))
    if isinstance(options, Refusal):
        raise CommandError(options.words(), MISUSE)
    return options


def check_bot(game: AnyGame, bot: str) -> None:
    """Raise CommandError if `game` has no `bot`."""
    if bot not in bot_names(game):
        raise misuse(
            "--bot: there is no bot {bot!r} for {title}; choose from {known}.",
            bot=shorten(bot, 40),
            title=game.title,
            known=", ".join(bot_names(game)),
        )


def bot_names(game: AnyGame) -> tuple[str, ...]:
    """Return the bots that play `game`, the default first."""
    return tuple(bot for of, bot in installed().bots if of == game.name)


def bots_help(games: Sequence[AnyGame]) -> str:
    """Return the names of the bots of `games`, from weak to strong, for a help text."""
    if len(games) == 1:
        return ", ".join(_by_strength(games[0]))
    return "; ".join(f"{game.title}: {', '.join(_by_strength(game))}" for game in games)


def _by_strength(game: AnyGame) -> tuple[str, ...]:
    levels = installed().screens[game.name].levels
    # Those that no level of quick play has are the weakest.
    return (*(bot for bot in bot_names(game) if bot not in levels), *levels)


def add_bot_option(words: CommandParser, games: Sequence[AnyGame]) -> None:
    """Add --bot to `words`; its help lists the bots of `games`."""
    default = next(iter(bot_names(games[0])), "")
    words.add_argument(
        "--bot",
        default=default,
        metavar="NAME",
        help=words.gettext(
            "the bot ({default}); from weak to strong: {known}", default=default, known=bots_help(games)
        ),
    )


def add_table_options(words: CommandParser, game: AnyGame) -> None:
    """Add the arguments of a new table of `game` to `words`: its options, seats, bots."""
    add_game_options(words, (game,))
    words.add_argument(
        "--seats",
        type=whole_number,
        default=max(2, game.seats[0]),
        metavar="N",
        help=words.gettext("number of seats, including bots ({default})"),
    )
    words.add_argument(
        "--bots",
        type=whole_number,
        default=0,
        metavar="N",
        help=words.gettext("number of bots ({default})"),
    )
    add_bot_option(words, (game,))
