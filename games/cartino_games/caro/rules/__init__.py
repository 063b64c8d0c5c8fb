"""Caro's rules: pure, without clock, chance, screen or bots. Only this game's modules import them."""
