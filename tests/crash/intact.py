"""What must hold of a store whatever ended its writers, asked of its tables and not of its code.

Belongs here: queries that find half of something. Does not belong here: how writers are ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, text

from muniment.store.dialects import open_database

# Each counts rows that lack what is written in the same transaction as themselves. The tenant is part of every key.
HALVES: Final[Mapping[str, str]] = {
    "event without evidence": """
        SELECT count(*) FROM event e WHERE NOT EXISTS (
            SELECT 1 FROM evidence x WHERE x.tenant_id = e.tenant_id AND x.event_id = e.event_id)""",
    "event without processing": """
        SELECT count(*) FROM event e WHERE NOT EXISTS (
            SELECT 1 FROM event_processing x WHERE x.tenant_id = e.tenant_id AND x.event_id = e.event_id)""",
    "processed event without receipt": """
        SELECT count(*) FROM event_processing WHERE state = 'DONE' AND receipt IS NULL""",
    "evidence without index entry": """
        SELECT count(*) FROM evidence e WHERE NOT EXISTS (
            SELECT 1 FROM index_item x WHERE x.tenant_id = e.tenant_id AND x.ref = e.evidence_id)""",
    "index entry of nothing": """
        SELECT count(*) FROM index_item i
        WHERE NOT EXISTS (SELECT 1 FROM evidence x WHERE x.tenant_id = i.tenant_id AND x.evidence_id = i.ref)
          AND NOT EXISTS (SELECT 1 FROM fact_revision x WHERE x.tenant_id = i.tenant_id AND x.fact_id = i.ref
                          AND x.revision = i.revision AND x.segment = i.segment)""",
    "identifier of nothing": """
        SELECT count(*) FROM identifier i WHERE NOT EXISTS (
            SELECT 1 FROM evidence x WHERE x.tenant_id = i.tenant_id AND x.evidence_id = i.ref)""",
    "candidate without decision": """
        SELECT count(*) FROM candidate c WHERE NOT EXISTS (
            SELECT 1 FROM decision x WHERE x.tenant_id = c.tenant_id AND x.candidate_id = c.candidate_id)""",
    "candidate without evidence": """
        SELECT count(*) FROM candidate c WHERE NOT EXISTS (
            SELECT 1 FROM candidate_evidence x WHERE x.tenant_id = c.tenant_id AND x.candidate_id = c.candidate_id)""",
    "decision for a fact that is not there": """
        SELECT count(*) FROM decision d WHERE d.fact_id IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM fact x WHERE x.tenant_id = d.tenant_id AND x.fact_id = d.fact_id)""",
    "fact without statement": """
        SELECT count(*) FROM fact f WHERE NOT EXISTS (
            SELECT 1 FROM fact_statement x WHERE x.tenant_id = f.tenant_id AND x.fact_id = f.fact_id)""",
    "fact without evidence": """
        SELECT count(*) FROM fact f WHERE NOT EXISTS (
            SELECT 1 FROM fact_evidence x WHERE x.tenant_id = f.tenant_id AND x.fact_id = f.fact_id)""",
    "fact whose head is no revision": """
        SELECT count(*) FROM fact f WHERE NOT EXISTS (
            SELECT 1 FROM fact_revision x WHERE x.tenant_id = f.tenant_id AND x.fact_id = f.fact_id
            AND x.revision = f.revision)""",
    "revision that holds without index entry": """
        SELECT count(*) FROM fact_revision r WHERE r.standing IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM index_item x WHERE x.tenant_id = r.tenant_id AND x.ref = r.fact_id
            AND x.revision = r.revision AND x.segment = r.segment)""",
    "fact believed in two revisions at once": """
        SELECT count(*) FROM (SELECT 1 AS one FROM fact_revision WHERE retracted_at IS NULL
                              GROUP BY tenant_id, fact_id HAVING count(DISTINCT revision) > 1) x""",
    "partition whose count is not that of its entries": """
        SELECT count(*) FROM partition_ p WHERE p.next_seq <> (
            SELECT count(*) FROM index_item x WHERE x.tenant_id = p.tenant_id AND x.partition_id = p.partition_id)""",
    "partition whose entries are numbered with gaps": """
        SELECT count(*) FROM (SELECT 1 AS one FROM index_item GROUP BY tenant_id, partition_id
                              HAVING max(seq) + 1 <> count(*) OR min(seq) <> 0) x""",
    "lane whose count is not that of its events": """
        SELECT count(*) FROM lane l WHERE l.next_seq <> (
            SELECT count(*) FROM event x WHERE x.tenant_id = l.tenant_id AND x.lane_key = l.lane_key)""",
    "entry written by a version its partition has not reached": """
        SELECT count(*) FROM index_item i JOIN partition_ p
        ON p.tenant_id = i.tenant_id AND p.partition_id = i.partition_id WHERE i.touched > p.version""",
    "key used twice": """
        SELECT count(*) FROM (SELECT 1 AS one FROM event WHERE idempotency_key IS NOT NULL
                              GROUP BY tenant_id, user_id, source, idempotency_key HAVING count(*) > 1) x""",
}


def halves(url: str) -> dict[str, int]:
    """What is half there: the name of each broken rule with how many rows break it. Empty for a store that is whole.

    On SQLite the file itself is checked too.
    """
    database = open_database(url, busy_seconds=30.0)
    try:
        with database.reading() as connection:
            quote = connection.dialect.identifier_preparer.quote_identifier
            found = {
                name: int(connection.scalar(text(query.replace("partition_ ", quote("partition") + " "))) or 0)
                for name, query in HALVES.items()
            }
            if connection.dialect.name == "sqlite":
                found |= _file(connection)
    finally:
        database.close()
    return {name: count for name, count in found.items() if count}


def _file(connection: Connection) -> dict[str, int]:
    """SQLite's own checks of the file and of its references."""
    said = list(connection.scalars(text("PRAGMA integrity_check")))
    return {
        "integrity_check: " + "; ".join(map(str, said)): int(said != ["ok"]),
        "foreign_key_check": len(connection.execute(text("PRAGMA foreign_key_check")).all()),
    }
