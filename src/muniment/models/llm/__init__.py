"""Language models: which one a name stands for, how it is asked, how its answer is read.

Belongs here: all that asking any model has in common. Does not belong here: what is asked (extractor, summariser).
"""
