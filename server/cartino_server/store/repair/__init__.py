"""Work on a data directory from outside its server: backup, restore, doctor and salvage.

May import all of `store` but `journal` and `maintenance`. Used by the command line, and `salvage` by `journal` at a
start.
"""
