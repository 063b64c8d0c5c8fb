"""Reviews of finished games. They are derived: a missing, outdated or damaged one is computed again.

A review goes with its game. Sums of each seat are columns, so that they can be added up without reading reviews.
"""

import hashlib
from collections.abc import Collection, Sequence

import apsw

from cartino_server.store.figures.sums import count_losses, encode_options
from cartino_server.store.port import StoredReview
from cartino_server.store.queries import decode_rows
from cartino_server.visitors import BOT_PERSON_PREFIX


def put_review(connection: apsw.Connection, number: int, review: StoredReview) -> None:
    """Store the review of a finished game instead of any before; nothing if the game was removed."""
    run = connection.execute
    if run("SELECT 1 FROM finished WHERE number = ?", (number,)).get is None:
        return
    digest = _hash_review(number, review.evaluation, review.body)
    options = encode_options(review.options)
    run(
        "INSERT OR REPLACE INTO reviews VALUES (?, ?, ?, ?, ?, ?)",
        (number, review.game, options, review.evaluation, review.body, digest),
    )
    run("DELETE FROM losses WHERE number = ?", (number,))
    for seat, loss in enumerate(review.losses):
        run(
            "INSERT INTO losses VALUES (?, ?, ?, ?, ?)",
            (number, seat, loss.lost, loss.turns, loss.luck),
        )
    count_losses(connection, number)


def read_review(connection: apsw.Connection, number: int, evaluation: str) -> bytes | None:
    """Return the body of a review by that evaluation; None if there is none or it is damaged."""
    # As bytes, since damaged text may not be valid.
    query = "SELECT CAST(body AS BLOB), CAST(hash AS BLOB) FROM reviews WHERE number = ? AND evaluation = ?"
    for body, digest in connection.execute(query, (number, evaluation)):
        if isinstance(body, bytes) and digest == _hash_review(number, evaluation, body):
            return body
    return None


def unreviewed_games(connection: apsw.Connection, evaluations: Collection[str], most: int) -> Sequence[int]:
    """Return those of the last `most` counted games that have no review by one of `evaluations`, newest first.

    Games without people are left out: bots play many, and nobody looks at them.
    """
    query = """
        SELECT recent.number, ifnull(evaluation, '')
        FROM (SELECT number, place FROM tally WHERE done ORDER BY place DESC LIMIT ?1) AS recent
        LEFT JOIN reviews ON reviews.number = recent.number
        WHERE EXISTS (
            SELECT 1 FROM seats WHERE number = recent.number AND person <> '' AND substr(person, 1, ?3) <> ?2
        )
        ORDER BY recent.place DESC
    """
    prefix = BOT_PERSON_PREFIX
    rows = decode_rows(connection.execute(query, (most, prefix, len(prefix))), tuple[int, str])
    return tuple(number for number, evaluation in rows if evaluation not in evaluations)


def _hash_review(number: int, evaluation: str, body: bytes) -> bytes:
    return hashlib.sha256(b"review\0%d\0" % number + evaluation.encode() + b"\0" + body).digest()
