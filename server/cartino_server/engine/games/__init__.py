"""The games: one package each, pure, behind the `Game` port."""
