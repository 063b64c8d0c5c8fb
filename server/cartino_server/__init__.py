"""The server: storage (`store`), metrics, and everything that runs on top of them.

Layers, lowest first: `metrics` and other helpers, `store`, tables, lobby, SSH and workers, the command line.
`server`, then the command line. A module may import from its own layer and from those below, never from one above;
pyproject.toml lists the contracts.
"""
