"""What else might carry such an app to people's terminals, measured like the server itself."""
