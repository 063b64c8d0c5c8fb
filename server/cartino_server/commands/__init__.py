"""The command language: parsers, the commands available over SSH, their text and JSON output, exit codes.

No command is chosen by who asks for it here. May import the games registry, the TUI's text rendering, `ssh` ports and
`lobby`; `operations`, `admin`, `app` and `cli` build on it.
"""
