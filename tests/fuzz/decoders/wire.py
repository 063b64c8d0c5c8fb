"""Commands, answers, moves and choices in MessagePack, the frames around them, and what the native client unpacks."""

import zlib
from random import Random

import msgspec

from cartino_engine.port import game_info
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_protocol import wire
from cartino_protocol.accounts import (
    Account,
    AccountView,
    AddKey,
    DeleteAccount,
    DropKey,
    Ignored,
    IgnoredPerson,
    Invited,
    KeyCode,
    Keys,
    KeysView,
    Reported,
)
from cartino_protocol.commands import (
    Act,
    Back,
    Command,
    Course,
    Create,
    Cut,
    Decline,
    Hello,
    History,
    Ignore,
    Invite,
    Join,
    Lead,
    Leaders,
    Leave,
    Lesson,
    Pause,
    PlayOn,
    Prefer,
    Preview,
    Profile,
    QuickPlay,
    Rematch,
    Rename,
    Replay,
    Report,
    Review,
    SaveSelection,
    Say,
    Sit,
    Stand,
    Start,
    Summary,
    TryTurn,
    Watch,
)
from cartino_protocol.deals import (
    AttemptLine,
    Daily,
    DealView,
    Duplicate,
    League,
    LeagueView,
    NextDeal,
    PlayDaily,
    Standing,
    Today,
    TodayView,
    TurnPoints,
)
from cartino_protocol.notices import Announced, News, Notice
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import (
    BegunGame,
    Bye,
    ChatLine,
    ChatView,
    Goal,
    Leader,
    LeadersView,
    Left,
    LobbyView,
    Missed,
    OnlineView,
    OwnGame,
    PastGame,
    PreviewView,
    ProfileView,
    RatingRange,
    Skill,
    SummaryView,
    TopPlayers,
    Welcome,
)
from cartino_protocol.wire import BadFrame, FrameReader, encode_raw, frame_bytes
from cartino_server.client.connection import BadServerData, FrameDecompressor
from cartino_server.lobby.people.preferences import MAX_SETTINGS_BYTES, merged
from cartino_tui.preferences import Settings, decode_settings, decode_settings_json, encode_settings
from tests.fuzz.attacking import Decoder, plainly
from tests.support.cartino import GAME, random_game
from tests.support.cartino_table import CARTINO_SCREEN, table_of
from tests.support.visit import line

MOVES = (wire.encode(Lay("KS", "KSu")), wire.encode(Lay("*", "10Dl")), wire.encode(EndTurn()))
CHOSEN = encode_settings(
    Settings(language="fr", own_keys={"lay": "x"}, bell=False), ("language", "own_keys", "bell")
)
SKILL = Skill("cartino", {"edition": "1974"}, 2, 40, 20.2, 2.8)
COMMANDS: tuple[Command, ...] = (
    Hello(wire.VERSION, "cartino 1", "a1b2"),
    Create("cartino", {"edition": "1969"}, 3, ("greedy",), clock="30s"),
    Join("AAAA"),
    Sit(1),
    Act(3, encode_raw(Lay("KS", "KSu"))),
    Act(3, encode_raw(EndTurn())),
    Say("good game, everybody"),
    SaveSelection(msgspec.Raw(msgspec.msgpack.encode({"picked": 1}))),
    Prefer(CHOSEN),
    History("player", "ann", 7),
    Replay("AAAA-1", 4),
    Profile("ann", 0, "bob"),
    Invite("bob"),
    Ignore("a1b2c3d4"),
    Ignore(name="bob", on=False),
    Report(1),
    Lesson("cartino", 1, (encode_raw(Lay("KS", "KSu")), encode_raw(EndTurn()))),
    Rename("bob"),
    QuickPlay(),
    Watch("AAAA"),
    Leave(),
    Stand(),
    Start(),
    Cut("somewhere"),
    Rematch(),
    Pause(True),
    Lead(3),
    Back("quiet-otter"),
    Course("AAAA-1"),
    Review("AAAA-1"),
    TryTurn("AAAA-1", 3, (encode_raw(Back("x")),)),
    PlayOn("AAAA-1", 3),
    Summary(),
    Preview("AAAA"),
    Leaders("cartino"),
    PlayDaily("cartino"),
    Daily("cartino", 127),
    Duplicate("ABCDEFGH"),
    League("spring"),
    Today(),
    Decline("AAAA", for_good=True),
    Keys(),
    KeyCode(),
    AddKey("ABCDE-FGHJK"),
    DropKey("SHA256:abc"),
    Account(),
    DeleteAccount("nobody here"),
)
SAID = tuple(map(wire.encode, COMMANDS))
STATES = [state for state, _ in random_game(3, "1974", 3)]
GAME_OVER = PastGame(
    "AAAA-1", 1, "cartino", {}, ("ann", "bot:greedy"), (20, 7), (0,), "out", "2026-01-31T12:00:00Z"
)
_ATTEMPT = AttemptLine("ann", "played", 1, True, 214, 7.5, (TurnPoints(12, 1.5),), "ABCDEFGH-7")
DEAL = DealView(
    *("cartino", {}, ("careful",), "2026-02-04T00:00:00Z", True, "ab" * 32),
    number=127,
    own=_ATTEMPT,
    rows=(_ATTEMPT,),
    coming=(NextDeal("2026-02-04", "cd" * 32),),
)
ANSWERS = tuple(
    wire.encode(answer)
    for answer in (
        Welcome(
            wire.VERSION, "ann", False, (game_info(GAME, ("greedy",)),), promise="ab" * 32, settings=CHOSEN
        ),
        LobbyView((line("AAAA", "ann bob", "playing", 1, (0,)), line("BBBB", "eve")), 3),
        table_of(STATES[5], 0),
        table_of(STATES[-1], None),
        ChatView((ChatLine(1, "ann", "hello", "table"),), "table", (Notice(2, News("restarts")),)),
        OnlineView(("ann", "bob")),
        SummaryView("Café", (TopPlayers("cartino", (Leader(1, 7, "ann", 1100, 4),)),), (GAME_OVER,)),
        Missed((OwnGame(GAME_OVER, 0),), (BegunGame("K7QP", ("bob",)),), more=True),
        LeadersView("cartino", (Leader(1, 7, "ann", 1100, 4, RatingRange(1200, 1900), (SKILL,)),)),
        ProfileView("ann", goals=(Goal("cartino", {}, 2, "greedy", 5, 3, 41, "turn", 38),), skill=(SKILL,)),
        PreviewView("AAAA", table_of(STATES[5], None)),
        Refusal("illegal", "taken", "Act"),
        Bye("shutdown"),
        Left("moved", "AAAA"),
        Invited("bob", True),
        Ignored((IgnoredPerson("a1b2c3d4", "eve"),)),
        Reported(3, "eve"),
        Announced("muted", "too much talk", "2026-01-31 12:00"),
        KeysView((), "code", "ABCDE-FGHJK", 10),
        AccountView("ann", keys=("SHA256:abc",), games=3),
        DEAL,
        LeagueView(
            "spring", "cartino", "2026-01-01", "2026-01-31", 31, 2, 1, (Standing(1, "ann", 1, 2.5, 2),)
        ),
        TodayView("cartino", 127, "played", 3, 214, 7.5),
    )
)
TABLES = tuple(bytes(table_of(state, 0).game_view) for state in (STATES[0], STATES[5], STATES[-1]))
WORDS = tuple(b"%c%s" % (0xA0 + len(tag), tag) for tag in (b"t", b"Act", b"Say", b"RoomView", b"code"))


def _commands(data: bytes) -> bool:
    try:
        command = wire.decode_command(data)
    except wire.WireError:
        return False
    wire.decode_command(wire.encode(command))
    return True


def _answers(data: bytes) -> bool:
    try:
        answer = wire.decode_shared(data)
    except wire.WireError:
        return False
    wire.decode_answer(wire.encode(answer))
    match answer:
        case Refusal() | Announced():
            str(answer.words())
        case ChatView(notices=notices):
            for notice in notices:
                str(notice.news.words())
    return True


def _moves(data: bytes) -> bool:
    try:
        GAME.read_move(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    return True


def _tables(data: bytes) -> bool:
    """The game's own view, which an answer carries unread; what can be read can be told."""
    try:
        view = CARTINO_SCREEN.read(msgspec.Raw(data))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    wire.encode(view)
    return True


def _choices(data: bytes) -> bool:
    decode_settings(data)
    decode_settings_json(data)
    kept = merged(CHOSEN, data)
    if kept is None:
        return False
    assert len(kept) <= MAX_SETTINGS_BYTES
    decode_settings(kept)
    return True


def _frames(data: bytes) -> bool:
    """However a line is cut into pieces, the same frames come out."""
    whole, cut = FrameReader(), FrameReader()
    try:
        found = whole.feed(data)
    except BadFrame:
        return False
    chance, pieces = Random(len(data)), list[bytes]()
    while data:
        size = chance.choice((1, 2, 3, 5, 100, 4096))
        pieces += cut.feed(data[:size])
        data = data[size:]
    assert pieces == found
    return True


def _unpacked(data: bytes) -> bool:
    """A server that is none says what it likes: packed well, or not even that."""
    chance = Random(data)
    if chance.random() < 0.5:
        data = _packed(data)
    unpacker = FrameDecompressor()
    try:
        for piece in (data[: len(data) // 2], data[len(data) // 2 :]):
            for frame in unpacker.feed(piece):
                wire.decode_answer(frame)
    except (BadServerData, wire.WireError):
        return False
    return True


def _packed(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-12)
    return packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH)


_LINE = b"".join(map(frame_bytes, SAID))
DECODERS = (
    Decoder("commands", SAID, plainly(_commands), "msgpack", WORDS),
    Decoder("answers", ANSWERS, plainly(_answers), "msgpack", WORDS),
    Decoder("moves", MOVES, plainly(_moves), "msgpack", WORDS),
    Decoder("tables", TABLES, plainly(_tables), "msgpack", (b"\xa5board", b"\xa4hand", b"\xa6recent")),
    Decoder("choices", (CHOSEN,), plainly(_choices), "msgpack", (b"\x80", b"\xc0")),
    Decoder("frames", (_LINE, *map(frame_bytes, SAID)), plainly(_frames)),
    Decoder(
        "unpacking",
        (
            _packed(b"".join(map(frame_bytes, ANSWERS))),
            *map(frame_bytes, ANSWERS),
            _packed(frame_bytes(ANSWERS[0])),
        ),
        plainly(_unpacked),
    ),
)
