"""The source of truth: tables, migrations and the unit of work, in SQLAlchemy Core.

Belongs here: everything that speaks SQL. Does not belong here: decisions (governance) and scoring (index).
"""
