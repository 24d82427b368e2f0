"""Alembic's migrations. Belongs here: `versions/`. Does not belong here: the schema as it is now (`store/tables`)."""
