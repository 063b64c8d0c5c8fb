"""The screens of the app, one module or a module and its drawing each.

Only the app and `replay` import them. They import `widgets`, `pages` and everything below; screens never send bytes,
they post `SendCommand` to the app.
"""
