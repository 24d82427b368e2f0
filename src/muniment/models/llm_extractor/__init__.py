"""The extractor that asks a language model, and believes it only as far as its answer can be checked.

Belongs here: the shape of the answer, the parts of a turn, the checks, and the two extractors put together. Does not belong here:
how any model is asked (`models.llm`), what is read by wording alone (`models.extractor`).
"""
