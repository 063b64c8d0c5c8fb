"""Caro: rules, view, moves, record lines and bots."""
