"""The house as a worker has it: links and answers, over the line to the process where it really is."""

import asyncio
from itertools import count

from cartino_protocol.framing import BadFrame
from cartino_server.workers.far_link import FarLink
from cartino_server.workers.line import Line
from cartino_server.workers.messages import (
    Answered,
    Asked,
    Caller,
    DoorWords,
    Ended,
    Entering,
    FromHouse,
    Judged,
    Moved,
    Opened,
    Shown,
    Told,
    Withdrawn,
    kind_of,
)
from cartino_server.workers.waking import Waking


class HouseLost(Exception):
    """The house has gone, and its answer with it."""


class FarHouse:
    """A house at the other end of a line."""

    def __init__(self, line: Line[FromHouse]) -> None:
        """The house to which `line` leads."""
        self.door = ""
        """The words that bring a friend there."""
        self._line = line
        self._numbers = count(1)
        self._links: dict[int, FarLink] = {}
        self._questions: dict[int, asyncio.Future[Told]] = {}
        self._verdicts: dict[int, asyncio.Future[Judged]] = {}
        self._waking = Waking()
        self._gone = False

    def open_link(self, caller: Caller) -> FarLink:
        """A link of `caller`; where the house has gone, one that has ended."""
        number = next(self._numbers)
        link = FarLink(number, self._line, self._links.pop)
        if self._gone:
            link.end()
        else:
            self._links[number] = link
            self._line.say(Opened(number, caller))
        return link

    async def ask(self, caller: Caller, words: tuple[str, ...]) -> Told:
        """What `words` get without a terminal. Raises HouseLost."""
        if self._gone:
            raise HouseLost
        number = next(self._numbers)
        answer: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        self._questions[number] = answer
        self._line.say(Asked(number, caller, words))
        try:
            return await answer
        finally:
            if self._questions.pop(number, None) is not None:
                self._line.say(Withdrawn(number))

    async def judge(self, entering: Entering) -> Judged:
        """Who that is, and whether they may come in. Raises HouseLost."""
        if self._gone:
            raise HouseLost
        verdict: asyncio.Future[Judged] = asyncio.get_running_loop().create_future()
        self._verdicts[entering.connection] = verdict
        self._line.say(entering)
        try:
            return await verdict
        finally:
            self._verdicts.pop(entering.connection, None)

    def hear(self, message: Shown | Moved | Ended | Answered | DoorWords | Judged) -> None:
        """Take in what the house says. Raises BadFrame."""
        match message:
            case Shown():
                self._show(message)
            case Moved(number):
                link = self._links.get(number)
                if link is not None:
                    link.left_room()
            case Ended(number):
                link = self._links.pop(number, None)
                if link is not None:
                    link.end()
            case Answered(number, told):
                question = self._questions.pop(number, None)
                # Who has asked may have gone while this was on its way.
                if question is not None and not question.done():
                    question.set_result(told)
            case DoorWords(words):
                self.door = words
            case Judged(connection):
                verdict = self._verdicts.pop(connection, None)
                if verdict is not None and not verdict.done():
                    verdict.set_result(message)

    def lose(self) -> None:
        """The house has gone: every link has ended, and nobody is answered."""
        self._gone = True
        for link in self._links.values():
            link.end()
        self._links.clear()
        waiting: list[asyncio.Future[Told] | asyncio.Future[Judged]] = [
            *self._questions.values(),
            *self._verdicts.values(),
        ]
        for each in waiting:
            if not each.done():
                each.set_exception(HouseLost())
        self._questions.clear()
        self._verdicts.clear()

    def _show(self, shown: Shown) -> None:
        try:
            kind = kind_of(shown.kind)
        except IndexError:
            raise BadFrame(f"an answer of kind {shown.kind}") from None
        links = [link for number in shown.links if (link := self._links.get(number)) is not None]
        for link in links:
            link.put_frame(kind, shown.frame)
        if len(shown.links) == 1:
            # For one alone: a player, or somebody who asked for it.
            for link in links:
                link.wake()
        else:
            self._waking.wake(links)
