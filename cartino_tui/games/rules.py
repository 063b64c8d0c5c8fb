"""Rules as the frame shows them: sections of paragraphs, each marked with what it is about and whose it is."""

import msgspec

from cartino_tui.tongue import Tongue


class Paragraph(msgspec.Struct, frozen=True):
    """A paragraph in English, translated where it is shown.

    `only` names the kind of the game (an edition) that it is about, "" for all. `ours`: the printed rules leave it
    open, and we decided it.
    """

    text: str
    only: str = ""
    ours: bool = False

    def said(self, tongue: Tongue) -> str:
        """The paragraph in a language, behind its marks."""
        text = tongue.say(self.text)
        if self.only and self.ours:
            return tongue.say("{kind} alone, our decision: {rule}", kind=self.only, rule=text)
        if self.only:
            return tongue.say("{kind} alone: {rule}", kind=self.only, rule=text)
        if self.ours:
            return tongue.say("Our decision: {rule}", rule=text)
        return text


class Chapter(msgspec.Struct, frozen=True):
    """A part of the rules in the reader's language: its heading, and its paragraphs, a line each."""

    heading: str
    lines: tuple[str, ...]


class Section(msgspec.Struct, frozen=True):
    """A part of the rules below its heading, which is English too."""

    heading: str
    paragraphs: tuple[Paragraph, ...]

    def said(self, tongue: Tongue) -> Chapter:
        """The section in the language of `tongue`."""
        return Chapter(tongue.say(self.heading), tuple(each.said(tongue) for each in self.paragraphs))
