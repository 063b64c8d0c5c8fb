"""Terminals: probing, input scheduling, Textual drivers and the painter.

Only `input_queue`, `drivers`, `textual_internals`, `session_app` and `textual_handler` import Textual. `environment`
imports nothing, since a server calls it before Textual and Rich are imported. Games don't import this package.
"""
