"""The keys that every list has: by how many lines each of them moves the cursor, or scrolls."""


def step(action: str | None, page: int, last: int) -> int | None:
    """By how many lines `action` moves in a list of which `page` are seen and `last` is the number of all.

    More than there are is said for both ends: whoever moves stays in the list. None where `action` moves nothing.
    """
    match action:
        case "up":
            return -1
        case "down":
            return 1
        case "page-up":
            return -page
        case "page-down":
            return page
        case "first":
            return -last
        case "last":
            return last
        case _:
            return None
