"""The native client: a link to a house far away, through an SSH subsystem."""
