"""A server that tells of people, as the real one does, and of games with a course."""

from cartino_protocol.accounts import Invitation, Invitations, Invited
from cartino_protocol.commands import Command, Course, Decline, Invite, Leaders, Profile
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import (
    CourseTurn,
    CourseView,
    HeadToHead,
    Highlight,
    Leader,
    LeadersView,
    ProfileView,
    RatingLine,
    ScoreLine,
)
from tests.support.past import PastServer, past

LEADERS = (Leader(1, 4, "Zoé", 1400, 12), Leader(2, 3, "Ann", 1210, 3), Leader(3, 5, "Bo", 950, 2))
BOTS = (Leader(1, 9, "greedy", 1300, 40),)
ASKED = (Invitation("K7QP", "Bo", "toy"), Invitation("B4ZT", "Zoé", "toy"))


def profile(
    name: str, player: int, *, you: bool = False, bot: bool = False, against: str = ""
) -> ProfileView:
    """A profile of two games."""
    return ProfileView(
        name,
        player,
        bot=bot,
        you=you,
        scores=(ScoreLine("toy", {"size": "small"}, 2, 1, 54.6, (Highlight("turn", 31, "K7QP-12"),)),),
        ratings=(RatingLine("toy", 1210, 3, 2),),
        against=against,
        head_to_head=(HeadToHead("toy", 2, 1, 1),) if against else (),
    )


class PeopleServer(PastServer):
    """Answers `Profile`, `Leaders`, `Course`, `Invite` and `Decline` too. Nobody is called Nobody."""

    def __init__(self, *, slow: bool = False, turns: tuple[CourseTurn, ...] | None = None) -> None:
        super().__init__([past(12, "Ann Bo"), past(11, "Zoé bot:greedy")], slow=slow)
        self.turns = turns if turns is not None else _turns()
        self.asked: tuple[Invitation, ...] = ASKED

    def _hear(self, command: Command) -> None:
        match command:
            case Leaders(game=game):
                self.due.append(LeadersView(game or "toy", LEADERS, BOTS, LEADERS[1]))
            case Profile(name="Nobody"):
                self.due.append(Refusal("unknown-person", "Nobody", to="Profile"))
            case Profile():
                self.due.append(self._profile(command))
            case Course(game=game):
                self.due.append(CourseView(game, self.turns))
            case Invite(name=name):
                self.due.append(Invited(name, here=name == "Bo"))
            case Decline(code=code):
                self.asked = tuple(line for line in self.asked if line.code != code)
                self.due.append(Invitations(self.asked))
        super()._hear(command)

    def _profile(self, asked: Profile) -> ProfileView:
        names = {line.player: line.name for line in (*LEADERS, *BOTS)}
        name = names.get(asked.player, asked.name) or "Ann"
        against = "" if asked.against == "Nobody" else asked.against or ("" if name == "Ann" else "Ann")
        player = next((number for number, known in names.items() if known == name), 0)
        return profile(name, player, you=name == "Ann", bot=name == "greedy", against=against)


def _turns() -> tuple[CourseTurn, ...]:
    """Twelve turns of two steps, in which both get as many points as the turn's number."""
    return tuple(CourseTurn(turn % 2, 2 * turn + 2, (turn + 1, turn)) for turn in range(12))
