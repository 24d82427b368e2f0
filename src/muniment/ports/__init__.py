"""What the core needs from outside, as Protocols, each with its contract in words.

Belongs here: protocols and the values only they speak. Does not belong here: any implementation.
"""
