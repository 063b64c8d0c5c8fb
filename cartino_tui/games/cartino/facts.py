"""What stands out in a game, in words."""

from cartino_protocol.marking import N_
from cartino_tui.tongue import Tongue

_FACTS = {"turn": N_("best turn"), "lay": N_("best stone")}
"""By the engine's word for each."""


def fact_said(fact: str, tongue: Tongue) -> str:
    """What `fact` of the engine's is called for people; itself where it has no name."""
    return tongue.say(_FACTS.get(fact, fact))
