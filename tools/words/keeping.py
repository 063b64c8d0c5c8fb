"""A language's catalogue as two files: `messages.po`, which people edit, and `messages.mo`."""

import io
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po

from tools.words.finding import Marked

LANGUAGES: Final = ("fr", "de")
"""Those that sentences are said in, beside the English that they are written in."""
PLACE: Final = "cartino_tui/locale/{language}/LC_MESSAGES/messages.po"
_NO_TIME: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""In files that are kept with the code a date would only change with every look at them."""
_HEADER: Final = """\
# What Cartino says in the language "{language}". `make words` adds what the code says anew; people write the rest.
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plural}\\n"

"""


def po_file(root: Path, language: str) -> Path:
    """Return where the catalogue of `language` is written; the `.mo` lies beside it."""
    return root / PLACE.format(language=language)


def read(file: Path, language: str) -> Catalog:
    """Return the catalogue in the `.po` file; an empty one where there is none."""
    if not file.exists():
        return _dated(Catalog(locale=language, charset="utf-8", fuzzy=False))
    with file.open("rb") as opened:
        return _dated(read_po(opened, locale=language, charset="utf-8"))


def template(sentences: Mapping[Marked, Sequence[str]]) -> Catalog:
    """Return the catalogue of what the code says, in no language."""
    catalog = _dated(Catalog(charset="utf-8", fuzzy=False))
    for (text, many, context), files in sentences.items():
        catalog.add(
            (text, many) if many else text,
            locations=[(file, 0) for file in files],
            context=context or None,
        )
    return catalog


def renew(catalog: Catalog, of_code: Catalog, *, tidy: bool) -> None:
    """Have in `catalog` what the code says; what it says no more stays at the end, or goes where `tidy`."""
    for old in catalog.obsolete.values():
        # What is said again has its translation still.
        catalog.add(old.id, old.string, flags=old.flags, context=old.context)
    catalog.obsolete.clear()
    catalog.update(of_code, no_fuzzy_matching=True)
    if tidy:
        catalog.obsolete.clear()


def write(file: Path, catalog: Catalog, language: str) -> bool:
    """Write the `.po` file, and the `.mo` beside it if that says anything else; whether anything was new."""
    file.parent.mkdir(parents=True, exist_ok=True)
    body = io.BytesIO()
    write_po(body, catalog, width=110, omit_header=True, include_lineno=False)
    header = _HEADER.format(language=language, plural=catalog.plural_forms)
    text = header.encode() + body.getvalue().lstrip(b"\n")
    new = not file.exists() or file.read_bytes() != text
    if new:
        file.write_bytes(text)
    if is_compiled(file, catalog):
        return new
    compiled = io.BytesIO()
    write_mo(compiled, catalog)
    file.with_suffix(".mo").write_bytes(compiled.getvalue())
    return True


def is_compiled(file: Path, catalog: Catalog) -> bool:
    """Return whether the `.mo` beside the `.po` file says what `catalog` does."""
    compiled = file.with_suffix(".mo")
    if not compiled.exists():
        return False
    with compiled.open("rb") as opened:
        return _said(read_mo(opened)) == _said(catalog)


def marked_of(message: Message) -> Marked:
    """Return the sentence that `message` is the translation of."""
    text, many = message.id if isinstance(message.id, list | tuple) else (message.id, "")
    # What reads `.mo` files leaves the context as it stands there.
    context: str | bytes = message.context or ""
    return Marked(text, many, context.decode() if isinstance(context, bytes) else context)


def forms(message: Message) -> tuple[str, ...]:
    """Return how it is said, of one thing and of more where it is counted; "" where nobody has translated it."""
    said = message.string
    return tuple(said) if isinstance(said, list | tuple) else (said or "",)


def _said(catalog: Catalog) -> dict[Marked, tuple[str, ...]]:
    """Return the translations by sentence, without those that are missing; a missing plural form is English."""
    said: dict[Marked, tuple[str, ...]] = {}
    for message in catalog:
        if message.id and message.string and not message.fuzzy:
            marked = marked_of(message)
            english = (marked.text, *[marked.many] * (len(forms(message)) - 1))
            said[marked] = tuple(form or other for form, other in zip(forms(message), english, strict=True))
    return said


def _dated(catalog: Catalog) -> Catalog:
    catalog.creation_date = catalog.revision_date = _NO_TIME
    return catalog
