"""Retrievers of agent frameworks as knowledge sources, against the real packages."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from muniment.config import Settings, load_policy
from muniment.domain.errors import InvalidInput, MissingExtra
from muniment.domain.passages import Passage
from muniment.domain.scope import Reader
from muniment.integrations.langchain import langchain_source
from muniment.integrations.llamaindex import llamaindex_source
from muniment.retrieval.ask import Ask
from muniment.retrieval.channels.knowledge import KnowledgeChannel
from muniment.retrieval.sources import sources_from

TEXTS = ("Refunds are paid within 30 days.", "退款需要三十天。", "Parcels leave on Mondays.")


def asked(source: Any, question: str, *, k: int = 5) -> list[Passage]:
    """What the channel makes of a source."""
    ask = Ask(query=question, reader=Reader.of(tenant="acme", user="ana"), policy=load_policy(), k=k)
    recall = KnowledgeChannel(sources_from([source], Settings())).recall(ask)
    assert recall.degraded == []
    return [hit.item for hit in recall.hits if isinstance(hit.item, Passage)]


# -- LangChain --------------------------------------------------------------------------------------------------------


def langchain_store() -> Any:
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=64))
    about = [{"source": "terms.pdf", "page": 4, "title": "Terms", "version": 2}, {"source": "terms.md"}, {}]
    ids = [f"id-{place}" for place in range(3)]
    documents = zip(TEXTS, about, ids, strict=True)
    store.add_documents([Document(page_content=text, metadata=data, id=ref) for text, data, ref in documents])
    return store


def test_a_vector_store_of_langchain_is_a_source() -> None:
    source = langchain_source(langchain_store().as_retriever(search_kwargs={"k": 2}), name="terms")
    found = asked(source, TEXTS[0])
    assert len(found) == 2
    first = found[0]
    assert (first.source, first.content, first.ref) == ("terms", TEXTS[0], "id-0")
    assert (first.title, first.locator, first.version) == ("Terms", "terms.pdf#page=4", "2")
    assert first.metadata["page"] == 4
    assert asked(source, TEXTS[1])[0].locator == "terms.md"
    assert len(asked(source, TEXTS[1], k=1)) == 1


def test_a_retriever_of_ones_own_is_a_source() -> None:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    class Own(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return [Document(page_content=f"{query} {place}") for place in range(9)]

    assert [item.content for item in asked(langchain_source(Own()), "退款", k=2)] == ["退款 0", "退款 1"]


# -- LlamaIndex -------------------------------------------------------------------------------------------------------


def llamaindex_retriever() -> Any:
    from llama_index.core import MockEmbedding, VectorStoreIndex
    from llama_index.core.schema import TextNode

    places = ({"file_name": "terms.md", "title": "Terms", "version": "2"}, {}, {})
    nodes = [
        TextNode(id_=f"n{place}", text=text, metadata=about, start_char_idx=10, end_char_idx=42)
        for place, (text, about) in enumerate(zip(TEXTS, places, strict=True))
    ]
    return VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=8)).as_retriever(similarity_top_k=3)


def test_an_index_of_llamaindex_is_a_source() -> None:
    found = {item.ref: item for item in asked(llamaindex_source(llamaindex_retriever(), name="terms"), "refunds")}
    assert {item.content for item in found.values()} == set(TEXTS)
    assert found["n0"].locator == "terms.md#10-42"
    assert (found["n0"].source, found["n0"].title, found["n0"].version) == ("terms", "Terms", "2")
    assert found["n0"].score is not None
    assert found["n1"].locator is None


def test_no_more_than_wanted_are_taken_of_an_index() -> None:
    assert len(asked(llamaindex_source(llamaindex_retriever()), "refunds", k=2)) == 2


# -- what is neither --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [langchain_source, llamaindex_source])
@pytest.mark.parametrize("given", [None, "retriever", lambda question, k: []])
def test_what_is_no_retriever_is_refused(make: Any, given: Any) -> None:
    with pytest.raises(InvalidInput, match="as_retriever"):
        make(given)


@pytest.mark.parametrize(
    ("make", "package", "module"),
    [
        (langchain_source, "langchain", "langchain_core.retrievers"),
        (llamaindex_source, "llamaindex", "llama_index.core.base.base_retriever"),
    ],
)
def test_without_the_framework_it_says_what_to_install(
    make: Any, package: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"muniment\[{package}\]"):
        make(object())
