"""What a memory is: values, scopes, time and the fold.

Belongs here: frozen, slotted, keyword-only dataclasses, enumerations, the error tree and pure functions over them.
Does not belong here: I/O, the clock, SQL, pydantic, numpy, anything that reads the environment.
"""
