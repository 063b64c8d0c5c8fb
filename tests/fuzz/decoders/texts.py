"""What people and programs type: names, chat, the words behind `ssh host` and `admin`, and the lines of bots."""

import shlex
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

from cartino_protocol.wire import BadFrame
from cartino_server.admin.commands import parse_admin_command
from cartino_server.admin.socket import AdminReply, AdminRequest, decode_message, encode_message
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.requests import ServerRequestHandler
from cartino_server.bots.messages import read_message
from cartino_server.commands.console import CommandError
from cartino_server.commands.parser import HelpRequested
from cartino_server.commands.ssh_commands import parse_ssh_command
from cartino_server.lobby.people.names import LONGEST, MOST_BYTES, clean_name, key_of, shortened
from cartino_server.ssh.ports import MAX_COMMAND, UnreadableCommand, split_command
from cartino_server.table.chat import MOST_QUOTED, clean_text, quotable
from cartino_server.visitors import Visitor
from cartino_tui.draw.text import clean, plain
from cartino_tui.i18n import LANGUAGES, Translator, translator_for
from tests.fuzz.attacking import Decoder, Run, plain_decoder
from tests.fuzz.small_server import small_server

COMMANDS = b"""\
games
games --json --mine
games --finished --player 'ann b' --before AAAA-1
show AAAA
show AAAA --json
move AAAA KSu 10Dl@* end
chat AAAA hello there, everybody
watch AAAA --lines --json
join aa-aa
new --seats 3 --bots 1 --bot greedy --edition 1969 --clock 60s --private
back quiet-otter
plain new --seats 2
profile ann --against bob --json
top --json
export AAAA
export AAAA-1
help move
learn""".splitlines()
ADMIN_COMMANDS = b"""\
who --json
tables
close AAAA --because it is late
say 'the house closes at ten'
kick ann --because of talk
mute ann --for 2h --because of talk
unmute ann
ban key SHA256:abc --for 1h30m --because of talk
ban source 203.0.113.0/24 --for 2w
ban name ann --for 3d
bans
unban 3
reports --done 2 --json
ban key report:2 --for 2h
drain --for 2h
health
help""".splitlines()
WORDS = (
    *(b" ", b"'", b'"', b"\\", b"\\\n", b"plain plain plain ", b"help help ", b"-" * 400, b"a " * 2000),
    *b"# -- - --help -h --js --json=1 --bots=-1 @file %s %(prog)s {name} AAAA KSu *".split(),
    *map(str.encode, ("--bots 99999999999999999999", "--bots ١", "\u202e", "\u00a0")),
)
TIMES = b"for until because 99999w 0s 9999-12-31 0000-00-00 24:60 T25:61Z".split()
REQUESTS = (
    encode_message(AdminRequest(("who", "--json"), {"LANG": "de_DE.UTF-8", "TERM": "xterm"})),
    encode_message(AdminRequest(("ban", "name", "ann", "--for", "2w"))),
    encode_message(AdminReply("out", "err", 3)),
)
BOT_LINES = b"""\
{"type":"play","game":"cartino"}
{"type":"move","table":"K7QP","number":17,"move":"KSu"}
{"type":"join","table":"K7QP"}
{"type":"create","game":"cartino","seats":3,"bots":["greedy"],"options":{"edition":"1969"},"clock":"60s"}
{"type":"rematch","table":"K7QP"}""".splitlines()
BOT_WORDS = (
    *(b'"type"', b'"type":"leave",', b"[" * 4000, b'{"a":' * 2000, b"9" * 5000, b"\xff", b"\x00"),
    *b'1e400 null NaN "\\ud800"'.split(),
)
SAID = """\
ann
Łukasz Żółw
大阪の人
good game, everybody
e\u0301\u0301a\u0308
שלום ann
ﬁnal Ⅷ ½
\U0001f1e9\U0001f1ea \U0001f469\u200d\U0001f680 👋🏽
a\u202eb\u2066c\u200bd\ufe0fe\U000e0041f""".encode().splitlines()
LETTERS = tuple(
    text.encode()
    for text in (
        *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
        *"\u00ad\u034f\u115f\u17b4\u180e\u2028\u2029\u2060\u3164\ufeff\ufff9\U000e0001\U000e0100",
        *"\x00\x07\x1b\x7f\u0085\u009b\u009d\ufdfa\u0130ẞ~",
        *("\u0301" * 30, "[red]", "bot:", "\x1b]52;c;AAAA\x07"),
    )
)
_HARMLESS = frozenset({"L", "M", "N", "P", "S"})
_TRANSLATORS = tuple(map(translator_for, LANGUAGES))


def texts(data: bytes) -> bool:
    """Whatever stays can be seen: no control, no direction, no width of zero, and no piece of a pair."""
    text = data.decode("utf-8", "surrogateescape")
    name, said = clean_name(text), clean_text(text, 300)
    assert len(quotable(text)) <= MOST_QUOTED
    for kept in (name or "", said or "", quotable(text)):
        for letter in kept:
            assert letter == " " or unicodedata.category(letter)[0] in _HARMLESS, ascii(letter)
        kept.encode()
    if name is not None:
        assert len(name) <= LONGEST
        assert len(name.encode()) <= MOST_BYTES
        assert clean_name(name) == name, "it stays what it is"
        key_of(name)
    if said is not None:
        assert 0 < len(said) <= 300
        assert clean_text(said, 300) is not None
    shortened(text)
    assert plain(text).isascii()
    clean(text).encode()
    return bool(name or said)


def bot(data: bytes) -> bool:
    return read_message(data) is not None


def _words_of(data: bytes) -> tuple[list[str], Translator]:
    """The words in it, none where it can't be read, and whose language is spoken."""
    translator = _TRANSLATORS[len(data) % len(_TRANSLATORS)]
    try:
        words = list(split_command(data.decode("utf-8", "surrogateescape")))
    except UnreadableCommand:
        return [], translator
    quoted = shlex.join(words)
    assert len(quoted) > MAX_COMMAND or list(split_command(quoted)) == words
    return words, translator


def _refused(error: CommandError, translator: Translator) -> bool:
    sentence = translator.render(error.sentence)
    assert sentence
    assert "\n" not in sentence, "it is one line"
    return False


def verbs(data: bytes) -> bool:
    words, translator = _words_of(data)
    try:
        if words:
            parse_ssh_command(words, translator)
    except CommandError as error:
        return _refused(error, translator)
    except HelpRequested:
        pass
    return bool(words)


def admin(data: bytes) -> bool:
    words, translator = _words_of(data)
    try:
        parse_admin_command(words, translator)
    except CommandError as error:
        return _refused(error, translator)
    except HelpRequested:
        pass
    return True


def requests(data: bytes) -> bool:
    """A request of `cartino admin` and its answer, in frames on the socket in the data directory."""
    taken = False
    for kind in (AdminRequest, AdminReply):
        try:
            encode_message(decode_message(data, kind))
            taken = True
        except BadFrame:
            continue
    return taken


@contextmanager
def _answered() -> Iterator[Run]:
    """Commands are answered by a server with a table."""
    with small_server() as (server, _, run):
        handler = ServerRequestHandler(LocalBackend(server))
        env = {"LANG": "de_DE.UTF-8"}
        visitors = (
            Visitor("1", "id-ann", "ann", False),
            Visitor("2", "guest:x", "guest", True, env),
            Visitor("3", "id-bob", "bob", False, {"LC_ALL": "C"}),
        )

        async def answer(data: bytes) -> bool:
            try:
                words = split_command(data.decode("utf-8", "surrogateescape"))
            except UnreadableCommand as error:
                handler.translate(error.sentence, env)
                return False
            if handler.mode(words) != "answer":
                return True
            reply = await handler.run_command(visitors[len(data) % 3], words)
            reply.stdout.encode(), reply.stderr.encode()
            assert reply.stderr or not reply.status
            return reply.status == 0

        yield lambda data: run(answer(data))


DECODERS = (
    plain_decoder(texts, SAID, *LETTERS, most=2000),
    plain_decoder(bot, BOT_LINES, *BOT_WORDS),
    plain_decoder(verbs, COMMANDS, *WORDS),
    plain_decoder(admin, ADMIN_COMMANDS, *WORDS, *TIMES),
    plain_decoder(requests, REQUESTS, b"words", b"env", b"type", form="msgpack"),
    Decoder("answered", COMMANDS, _answered, "bytes", WORDS),
)
