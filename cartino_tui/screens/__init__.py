"""The screens of the app: lobby, table, replay, lists, settings, help, prompts.

Each builds a frame and reads keys; `widgets` puts the frame on the terminal.
The app imports them; games and plain mode don't.
"""
