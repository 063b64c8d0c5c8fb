"""Administration: what `cartino admin` and, for admins' keys, `ssh HOST admin` can do.

Commands are parsed, audited, run and answered here. May import `commands`, `operations` and everything below them;
only `app` and `cli` import it.
"""
