"""What is kept: the journal, its schema and its migrations."""
