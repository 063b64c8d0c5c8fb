"""What a process counts while metrics are on: a registry like prometheus_client's, and every metric by name.

Each process has one registry; workers send their samples to the server process, which adds them up and exports them.
While metrics are off, counting costs one look at a flag. Imports nothing of the server, so everything may import it.
"""
