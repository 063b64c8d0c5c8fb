"""Bracketed pastes in what a terminal sends: without escapes, which the parser would take for keys."""

from typing import Final

START: Final = "\x1b[200~"
END: Final = "\x1b[201~"


class PasteFilter:
    """Removes every escape from pastes but the one that ends them, wherever the input is cut."""

    def __init__(self) -> None:
        self._is_inside = False
        self._is_dropped = False
        self._rest = ""
        """Inside: what may begin END. Outside: the end of what was passed on, which may begin START."""

    def drop(self) -> None:
        """Drop the rest of an open paste, which is too long to be kept."""
        self._is_dropped = self._is_inside

    def clean(self, data: str) -> str:
        """Return `data` for the parser; what may begin END waits for more."""
        if not self._is_inside and "\x1b" not in data and "\x1b" not in self._rest:
            return data
        found = []
        while data:
            passed, data = self._inside(data) if self._is_inside else self._outside(data)
            found.append(passed)
        return "".join(found)

    def _outside(self, data: str) -> tuple[str, str]:
        """Return what is passed on, up to the end of START, and what comes behind it."""
        known = len(self._rest)
        text = self._rest + data
        at = text.find(START)
        if at < 0:
            self._rest = text[-len(START) + 1 :]
            return data, ""
        self._is_inside, self._rest = True, ""
        end = at + len(START)
        return text[known:end], text[end:]

    def _inside(self, data: str) -> tuple[str, str]:
        """Return the pasted text, up to the end of END, and what comes behind it."""
        text = self._rest + data
        at = text.find(END)
        if at < 0:
            kept = next((n for n in range(len(END) - 1, 0, -1) if text.endswith(END[:n])), 0)
            whole, self._rest = text[: len(text) - kept], text[len(text) - kept :]
            return self._pasted(whole), ""
        end, behind = "" if self._is_dropped else END, text[at + len(END) :]
        passed = self._pasted(text[:at]) + end
        self._is_inside, self._is_dropped, self._rest = False, False, ""
        return passed, behind

    def _pasted(self, text: str) -> str:
        return "" if self._is_dropped else text.replace("\x1b", "")
