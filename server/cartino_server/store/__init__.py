"""What outlives a server: today its host key, in the data directory."""
