"""The client's state, without a screen: what it knows, where it is going, what it waits for.

The screens, plain mode and the app import it. It imports the protocol, translations and preferences; no Textual.
`connection` still starts timers of its own; the other modules do no input or output.
"""
