"""The sentences that people read: found in the code, kept in catalogues, checked in every language."""
