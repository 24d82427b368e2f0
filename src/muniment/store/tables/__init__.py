"""The schema, one module per table group; `metadata` holds them all.

Belongs here: tables, keys and indexes. Does not belong here: statements over them. Every primary key leads with
`tenant_id`, so that the schema shards by tenant; what is no tenant's (`store_setting`) is named so.
"""

from muniment.store.tables import chain, facts, keeping, shelves
from muniment.store.tables.base import metadata

__all__ = ["chain", "facts", "keeping", "metadata", "shelves"]
