"""Widgets: the sheet that shows frames, and little else."""
