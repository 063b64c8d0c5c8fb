"""What a game says in its lessons. The tables, and the tasks there, come from the server."""

import msgspec


class TaskWords(msgspec.Struct, frozen=True):
    """A task in English: what is to be done, what one learns when it is done, and what is said to who strays from it.

    Cards stand in `{places}`, which the game fills (`GameScreen.lesson_places`).
    """

    task: str
    learnt: str
    astray: str = ""


class LessonWords(msgspec.Struct, frozen=True):
    """A lesson in English: its title, what is told at its beginning, and its tasks in order."""

    title: str
    begin: str
    tasks: tuple[TaskWords, ...]
