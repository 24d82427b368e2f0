"""The read path, one file a step, in the data's order: route -> recall (channels/) -> fuse -> adjudicate -> build.

Belongs here: what is asked, found, set beside each other and rendered. Does not belong here: scoring (index/), SQL
(store/), who may read (the scope set does that in every statement).
"""
