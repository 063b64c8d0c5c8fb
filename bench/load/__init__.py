"""Load: many visitors in processes of their own, so that what they cost is not taken for what the server costs."""
