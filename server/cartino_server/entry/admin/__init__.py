"""The host's hand from outside: what `cartino admin` and, for the hosts' keys, `ssh HOST admin` can do."""
