"""What hosts say behind `admin`, from wherever; and the question's frame on the socket in the data directory."""

from cartino_protocol.wire import BadFrame
from cartino_server.admin.commands import parse_admin_command
from cartino_server.admin.socket import AdminReply, decode_message, encode_message
from cartino_server.admin.socket import AdminRequest as Question
from cartino_server.commands.console import CommandError
from cartino_server.commands.parser import HelpRequested
from cartino_server.ssh.ports import UnreadableCommand, split_command
from cartino_tui.i18n import LANGUAGES, translator_for
from tests.fuzz.attacking import Decoder, plainly
from tests.fuzz.decoders.words import WORDS

NOW = 1_767_225_600.5
SAID = tuple(
    text.encode()
    for text in (
        "who --json",
        "tables",
        "close AAAA --because it is late",
        "say 'the house closes at ten'",
        "kick ann --because of talk",
        "mute ann --for 2h --because of talk",
        "unmute ann",
        "ban key SHA256:abc --for 1h30m --because of talk",
        "ban source 203.0.113.0/24 --for 2w",
        "ban name ann --for 3d",
        "bans",
        "unban 3",
        "reports --done 2 --json",
        "ban key report:2 --for 2h",
        "drain --for 2h",
        "health",
        "help",
    )
)
TIMES = (
    b"for ",
    b"until ",
    b"because ",
    b"99999w",
    b"0s",
    b"9999-12-31",
    b"0000-00-00",
    b"24:60",
    b"T25:61Z",
)
QUESTIONS = (
    encode_message(Question(("who", "--json"), {"LANG": "de_DE.UTF-8", "TERM": "xterm"})),
    encode_message(Question(("ban", "name", "ann", "--for", "2w"))),
    encode_message(AdminReply("out", "err", 3)),
)


def _admin(data: bytes) -> bool:
    try:
        words = split_command(data.decode("utf-8", "surrogateescape"))
    except UnreadableCommand:
        return False
    translator = translator_for(LANGUAGES[len(data) % len(LANGUAGES)])
    try:
        parse_admin_command(words, NOW, translator)
    except CommandError as error:
        return not translator.render(error.sentence)
    except HelpRequested:
        return True
    return True


def _question(data: bytes) -> bool:
    taken = False
    kinds: tuple[type[Question | AdminReply], ...] = (Question, AdminReply)
    for kind in kinds:
        try:
            encode_message(decode_message(data, kind))
            taken = True
        except BadFrame:
            continue
    return taken


DECODERS = (
    Decoder("admin", SAID, plainly(_admin), "bytes", (*WORDS, *TIMES)),
    Decoder("questions", QUESTIONS, plainly(_question), "msgpack", (b"words", b"env", b"type")),
)
