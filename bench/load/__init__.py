"""The load: visitors in processes of their own, whose CPU time isn't taken for the server's."""
