"""The built-in extractor: candidates from what people say, without a model and without a network.

Belongs here: the reading of English and Chinese statements by wording, and the wording itself (`lexicons/*.toml`). Does not
belong here: whether a candidate is kept (governance), and extractors that call a model.
"""

from muniment.models.extractor.builtin import BuiltinExtractor

__all__ = ["BuiltinExtractor"]
