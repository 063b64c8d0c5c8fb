"""Other ways to bring such an app to terminals, measured like the server itself."""
