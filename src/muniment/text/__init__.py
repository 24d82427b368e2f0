"""Pure functions on text: what can be read off the characters alone.

Belongs here: cleaning, exact identifiers, detection of personal data, secrets and authority claims, and the lexicons they
read. Does not belong here: policy (what becomes of a finding), storage, models.
"""
