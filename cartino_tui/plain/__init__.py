"""The plain mode: the whole house in lines of text, for screen readers and for terminals that can't move a cursor."""
