"""Games that say in data what lies on the table: a base for their rules, and a screen and speech for all of them."""
