"""Commands, answers, moves and views in MessagePack, the frames around them, and what the native client unpacks."""

import zlib
from random import Random

import msgspec

from cartino_crazy_eights import PACKAGE, CrazyEights
from cartino_engine.chance import GivenOrder
from cartino_engine.port import game_info
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.kit.declared.package import generic_package
from cartino_protocol import accounts as a
from cartino_protocol import commands as c
from cartino_protocol import deals as d
from cartino_protocol import views as v
from cartino_protocol import wire
from cartino_protocol.notices import Announced, News, Notice
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import BadFrame, FrameReader, encode_raw, frame_bytes
from cartino_server.client.connection import BadServerData, FrameDecompressor
from cartino_server.lobby.people.preferences import MAX_SETTINGS_BYTES, merged
from cartino_tui.game_port.screen import MIN_LOOK, TableChrome
from cartino_tui.i18n import ENGLISH
from cartino_tui.preferences import Settings, decode_settings, decode_settings_json, encode_settings
from tests.fuzz.attacking import plain_decoder
from tests.support.cartino import GAME, random_game
from tests.support.cartino_table import CARTINO_SCREEN, table_of
from tests.support.declared import NAMES, LowestBid, of_eights, position
from tests.support.visit import line

MOVES = (wire.encode(Lay("KS", "KSu")), wire.encode(Lay("*", "10Dl")), wire.encode(EndTurn()))
CHOSEN = encode_settings(
    Settings(language="fr", own_keys={"lay": "x"}, bell=False), ("language", "own_keys", "bell")
)
LAY, END = encode_raw(Lay("KS", "KSu")), encode_raw(EndTurn())
COMMANDS: tuple[c.Command, ...] = (
    c.Hello(wire.VERSION, "cartino 1", "a1b2"),
    c.Create("cartino", {"edition": "1969"}, 3, ("greedy",), clock="30s"),
    *(c.Join("AAAA"), c.Sit(1), c.Act(3, LAY), c.Act(3, END), c.Say("good game, everybody")),
    c.SaveSelection(msgspec.Raw(msgspec.msgpack.encode({"picked": 1}))),
    *(c.Prefer(CHOSEN), c.History("player", "ann", 7), c.Replay("AAAA-1", 4), c.Profile("ann", 0, "bob")),
    *(c.Invite("bob"), c.Ignore("a1b2c3d4"), c.Ignore(name="bob", on=False), c.Report(1)),
    *(c.Lesson("cartino", 1, (LAY, END)), c.Rename("bob"), c.QuickPlay(), c.Watch("AAAA"), c.Leave()),
    *(c.Stand(), c.Start(), c.Cut("somewhere"), c.Rematch(), c.Pause(True), c.Lead(3), c.Back("quiet-otter")),
    *(c.Course("AAAA-1"), c.Review("AAAA-1"), c.TryTurn("AAAA-1", 3, (encode_raw(c.Back("x")),))),
    *(c.PlayOn("AAAA-1", 3), c.Summary(), c.Preview("AAAA"), c.Leaders("cartino")),
    *(
        d.PlayDaily("cartino"),
        d.Daily("cartino", 127),
        d.Duplicate("ABCDEFGH"),
        d.League("spring"),
        d.Today(),
    ),
    *(c.Decline("AAAA", for_good=True), a.Keys(), a.KeyCode(), a.AddKey("ABCDE-FGHJK")),
    *(a.DropKey("SHA256:abc"), a.Account(), a.DeleteAccount("nobody here")),
)
SAID = tuple(map(wire.encode, COMMANDS))
STATES = [state for state, _ in random_game(3, "1974", 3)]
SKILL = v.Skill("cartino", {"edition": "1974"}, 2, 40, 20.2, 2.8)
PAST = v.PastGame(
    *("AAAA-1", 1, "cartino", {}, ("ann", "bot:greedy"), (20, 7), (0,), "out", "2026-01-31T12:00:00Z")
)
LEADER = v.Leader(1, 7, "ann", 1100, 4, v.RatingRange(1200, 1900), (SKILL,))
_ATTEMPT = d.AttemptLine("ann", "played", 1, True, 214, 7.5, (d.TurnPoints(12, 1.5),), "ABCDEFGH-7")
DEAL = d.DealView(
    *("cartino", {}, ("careful",), "2026-02-04T00:00:00Z", True, "ab" * 32),
    number=127,
    own=_ATTEMPT,
    rows=(_ATTEMPT,),
    coming=(d.NextDeal("2026-02-04", "cd" * 32),),
)
ANSWERS = tuple(
    wire.encode(answer)
    for answer in (
        v.Welcome(
            *(wire.VERSION, "ann", False, (game_info(GAME, ("greedy",)),)), promise="ab" * 32, settings=CHOSEN
        ),
        v.LobbyView((line("AAAA", "ann bob", "playing", 1, (0,)), line("BBBB", "eve")), 3),
        table_of(STATES[5], 0),
        table_of(STATES[-1], None),
        v.ChatView((v.ChatLine(1, "ann", "hello", "table"),), "table", (Notice(2, News("restarts")),)),
        v.OnlineView(("ann", "bob")),
        v.SummaryView("Café", (v.TopPlayers("cartino", (LEADER,)),), (PAST,)),
        v.Missed((v.OwnGame(PAST, 0),), (v.BegunGame("K7QP", ("bob",)),), more=True),
        v.LeadersView("cartino", (LEADER,)),
        v.ProfileView(
            *("ann",), goals=(v.Goal("cartino", {}, 2, "greedy", 5, 3, 41, "turn", 38),), skill=(SKILL,)
        ),
        v.PreviewView("AAAA", table_of(STATES[5], None)),
        Refusal("illegal", "taken", "Act"),
        v.Bye("shutdown"),
        v.Left("moved", "AAAA"),
        a.Invited("bob", True),
        a.Ignored((a.IgnoredPerson("a1b2c3d4", "eve"),)),
        a.Reported(3, "eve"),
        Announced("muted", "too much talk", "2026-01-31 12:00"),
        a.KeysView((), "code", "ABCDE-FGHJK", 10),
        a.AccountView("ann", keys=("SHA256:abc",), games=3),
        DEAL,
        d.LeagueView(
            *("spring", "cartino", "2026-01-01", "2026-01-31", 31, 2, 1, (d.Standing(1, "ann", 1, 2.5, 2),))
        ),
        d.TodayView("cartino", 127, "played", 3, 214, 7.5),
    )
)
TABLES = tuple(bytes(table_of(state, 0).game_view) for state in (STATES[0], STATES[5], STATES[-1]))
WORDS = tuple(b"%c%s" % (0xA0 + len(tag), tag) for tag in (b"t", b"Act", b"Say", b"RoomView", b"code"))
_EIGHTS = of_eights(("7C 8H", "KS"), "9D 7D")
_DECLARED = position(CrazyEights(), _EIGHTS, 0)
DECLARED = (
    bytes(_DECLARED.game_view),
    wire.encode(CrazyEights().view(_EIGHTS, None)),
    wire.encode(LowestBid().view(LowestBid().start({}, NAMES[:2], GivenOrder()).state, 0)),
)
_SCREEN, _SPEECH = PACKAGE.screen, generic_package(CrazyEights()).speech
_BAD_GAME_DATA = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


def commands(data: bytes) -> bool:
    try:
        command = wire.decode_command(data)
    except wire.WireError:
        return False
    wire.decode_command(wire.encode(command))
    return True


def answers(data: bytes) -> bool:
    try:
        answer = wire.decode_shared(data)
    except wire.WireError:
        return False
    wire.decode_answer(wire.encode(answer))
    match answer:
        case Refusal() | Announced():
            str(answer.words())
        case v.ChatView(notices=notices):
            for notice in notices:
                str(notice.news.words())
    return True


def moves(data: bytes) -> bool:
    try:
        GAME.read_move(data)
    except _BAD_GAME_DATA:
        return False
    return True


def tables(data: bytes) -> bool:
    """The game's own view, which an answer carries unread; what can be read can be told."""
    try:
        view = CARTINO_SCREEN.read(msgspec.Raw(data))
    except _BAD_GAME_DATA:
        return False
    wire.encode(view)
    return True


def declared(data: bytes) -> bool:
    """A view of a game that isn't installed: read, drawn and told as `cartino connect` does with any server."""
    try:
        view = _SCREEN.read(msgspec.Raw(data))
    except msgspec.DecodeError:
        return False
    pointer = _SCREEN.update_pointer(_DECLARED, view, _SCREEN.fresh())
    for key in ("down", "enter", "1"):
        pointer = _SCREEN.key(_DECLARED, view, pointer, key, MIN_LOOK).pointer
    frame = _SCREEN.draw(_DECLARED, view, pointer, MIN_LOOK, TableChrome("Table"))
    assert all(sum(len(text) for text, _ in row) == MIN_LOOK.width for row in frame.rows)
    for tell in (_SPEECH.describe_table, _SPEECH.standing, _SPEECH.picture, _SPEECH.own):
        assert not any("\x1b" in each for each in tell(_DECLARED, view, ENGLISH))
    return True


def choices(data: bytes) -> bool:
    decode_settings(data)
    decode_settings_json(data)
    kept = merged(CHOSEN, data)
    if kept is None:
        return False
    assert len(kept) <= MAX_SETTINGS_BYTES
    decode_settings(kept)
    return True


def frames(data: bytes) -> bool:
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


def unpacking(data: bytes) -> bool:
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


_FRAMES = tuple(map(frame_bytes, SAID))
_FRAMED = tuple(map(frame_bytes, ANSWERS))
DECODERS = (
    plain_decoder(commands, SAID, *WORDS, form="msgpack"),
    plain_decoder(answers, ANSWERS, *WORDS, form="msgpack"),
    plain_decoder(moves, MOVES, *WORDS, form="msgpack"),
    plain_decoder(tables, TABLES, b"\xa5board", b"\xa4hand", b"\xa6recent", form="msgpack"),
    plain_decoder(declared, DECLARED, b"\xa4card", b"\xa6player", b"{who}", form="msgpack", slow_for=10),
    plain_decoder(choices, (CHOSEN,), b"\x80", b"\xc0", form="msgpack"),
    plain_decoder(frames, (b"".join(_FRAMES), *_FRAMES)),
    plain_decoder(unpacking, (_packed(b"".join(_FRAMED)), *_FRAMED, _packed(_FRAMED[0]))),
)
