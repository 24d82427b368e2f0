"""Other people's frameworks, one file each; a file imports its framework when it is used, never when Muniment is imported.

Belongs here: adapters between a framework's interface and ours. Does not belong here: anything either side decides.
"""
