"""For people who write adapters: throw-away database servers to run contract suites against.

Belongs here: what a test outside this repository may import. Does not belong here: tests.
"""
