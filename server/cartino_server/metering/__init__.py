"""What a process counts of itself while it is watched, and how several processes' numbers become one house's.

A meter is to numbers what a logger is to lines: a process has one (`figures.METER`), and whoever has something to tell
names the figure. While nobody watches (`Meter.on`) telling costs one look at a flag. Nothing in here knows what is
counted, but for the list in `figures`.
"""
