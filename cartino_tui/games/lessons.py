"""What a game's plug says in its lessons. The tables, and what is to be done there, come from the house."""

import msgspec


class TaskWords(msgspec.Struct, frozen=True):
    """A task in English: what is to be done, what one learns when it is done, and what is said to who strays from it.

    Cards stand in `{places}`, which the plug fills (`GameScreen.lesson_places`).
    """

    task: str
    learnt: str
    astray: str = ""


class LessonWords(msgspec.Struct, frozen=True):
    """A lesson in English: its title, what is told at its beginning, and its tasks in order."""

    title: str
    begin: str
    tasks: tuple[TaskWords, ...]
