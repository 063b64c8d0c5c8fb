"""Lessons in plain mode: the same lessons as on the screen, a step at a time, in sentences."""

import re
from typing import Any, Final

import msgspec

from cartino_protocol.commands import Lesson
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_protocol.views import LessonView, QueryAnswer
from cartino_tui.game_port.description import LessonWords
from cartino_tui.game_port.speech import AnySpeech, LineReaction, find_word
from cartino_tui.plain.menu import LineMenu, PlainContext
from cartino_tui.visit.current_lesson import CurrentLesson
from cartino_tui.visit.farewell import UNREADABLE

_SENTENCE_START: Final = re.compile(r"(?:^|[.!?] )\w")
_UNKNOWN = LessonWords("", "", ())


class LessonMenu(LineMenu):
    """The lessons of a game, one after the other, from where the person left off."""

    def __init__(self, context: PlainContext, speech: AnySpeech) -> None:
        super().__init__(context)
        self._speech = speech
        self._progress = CurrentLesson(speech.name, context.preferences.settings.lessons.get(speech.name, 1))
        self._table: Any = None
        self._hold: msgspec.Struct = speech.fresh()

    def open(self) -> None:
        """Begin, or say again what is to be done."""
        if self._progress.view is None:
            self.context.send(self._progress.begin(self._progress.number))
        else:
            self._tell_step()

    def free(self, text: str) -> bool:
        """Read a line as a step through the lessons, or else as the game's."""
        view = self._progress.view
        if view is None:
            return False
        steps = self._later, lambda: self.context.send(self._progress.begin_earlier()), self.go_back
        step = find_word(self.translator.command_words("next", "previous", "leave"), text)
        if step is not None:
            # The words stand there twice, the second time in English.
            steps[step % len(steps)]()
            return True
        if not text:
            self._go_on(view)
            return True
        if view.strayed or self._progress.is_done:
            return False
        heard: LineReaction[Any] = self._speech.enter(
            view.table, self._table, self._hold, text, self.translator
        )
        if heard.taken:
            self._hold = heard.hold
            self.context.tell(*heard.lines)
            if heard.move is not None:
                self.context.send(self._progress.move(heard.move))
        return heard.taken

    def go_back(self) -> None:
        """Leave the lessons; they go on from here next time, or from the first once all are done."""
        if self._progress.is_last and self._progress.is_done:
            self._bookmark(self._progress.resumes_at)
            self.context.explain(N_("You're ready. Type play to play."))
        else:
            self.context.explain(N_("Type learn to go on with the lessons, play to play."))
        self.context.pop()

    def help(self) -> None:
        """Tell the game's commands and those of the lessons."""
        self.context.tell(
            *self._speech.words(self.translator),
            self.translator.gettext("An empty line: what to do now; after that, the next step."),
            self.translator.gettext(
                "next and previous: another lesson. leave: back to the lobby; the lessons go on from here."
            ),
        )

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Tell what came of a move, and what to do next."""
        if not isinstance(answer, LessonView):
            return False
        context, before, old = self.context, self._progress.view, self._table
        try:
            self._table = self._speech.read(answer.table.game_view)
        except msgspec.DecodeError:
            context.leave(UNREADABLE)
            return True
        self._progress.handle(answer)
        self._hold = self._speech.fresh()
        self._bookmark(self._progress.number)
        if not self._progress.moves or before is None:
            self._tell_lesson()
            return True
        context.tell(*self._speech.describe_events(answer.table, old, self._table, self.translator))
        words = self._words.tasks
        if answer.strayed and answer.done < len(words):
            context.tell(self._said(words[answer.done].astray))
        elif 0 < answer.done <= len(words):
            context.tell(self._said(words[answer.done - 1].learnt))
        self._tell_step()
        return True

    def handle_refusal(self, refusal: Refusal) -> None:
        """Take the move back; the game has the sentence for its own rules."""
        if refusal.to == Lesson.__name__:
            self._progress.forget_refused_move()
            self._hold = self._speech.fresh()
            if refusal.reason == "illegal":
                self.context.tell(self._speech.describe_refusal(refusal.detail, self.translator))
                return
        super().handle_refusal(refusal)

    @property
    def _words(self) -> LessonWords:
        view = self._progress.view
        return _UNKNOWN if view is None else self._speech.lessons.get(view.name, _UNKNOWN)

    def _said(self, sentence: str) -> str:
        places = self._speech.lesson_places(self.translator)
        said = self.translator.gettext(sentence, **places) if sentence else ""
        # Names of cards are in lower case.
        return _SENTENCE_START.sub(lambda found: found[0].upper(), said)

    def _spoken(self, at: int, sentence: str) -> str:
        """Return what is said here in place of `sentence`: 0 is the introduction, from 1 on the tasks."""
        own = self._speech.spoken_lessons.get(self._progress.view.name if self._progress.view else "", ())
        return self._said((own[at] if at < len(own) else "") or sentence)

    def _tell_lesson(self) -> None:
        """Say what the lesson is about, and its first task."""
        view, words = self._progress.view, self._words
        if view is not None:
            self.context.explain(
                N_("Lesson {n} of {all}: {title}."),
                n=view.number,
                all=view.of,
                title=self.translator.gettext(words.title),
            )
            self.context.tell(self._spoken(0, words.begin))
            self._tell_step()

    def _tell_step(self) -> None:
        """Say what to do now."""
        view, tasks = self._progress.view, self._words.tasks
        if view is None:
            return
        if view.strayed:
            self.context.explain(N_("Press Enter to undo it."))
        elif view.done < min(view.tasks, len(tasks)):
            self.context.tell(
                *self._speech.standing(view.table, self._table, self.translator),
                self._spoken(view.done + 1, tasks[view.done].task),
            )
        elif not self._progress.is_last:
            self.context.explain(N_("Press Enter for the next lesson."))
        else:
            self.context.explain(N_("That was the last lesson. Type leave for the lobby, then play."))

    def _go_on(self, view: LessonView) -> None:
        before = self._progress.take_back()
        if before is not None:
            self._table = self._speech.read(before.table.game_view)
            self._tell_step()
        elif self._progress.is_done and not self._progress.is_last:
            self._later()
        else:
            self._tell_step()

    def _later(self) -> None:
        if self._progress.is_last:
            self._tell_step()
        else:
            self.context.send(self._progress.begin(self._progress.number + 1))

    def _bookmark(self, number: int) -> None:
        if self.context.preferences.bookmark(self._speech.name, number):
            self.context.save_settings()
