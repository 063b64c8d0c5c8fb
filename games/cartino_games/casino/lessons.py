"""Casino's lessons: each a table with the pupil on turn, what is played there (as typed), and the words for it."""

import msgspec

from cartino_engine.chance import GivenOrder
from cartino_engine.port import LessonScript, LessonTask, Step
from cartino_games.casino.arithmetic import ordered
from cartino_games.casino.cards import CARDS, Customs
from cartino_games.casino.rules import Casino, CasinoState
from cartino_games.casino.typing_moves import parse_play
from cartino_games.casino.views import Build, CasinoView, Play
from cartino_protocol.text import N_
from cartino_tui.game_port.description import LessonWords, TaskWords

_GAME = Casino()
_OPTIONS = {option.name: option.default for option in _GAME.options}
_ASTRAY = N_("Legal, but not what this step asks for.")


def _at(
    hand: str, loose: str, *builds: Build, other: str = "3D 8H QS JC", piles: tuple[str, ...] = ()
) -> CasinoState:
    """Return a table with the pupil on turn; `piles` are those at the end of a deal, when all cards are dealt."""
    hands = tuple(tuple(each.split()) for each in (hand, other))
    taken = tuple(tuple(pile.split()) for pile in piles) or ((), ())
    lying = {*hands[0], *hands[1], *loose.split(), *(card for build in builds for card in build.cards)}
    pack = () if piles else tuple(card for card in CARDS if card not in lying)[:40]
    held, counts = tuple(map(len, hands)), tuple(map(len, taken))
    table = CasinoView(Customs(), (0, 0), 0, 0, 1, len(pack), held, counts, (0, 0), on_turn=0)
    table = msgspec.structs.replace(table, loose=tuple(loose.split()), builds=builds)
    return CasinoState(table, GivenOrder(range(52), range(52)), pack, hands, taken, 1)


def _lesson(name: str, start: CasinoState, *steps: tuple[str, str, str]) -> LessonScript[CasinoState, Play]:
    state, tasks = start, list[LessonTask[Play]]()
    for texts, *_ in steps:
        moves = []
        for seat, text in enumerate(texts.split()):
            view = state.seen_by(seat)
            play = parse_play(text, view)
            step = None if play is None else _GAME.apply(state, seat, play)
            assert play is not None
            assert isinstance(step, Step), f"{name}: {text}"
            moves.append(ordered(view, play))
            state = step.state
        tasks.append(LessonTask((moves[0],), tuple((1, reply) for reply in moves[1:])))
    return LessonScript(name, _OPTIONS, start, tuple(tasks), ("Ida",))


_ALL = (
    ("take", N_("Taking cards"),
     N_("The cards you take score points. A card takes cards of its value, and sets that add up to it."),
     _at("9H KS 4D 2S", "3C 6D 9C QD"),
     ("9Hx3C+6D,9C", N_("Press the number of {9H}. Line 1 takes three cards; press Enter."),
      N_("{3C} and {6D} add up to 9, and {9C} is a 9. Your pile now has four cards, two of them clubs."))),
    ("trail", N_("Trailing"),
     N_("You play one card per turn. If it takes nothing, you trail it: it stays on the table."),
     _at("8S 5H JD QC", "KD 2D"),
     ("8S", N_("Choose {8S} and trail it."), N_("Now it's on the table, and anyone can take it."))),
    ("values", N_("Two values"),
     N_("In your hand, an ace is worth 1 or 14, {10D} 10 or 16, {2C} 2 or 15. "
        "On the table, only the low value counts."),
     _at("AS 4C 7D 9D", "KC AD QH"),
     ("AS=14xKC+AD", N_("Take {KC} and {AD} with {AS}."), N_("13 + 1 = 14. Each ace in your pile scores 1 point."))),
    ("build", N_("Building"),
     N_("Lay a card on another to build their sum. You must hold another card of that value to take the build."),
     _at("2H 9S 4C KD", "7C QD"),
     ("2H+7C=9 3D", N_("Choose {2H}, go to {7C} with the arrow keys and press Space. Then play the build."),
      N_("The build of 9 is yours. Ida couldn't take it and trailed {3D}.")),
     ("9Sx>9", N_("Take your build with {9S}."),
      N_("Three cards. While you own a build, you can't trail or start another build."))),
    ("raise", N_("Raising"),
     N_("Ida built 9. If you hold a card of the new value, you can raise a build with another card and make it yours."),
     _at("AH 10S 4C KD", "QD", Build(9, ("7D", "2S"), 1, False)),
     ("AH>9 3D", N_("Raise the build to 10 with {AH}."), N_("9 + 1 = 10, and now the build is yours.")),
     ("10Sx>10", N_("Take it with {10S}."), N_("Four cards, and one of them is an ace."))),
    ("add", N_("Adding"),
     N_("To a build, you can add a card of its value, or two that add up to it. That locks the build."),
     _at("4H 9S 8D KS", "5C QD", Build(9, ("7C", "2H"), 0, False)),
     ("4H+5C>>9 3D", N_("Add {4H} and {5C} to your build."), N_("4 + 5 = 9. A locked build can't be raised.")),
     ("9Sx>9", N_("Take it with {9S}."), N_("Five cards at once."))),
    ("sweep", N_("A sweep"),
     N_("{5C} takes everything on the table. A capture that clears the table is a sweep."),
     _at("5C 7H JS KD", "QD 3S AC", Build(9, ("7D", "2S"), 1, False)),
     ("5Cx*", N_("Take everything with {5C}."),
      N_("A sweep scores 1 point. But sweeps cancel out: only those beyond the lowest number count."))),
    ("score", N_("Scoring a deal"),
     N_("This is the last card of the deal. Whatever is left on the table goes to the last player to capture."),
     _at("QH", "QD 3C 4H", other="", piles=("10D 2D 8C 9C JC KC 7H 7S", "2C AD AC 3S 5S 6C 9D JD")),
     ("QHxQD", N_("Take {QD} with {QH}."),
      N_("Most clubs 2, most cards 1, {10D} 2, last capture 1: 6 points. "
         "Once someone has 21, the highest total wins."))),
)  # fmt: skip

WORDS = {
    name: LessonWords(title, begin, tuple(TaskWords(task, learnt, _ASTRAY) for _, task, learnt in steps))
    for name, title, begin, _, *steps in _ALL
}
SPOKEN = {
    "take": ("", N_("Take {3C}, {6D} and {9C} with {9H}: type the number of {9H}, then 1.")),
    "build": ("", N_("Lay {2H} on {7C} to build 9: type the number of {2H}, then that of the build.")),
}
"""What plain mode says in a lesson instead of the words about keys, by task; see `GameSpeech.spoken_lessons`."""


class TaughtCasino(Casino):
    """Casino with its lessons, which are made by playing it."""

    lessons = tuple(_lesson(name, start, *steps) for name, _, _, start, *steps in _ALL)
