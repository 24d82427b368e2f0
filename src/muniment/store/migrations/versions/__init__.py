"""Alembic's migrations. Belongs here: one file per migration. Does not belong here: the schema as it is now (`store/tables`)."""
