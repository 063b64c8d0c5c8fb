"""All cores: worker processes speak SSH and draw; rooms, engine and journal stay in one process, the house.

The house listens, and hands each connection that it accepts to the worker with the fewest: so there is one place
that counts and limits who knocks, what a worker's death takes along is its own connections and nobody who still
waits, and it works where the system would not share a listening socket out evenly. Between the house and each
worker is a socket with the protocol's own frames, each behind the links that it is for: a view is encoded once an
audience and travels once a worker, however many look on.
"""
