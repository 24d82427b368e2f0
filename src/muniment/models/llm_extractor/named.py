"""Which extractor a name stands for: builtin, llm, both.

Belongs here: names. Does not belong here: the extractors.
"""

from __future__ import annotations

from muniment.config import Policy, Settings
from muniment.domain.errors import InvalidInput
from muniment.knobs import nearest
from muniment.models.extractor.builtin import BuiltinExtractor
from muniment.models.llm_extractor.extractor import BothExtractor, LLMExtractor
from muniment.ports.llm import LLM
from muniment.ports.models import Extractor

NAMES = ("builtin", "llm", "both")


def extractor_from(spec: str | Extractor | None, settings: Settings, policy: Policy, llm: LLM | None) -> Extractor:
    """The extractor `spec` names; an object passes through, None takes the settings' own. Raises `InvalidInput` for an unknown
    name, an object that cannot extract, and one that asks a model where no model is named."""
    chosen = settings.extractor if spec is None else spec
    if not isinstance(chosen, str):
        if not callable(getattr(chosen, "extract", None)):
            raise InvalidInput(f"{type(chosen).__name__} is not an extractor: it needs extract()")
        return chosen
    if chosen not in NAMES:
        raise InvalidInput(f"unknown extractor {chosen!r}{nearest(chosen, NAMES)}")
    builtin = BuiltinExtractor(policy)
    if chosen == "builtin":
        return builtin
    if llm is None:
        raise InvalidInput(f"extractor {chosen!r} asks a language model; name one with llm= or MUNIMENT_LLM")
    asking = LLMExtractor(llm, policy, builtin)
    return asking if chosen == "llm" else BothExtractor(builtin, asking)
