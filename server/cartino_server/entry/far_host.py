"""A `Host` whose house is in another process."""

from collections.abc import Sequence

from cartino_protocol.link import BROKEN_OFF
from cartino_protocol.marking import N_, Sentence
from cartino_server.ssh.authentication import LoginRequest, LoginResult
from cartino_server.ssh.ports import Reply, Visitor
from cartino_server.ssh.session import UNKNOWN_OUTCOME
from cartino_server.workers.far import FarHouse, HouseLost
from cartino_server.workers.far_link import FarLink
from cartino_server.workers.messages import Caller, Entering
from cartino_tui.preferences import language_of
from cartino_tui.tongue import tongue_of

NO_HOUSE = N_("The house is not there just now; come back in a moment.")


class FarHost:
    """See Host."""

    def __init__(self, house: FarHouse) -> None:
        """Host for `house`."""
        self._house = house

    @property
    def door(self) -> str:
        """See Host."""
        return self._house.door

    def open_link(self, visitor: Visitor) -> FarLink:
        """See Host."""
        return self._house.open_link(_caller(visitor))

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """See Host."""
        try:
            told = await self._house.ask(_caller(visitor), tuple(words))
        except HouseLost:
            said = tongue_of(language_of(visitor.env)).tell(UNKNOWN_OUTCOME)
            return Reply(stderr=f"{said}\n", status=BROKEN_OFF)
        return Reply(told.stdout, told.stderr, told.status)

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        """Return the decision of the server's `Authenticator`."""
        entering = Entering(
            newcomer.connection, newcomer.source, newcomer.key, newcomer.user, newcomer.client
        )
        try:
            judged = await self._house.judge(entering)
        except HouseLost:
            return LoginResult(refused=Sentence(NO_HOUSE))
        return LoginResult(judged.person, judged.refused)


def _caller(visitor: Visitor) -> Caller:
    return Caller(
        visitor.id, visitor.person, visitor.name, visitor.guest, visitor.env, visitor.connection, visitor.key
    )
