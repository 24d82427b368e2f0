"""The channels, each its own file behind one small protocol.

Belongs here: what each channel can answer and how it looks. Does not belong here: which are asked (`route`), how their
answers are set beside each other (`fuse`, `adjudicate`).
"""
