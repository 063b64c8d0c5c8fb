"""A person's account as `ssh host account` prints it."""

import msgspec

from cartino_protocol.account import AccountView
from cartino_tui.account import account_lines
from cartino_tui.tongue import Tongue


def as_json(view: AccountView) -> str:
    """An object with the fields of `AccountView`; ratings are an object, by game; `deleted` instead of `done`."""
    told = msgspec.structs.asdict(view)
    told["ratings"] = {line.game: line.rating for line in view.ratings}
    told["deleted"] = told.pop("done") == "deleted"
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"


def as_text(view: AccountView, tongue: Tongue) -> str:
    """A line for each kind of what is kept."""
    return "".join(f"{line}\n" for line in account_lines(view, tongue))
