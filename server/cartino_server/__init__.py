"""The server: rules and bots (`engine`), storage (`store`), metrics, and everything that runs on top of them.

Layers, lowest first: `engine` and `metrics`, then `store`, then tables, lobby, SSH and workers, then `services` and
`server`, then the command line. A module may import from its own layer and from those below, never from one above;
pyproject.toml lists the contracts.
"""
