"""The parts that every screen is made of: the base screen, prompt, menu, help, layout, and the table form.

Screens and the app import them. They import `draw`, `driver`, `game_port` and the client's state, and no screen.
"""
