"""Summarisers: what was said in a session or task, in five fields.

Belongs here: one module a way of making them, and their word lists. Does not belong here: when they are made and kept (service/).
"""
