"""The screens of the house: lobby, table, replay, help, prompts."""
