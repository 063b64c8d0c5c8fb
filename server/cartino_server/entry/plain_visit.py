"""A visit to the house in lines, on a channel that came through the door."""

from cartino_games.registry import installed
from cartino_server.entry.host import Host
from cartino_server.entry.verbs import Follow
from cartino_server.ssh.ports import Terminal, Visitor
from cartino_tui.door import Door
from cartino_tui.driver.charset import ascii_only
from cartino_tui.intent import Intent
from cartino_tui.plain.conversation import Conversation
from cartino_tui.plain.face import PlainFace
from cartino_tui.plain.following import Follower
from cartino_tui.preferences import Preferences, language_of


def speak(terminal: Terminal, host: Host, visitor: Visitor, intent: Intent, *, asked: bool) -> PlainFace:
    """A visit of `visitor`, on the way to where `intent` says; `asked`: in lines because they asked for it."""
    door = Door(host.door)
    own = Door(f"{host.door} plain") if asked and host.door else door
    preferences = _preferences(terminal)
    return PlainFace(
        terminal,
        lambda: host.open_link(visitor),
        lambda send: Conversation(send, preferences, installed().speeches, intent, door, own),
        terminal.limits.key_rate,
        visitor.source,
    )


def follow(terminal: Terminal, host: Host, visitor: Visitor, verb: Follow) -> PlainFace:
    """What happens at a table, told to `visitor`."""
    preferences = _preferences(terminal)
    return PlainFace(
        terminal,
        lambda: host.open_link(visitor),
        lambda send: Follower(send, preferences, installed().speeches, verb.code, json=verb.json),
        source=visitor.source,
    )


def _preferences(terminal: Terminal) -> Preferences:
    facts = terminal.facts
    return Preferences(language_of(facts.env), ascii=ascii_only(facts.term, facts.env))
