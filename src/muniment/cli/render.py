"""Results for people who look rather than read.

Belongs here: tables, trees and the timeline bar. Does not belong here: JSON (`json_out`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table
from rich.tree import Tree

from muniment.domain.answers import Explanation, Hit, Hits, Page, Snapshot, Suggestions
from muniment.domain.contexts import Context
from muniment.domain.enums import Ruling, Standing
from muniment.domain.passages import Passage
from muniment.domain.reasons import Reasons
from muniment.domain.records import Fact, Receipt
from muniment.domain.summaries import FIELDS, Ended, Summary

COLOURS = {Ruling.ACCEPT: "green", Ruling.CONFIRM: "yellow", Ruling.DROP: "yellow", Ruling.REJECT: "red"}
_KIND: Mapping[type, str] = {Summary: "summary", Passage: "source"}
LEFT_SHOWN = 5
"""Things left out for one reason that are listed; the rest are counted."""
BAR_LEAST, BAR_MOST = 12, 32
"""Characters of a timeline bar: a fifth of the line, between these."""


def render(result: Any, *, console: Console | None = None) -> None:
    """Prints a result in the form that fits it."""
    console = console or Console()
    for kind, show in _FORMS:
        if isinstance(result, kind):
            show(console, result)
            return
    if isinstance(result, list) and result and isinstance(result[0], Fact):
        history(console, result)
    elif isinstance(result, list) and result and isinstance(result[0], Hit):
        hits(console, result)
    elif result is None or result == []:
        console.print("[dim]nothing[/]")
    else:
        verbatim(console, str(result))


def verbatim(console: Console, text: str) -> None:
    """Text that an agent will be given, as it is: a wrapped line would let remembered words begin one, as a heading does."""
    console.file.write(f"{text}\n")


def one_line(text: str) -> str:
    """Remembered words for a line of markup: whatever stands in them, they begin no line of their own."""
    return escape(" ".join(text.split()))


def day(at: datetime | None, otherwise: str) -> str:
    """An instant as people read it, or a word where there is none."""
    return otherwise if at is None else at.strftime("%Y-%m-%d %H:%M")


def period(fact: Fact) -> str:
    """When a fact holds."""
    if fact.standing is Standing.UNPLACED:
        return "time not known"
    since = day(fact.valid_from, "ever") + ("" if fact.valid_from_known else "?")
    return f"{since} → {day(fact.valid_until, 'now on')}"


def receipt(console: Console, item: Receipt) -> None:
    """A receipt: its lines, then the ids."""
    for text in item.lines:
        head = text.split(":", 1)[0]
        colour = {"committed": "green", "reinforced": "green", "rejected": "red"}.get(head, "yellow")
        console.print(f"[{colour}]●[/] {one_line(text)}", soft_wrap=True)
    replayed = "  [yellow](answered before under this key)[/]" if item.replayed else ""
    console.print(f"[dim]event {item.event}[/]{replayed}")
    if item.degraded:
        console.print(f"[yellow]degraded: {', '.join(item.degraded)}[/]")


def hits(console: Console, items: Sequence[Hit]) -> None:
    """Hits as a table; what failed or was left out below it."""
    table = Table("", "channel", Column("what", overflow="fold"), "why", expand=True)
    for place, hit in enumerate(items, 1):
        kind = hit.item.memory_type.value if isinstance(hit.item, Fact) else _KIND.get(type(hit.item), "said")
        flags = f"  [yellow]{escape(', '.join(hit.why.flags))}[/]" if hit.why.flags else ""
        relevance = f" · p={hit.parts['relevance']:.2f}" if "relevance" in hit.parts else ""
        table.add_row(
            str(place),
            f"{hit.why.channel}\n[dim]{kind}[/]",
            f"{escape(hit.text[:400])}\n[dim]{hit.id}[/]",
            f"{escape(hit.why.reason)}{relevance}{flags}",
        )
    console.print(table if items else "[dim]nothing found[/]")
    if isinstance(items, Hits):
        if items.route.stopped:
            console.print(f"[dim]{items.route.stopped} answered alone: {items.route.reasons[items.route.stopped]}[/]")
        if items.degraded:
            console.print(f"[yellow]degraded: {', '.join(items.degraded)}[/]")


def context(console: Console, item: Context) -> None:
    """The context as an agent gets it, then its size and what was left out."""
    verbatim(console, item.text)
    console.print(f"[dim]{item.tokens} of {item.budget} tokens · route {', '.join(item.route.channels)}[/]")
    if item.degraded:
        console.print(f"[yellow]degraded: {', '.join(item.degraded)}[/]")
    reasons: dict[str, int] = {}
    for left in item.dropped:
        reasons[left.reason] = reasons.get(left.reason, 0) + 1
    for reason, count in reasons.items():
        console.print(f"[dim]left out: {count} {escape(reason)}[/]")


def reasons(console: Console, item: Reasons) -> None:
    """Why a read came out as it did: the route, each hit with its score and what is uncertain, what was left out and why."""
    tree = Tree(f"[bold]route[/] {item.case}")
    for name, why in item.route.items():
        alone = " [green](answered alone)[/]" if name == item.stopped else ""
        tree.add(f"{name}: {escape(why)}{alone}")
    for name, why in item.spared.items():
        tree.add(f"[dim]{name} was not asked: {escape(why)}[/]")
    for name in item.degraded:
        tree.add(f"[yellow]{name} failed; the answer was made without it[/]")
    console.print(tree)
    shown = Tree("[bold]hits[/]")
    for hit in item.hits:
        head, *rest = str(hit).split("\n")
        branch = shown.add(f"[bold]{one_line(head)}[/]")
        for line in rest:
            said = escape(line.strip())
            branch.add(f"[yellow]{said}[/]" if line.startswith("  but: ") else said)
    if item.hits:
        console.print(shown)
    for said in item.conflicts:
        console.print(f"[yellow]conflict[/] {one_line(said)}", soft_wrap=True)
    for reason, left in item.left_out.items():
        branch = Tree(f"[dim]left out, {escape(reason)}: {len(left)}[/]")
        for ref, words in left[:LEFT_SHOWN]:
            branch.add(f"[dim]{escape(' '.join(words.split()) or 'without words')}{f' {ref}' if ref else ''}[/]")
        if len(left) > LEFT_SHOWN:
            branch.add(f"[dim]and {len(left) - LEFT_SHOWN} more; --json has all[/]")
        console.print(branch)
    size = "" if item.budget is None else f"{item.tokens} of {item.budget} tokens · "
    token = None if item.known_at is None else getattr(item.known_at, "text", None) or item.known_at.isoformat()
    made = "".join(f" · {name} {value}" for name, value in item.made_with.items())
    console.print(f"[dim]{size}known_at {escape(str(token))}{escape(made)}[/]")


def facts(console: Console, page: Page[Fact] | Iterable[Fact]) -> None:
    """Facts as a table."""
    table = Table("type", Column("fact", overflow="fold"), "holds", "scope", "", expand=True)
    rows = list(page)
    for fact in rows:
        standing = "" if fact.standing is Standing.HELD else f"[yellow]{fact.standing}[/]"
        slot = f"[dim]{escape(fact.predicate)} = {escape(fact.value or '')}[/]\n" if fact.predicate else ""
        words = f"{escape(fact.content)}\n{slot}[dim]{fact.fact_id} r{fact.revision}[/]"
        table.add_row(
            fact.memory_type.value, words, period(fact), fact.scope.value, f"{fact.confidence:.2f} {standing}"
        )
    console.print(table if rows else "[dim]no facts[/]")
    if isinstance(page, Page) and page.next:
        console.print(f"[dim]more: --cursor {page.next}[/]")


def history(console: Console, rows: Sequence[Fact]) -> None:
    """Revisions as a table, each with a bar of its valid period on one scale."""
    instants = [at for row in rows for at in (row.valid_from, row.valid_until) if at is not None]
    instants += [row.recorded_at for row in rows]
    least, most = min(instants), max(instants)
    width = min(BAR_MOST, max(BAR_LEAST, console.width // 5))
    what, valid_time = Column("fact", overflow="fold"), Column("valid time", min_width=width)
    table = Table("rev", "change", what, valid_time, "believed", expand=True)
    for row in rows:
        until = day(row.retracted_at, "still")
        believed = f"{day(row.recorded_at, '')}\n[dim]until {until}[/]"
        mark = "" if row.retracted_at is None else "dim"
        reason = f"\n[italic]{escape(row.reason)}[/]" if row.reason else ""
        valid = f"[cyan]{_bar(row, least, most, width)}[/]\n{period(row)}"
        words = f"{escape(row.content)}{reason}\n[dim]{str(row.fact_id)[-12:]}[/]"
        table.add_row(f"{row.revision}.{row.segment}", row.change.value, words, valid, believed, style=mark)
    console.print(table)


def _bar(row: Fact, least: datetime, most: datetime, width: int) -> str:
    """The valid period of a row on a scale of `width` characters; an arrow where it has no end."""
    span = (most - least).total_seconds() or 1.0

    def place(at: datetime) -> int:
        return min(width - 1, max(0, round((at - least).total_seconds() / span * (width - 1))))

    if row.standing is None:
        return "·" * width
    start = 0 if row.valid_from is None else place(row.valid_from)
    if row.valid_until is None:
        return "·" * start + "█" * (width - 1 - start) + "▶"
    filled = max(1, place(row.valid_until) - start)
    return "·" * start + "█" * filled + "·" * (width - start - filled)


def _told_time(told: Mapping[str, Any]) -> str:
    """The words a candidate's valid time rests on, what they were taken to mean, and whether people differ on it."""
    start, end = (told.get(name) or "…" for name in ("start", "end"))
    doubt = ", ambiguous" if told.get("ambiguous") else ""
    said = f"time “{told['phrase']}” said at {told.get('reference')}: {start} to {end}{doubt}"
    return escape(said)


def explanation(console: Console, item: Explanation) -> None:
    """The chain as a tree, from the fact down to the events it rests on."""
    fact = item.fact
    tree = Tree(f"[bold]fact[/] {fact.memory_type} · {fact.scope} · {period(fact)}")
    tree.add(f"[bold]{escape(fact.content)}[/]")
    for row in item.revisions:
        ended = "" if row.retracted_at is None else f" [dim](until {day(row.retracted_at, '')})[/]"
        tree.add(
            f"revision {row.revision}.{row.segment} {row.change} by {escape(row.actor)} {day(row.recorded_at, '')}{ended}"
        )
    by_candidate = {decision.candidate_id: decision for decision in item.decisions}
    for candidate in item.candidates:
        quote = f" “{escape(candidate.quote)}”" if candidate.quote else ""
        head = f"candidate {candidate.candidate_id} {candidate.extractor_model}"
        branch = tree.add(f"{head} {candidate.confidence:.2f}{quote}")
        told = candidate.metadata.get("valid_time")
        for time in told if isinstance(told, Sequence) else ():
            if isinstance(time, Mapping) and "phrase" in time:  # a caller's metadata may hold anything
                branch.add(_told_time(time))
        decision = by_candidate.get(candidate.candidate_id) if candidate.candidate_id else None
        for verdict in decision.verdicts if decision else ():
            branch.add(f"[{COLOURS[verdict.ruling]}]{verdict.ruling:7}[/] {verdict.rule}: {escape(verdict.reason)}")
    events = {event.event_id: event for event in item.events}
    for piece in item.evidence:
        branch = tree.add(f"evidence {piece.evidence_id} {piece.evidence_type}: {escape(piece.content[:200])}")
        event = events.get(piece.event_id)
        if event is not None:
            when = event.occurred.local().isoformat(timespec="minutes")
            branch.add(
                f"event {event.event_id} {event.event_type} by {event.actor_type} {escape(event.actor_id)} at {when}"
            )
    for found in item.conflicts:
        tree.add(f"[yellow]conflict {found['kind']}: {' / '.join(str(ref) for ref in found['facts'])}[/]")
    console.print(tree)


def summary(console: Console, item: Summary) -> None:
    """The five fields, each with its lines, and what it covers."""
    for name in FIELDS:
        for place, line in enumerate(getattr(item, name)):
            head = name.replace("_", " ") if place == 0 else ""
            console.print(f"[bold]{head:<10}[/] {one_line(line.text)}", highlight=False, soft_wrap=True)
    stale = f" · [yellow]{item.stale} line(s) left out: what they rest on does not hold[/]" if item.stale else ""
    covers = f"{day(item.covers_from, '?')} → {day(item.covers_until, '?')}"
    console.print(f"[dim]derived by {escape(item.derived_by)} · version {item.version} · covers {covers}[/]{stale}")


def ended(console: Console, item: Ended) -> None:
    """What ending a session led to, in a line each, and its summary."""
    for text in item.lines:
        console.print(f"[green]●[/] {one_line(text)}", soft_wrap=True)
    if item.summary is not None:
        summary(console, item.summary)
    if item.degraded:
        console.print(f"[yellow]degraded: {', '.join(item.degraded)}[/]")


def suggestions(console: Console, item: Suggestions) -> None:
    """Turns to look through."""
    if not item.items:
        console.print("[dim]nothing to suggest[/]")
    for each in item:
        head = f"[bold]{each.worth:.2f}[/] [dim]{each.said_at.date()} {each.evidence_id}[/]"
        console.print(f"{head} {one_line(each.text)}", highlight=False, soft_wrap=True)


def snapshot(console: Console, item: Snapshot) -> None:
    """Rules, facts, status."""
    for rule in item.rules:
        console.print(f"[bold]rule[/] {one_line(rule.content)}", soft_wrap=True)
    facts(console, item.facts)
    for key, value in item.status.items():
        console.print(f"[bold]status[/] {one_line(key)} = {one_line(value)}", soft_wrap=True)


def tables(data: Mapping[str, Any], *, console: Console | None = None) -> None:
    """Plain data: lists of mappings as tables, all else as lines."""
    console = console or Console()
    for name, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            table = Table(*(Column(head, overflow="fold") for head in value[0]), title=name, expand=True)
            for row in value:
                table.add_row(*(escape(_cell(item)) for item in row.values()))
            console.print(table)
        else:
            console.print(f"{name}: {escape(_cell(value))}")


def _cell(value: Any) -> str:
    """A plain value as people read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


_FORMS: tuple[tuple[type, Callable[[Console, Any], None]], ...] = (
    (Receipt, receipt),
    (Hits, hits),
    (Context, context),
    (Suggestions, suggestions),
    (Page, facts),
    (Explanation, explanation),
    (Reasons, reasons),
    (Snapshot, snapshot),
    (Summary, summary),
    (Ended, ended),
    (Fact, lambda console, fact: facts(console, [fact])),
)
