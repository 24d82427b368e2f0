"""LlamaIndex's retrievers as knowledge sources.

    muniment.open(knowledge={"handbook": llamaindex_source(index.as_retriever(similarity_top_k=5))})

Belongs here: the translation of nodes into passages. Does not belong here: how a source is asked
(retrieval/channels/knowledge).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muniment.domain.errors import InvalidInput, MissingExtra
from muniment.domain.passages import Passage

if TYPE_CHECKING:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import NodeWithScore

PLACES: Final = ("file_path", "url", "file_name", "source")
"""Where LlamaIndex's readers put a document's place, in its metadata."""


class LlamaIndexSource:
    """A knowledge source that asks a LlamaIndex retriever. How many it finds is the retriever's own setting; those over what
    is wanted are left."""

    def __init__(self, retriever: BaseRetriever, name: str) -> None:
        self.retriever = retriever
        self.name = name

    def __call__(self, question: str, k: int) -> list[Passage]:
        """Up to `k` passages, in the retriever's order."""
        return [_passage(found) for found in self.retriever.retrieve(question)[:k]]


def llamaindex_source(retriever: BaseRetriever, *, name: str = "llamaindex") -> LlamaIndexSource:
    """The retriever as a `KnowledgeSource`. Raises `MissingExtra` without llama-index-core, `InvalidInput` for anything else
    than a retriever."""
    try:
        from llama_index.core.base.base_retriever import BaseRetriever
    except ImportError as error:
        raise MissingExtra("LlamaIndex is not installed: pip install 'muniment[llamaindex]'") from error
    if not isinstance(retriever, BaseRetriever):
        raise InvalidInput(f"{type(retriever).__name__} is not a LlamaIndex retriever (try .as_retriever())")
    return LlamaIndexSource(retriever, name)


def _passage(found: NodeWithScore) -> Passage:
    node = found.node
    about = node.metadata
    place = next((str(about[key]) for key in PLACES if about.get(key)), node.ref_doc_id)
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    if place is not None and start is not None and end is not None:
        place = f"{place}#{start}-{end}"
    return Passage(
        content=node.get_content(),
        ref=node.node_id,
        title=about.get("title"),
        locator=place,
        version=about.get("version"),
        score=found.score,
        metadata=about,
    )
