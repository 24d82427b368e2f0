"""Finds the cache a URL, a name or an object stands for.

Belongs here: that. Does not belong here: the caches.
"""

from __future__ import annotations

from muniment.cache.memory import MemoryCache
from muniment.config import Settings
from muniment.domain.errors import InvalidInput
from muniment.ports.cache import Cache

_REDIS = ("redis://", "rediss://", "unix://", "redis+cluster://")
_METHODS = ("read", "write", "append", "forget", "close")


def cache_from(spec: str | Cache | None, settings: Settings) -> Cache:
    """The cache `spec` names: `memory`, a URL of Redis (`redis://`, `rediss://`, `unix://`, `redis+cluster://`), or an object
    of the port, which passes through. None takes the setting. Nothing is asked yet.

    Raises `InvalidInput` for anything else, `MissingExtra` without the package redis.
    """
    chosen = settings.cache if spec is None else spec
    if not isinstance(chosen, str):
        if not all(callable(getattr(chosen, name, None)) for name in _METHODS):
            raise InvalidInput(f"{type(chosen).__name__} is not a cache: it needs {', '.join(_METHODS)}")
        return chosen
    if chosen == "memory":
        return MemoryCache()
    if chosen.startswith(_REDIS):
        from muniment.cache.redis_cache import RedisCache

        return RedisCache(chosen)
    head = chosen.partition("://")[0]
    raise InvalidInput(f"unknown cache {head!r}; known are memory, {', '.join(item + '…' for item in _REDIS)}")
