"""The command line, the only place that knows both the rooms and the app."""
