"""The SSH door: listener, access, limits and sessions."""
