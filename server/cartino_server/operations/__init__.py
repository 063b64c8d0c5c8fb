"""What an operator configures and watches: settings, logs, health, and who may log in.

May import `commands` (for its errors), `ssh`, `lobby`, `store` and below; `admin`, `app` and `cli` build on it.
"""
