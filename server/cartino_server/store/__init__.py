"""Everything that outlives the server: the journal of games, the people database, the host key, and the data directory.

`port` is what tables and lobby see; everything else is created by the command line. `repair` has backup and repair. May
import `cartino_protocol`, `cartino_server.metrics` and `cartino_server.networks`; never tables, lobby or SSH.
"""
