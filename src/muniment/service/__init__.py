"""The facade: what users of the library hold.

Belongs here: `Muniment`, `Reader`, `AsyncMuniment` and the operation table the edges are generated from. Does not belong
here: any step of the paths; methods check their arguments and call one use case.
"""
