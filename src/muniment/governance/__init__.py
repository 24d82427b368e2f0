"""Governance: what may become a memory, decided by pure functions over the candidate, what is held, and the policy.

Belongs here: the rules and their combination, placement, sameness. Does not belong here: I/O, the clock, models.
"""
