"""LangChain's retrievers as knowledge sources.

    muniment.open(knowledge={"handbook": langchain_source(store.as_retriever())})

Belongs here: the translation of documents into passages. Does not belong here: how a source is asked
(retrieval/channels/knowledge).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muniment.domain.errors import InvalidInput, MissingExtra
from muniment.domain.passages import Passage

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

PLACES: Final = ("source", "url", "file_path")
"""Where LangChain's loaders put a document's place, in its metadata."""


class LangChainSource:
    """A knowledge source that asks a LangChain retriever. How many it finds is the retriever's own setting; those over what
    is wanted are left."""

    def __init__(self, retriever: BaseRetriever, name: str) -> None:
        self.retriever = retriever
        self.name = name

    def __call__(self, question: str, k: int) -> list[Passage]:
        """Up to `k` passages, in the retriever's order."""
        return [_passage(document) for document in self.retriever.invoke(question)[:k]]


def langchain_source(retriever: BaseRetriever, *, name: str = "langchain") -> LangChainSource:
    """The retriever as a `KnowledgeSource`. Raises `MissingExtra` without langchain-core, `InvalidInput` for anything else
    than a retriever."""
    try:
        from langchain_core.retrievers import BaseRetriever
    except ImportError as error:
        raise MissingExtra("LangChain is not installed: pip install 'muniment[langchain]'") from error
    if not isinstance(retriever, BaseRetriever):
        raise InvalidInput(f"{type(retriever).__name__} is not a LangChain retriever (try .as_retriever())")
    return LangChainSource(retriever, name)


def _passage(document: Document) -> Passage:
    about = document.metadata
    place = next((str(about[key]) for key in PLACES if about.get(key)), None)
    if place is not None and about.get("page") is not None:
        place = f"{place}#page={about['page']}"
    return Passage(
        content=document.page_content,
        ref=document.id or "",
        title=about.get("title"),
        locator=place,
        version=about.get("version"),
        score=about.get("relevance_score", about.get("score")),
        metadata=about,
    )
