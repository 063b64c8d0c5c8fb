"""What outlives a server: its host key and the records of finished games, in the data directory."""
