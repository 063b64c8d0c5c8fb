"""What outlives a server: its host key and the journal of its games, in the data directory."""
