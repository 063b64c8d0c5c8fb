"""Caro's rules; pure."""
