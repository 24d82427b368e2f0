"""Models behind the ports: embedders and the token counter.

Belongs here: one module per model or provider, each importing its library when first used. Does not belong here: what
is embedded, when, and what the vectors are used for.
"""
