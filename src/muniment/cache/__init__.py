"""Caches: this process's memory, and Redis for several servers of one memory.

Belongs here: adapters of `ports/cache`. Does not belong here: what is kept in them.
"""
