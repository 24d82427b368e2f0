"""The derived search index.

Belongs here: partitions as arrays, the fields the recipe scores, scoring, the calibrated floor. Does not belong here:
what is true, visible and current (the store re-checks every proposal), SQL, and the wording of answers.
"""
