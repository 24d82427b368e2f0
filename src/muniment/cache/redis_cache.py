"""Lists in Redis (or Valkey), for several servers of one memory. All keys of a tenant carry one hash tag, so that a cluster keeps
them on one node and a script may touch several.

    muniment:{TENANT}:USER:list:NAME    the items        TENANT, USER and NAME are digests: ids are not spelt out
    muniment:{TENANT}:USER:mark:NAME    the mark
    muniment:{TENANT}:USER              the names of the user's lists
    muniment:{TENANT}                   the users who have any

Belongs here: the adapter, and its rest after a fault. Does not belong here: what is kept in it.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Final, TypeVar

from muniment.domain.errors import InvalidInput, MissingExtra
from muniment.ports.cache import CacheFault, Listed, Place

log = logging.getLogger(__name__)
T = TypeVar("T")

TIMEOUT: Final = 0.25
"""Seconds an answer may take: the store answers in less, so that waiting longer is no gain."""
REST: Final = 2.0
"""Seconds that a server which failed is left alone: not every call shall wait for it."""
CLUSTER: Final = "redis+cluster://"

_WRITE: Final = """
redis.call('DEL', KEYS[1])
for place = 4, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[place]) end
redis.call('LTRIM', KEYS[1], -tonumber(ARGV[2]), -1)
redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[3])
"""
_APPEND: Final = """
local held = redis.call('GET', KEYS[2])
if not held then return 0 end
if held ~= ARGV[1] and held ~= ARGV[4] then redis.call('DEL', KEYS[1], KEYS[2]) return -1 end
for place = 5, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[place]) end
redis.call('LTRIM', KEYS[1], -tonumber(ARGV[2]), -1)
redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
"""
_READ: Final = "return {redis.call('GET', KEYS[2]), redis.call('LRANGE', KEYS[1], 0, -1)}"


class RedisCache:
    """Lists in Redis. Threads may share one. Every fault is a `CacheFault`, and the server then rests for a while."""

    name = "redis"

    def __init__(self, url: str, *, timeout: float = TIMEOUT, rest: float = REST) -> None:
        """Connects when first used. Raises `MissingExtra` without the package redis, `InvalidInput` for what is no URL."""
        if find_spec("redis") is None:
            raise MissingExtra("the cache redis needs the package redis: pip install 'muniment[redis]'")
        self._url = url
        self._rest = rest
        self._timeout = timeout
        self._lock = threading.Lock()
        self._client: Any = None
        self._until = 0.0
        if not url.startswith(CLUSTER):
            self._connected()

    def read(self, place: Place) -> Listed | None:
        """The list, or None where there is none."""

        def work(client: Any) -> Listed | None:
            mark, items = client.eval(_READ, 2, *_keys(place))
            return None if mark is None else Listed(mark=int(mark), items=tuple(items))

        return self._asked(work)

    def write(self, place: Place, listed: Listed, *, longest: int, seconds: int) -> None:
        """Sets the list."""
        given = (listed.mark, longest, seconds, *listed.items)

        def work(client: Any) -> None:
            client.eval(_WRITE, 2, *_keys(place), *given)
            # Names outlive their lists a little; a name without a list costs nothing.
            user, tenant = _user(place.tenant, place.user), _tenant(place.tenant)
            client.sadd(user, _digest(place.name))
            client.sadd(tenant, _digest(place.user))
            client.expire(user, 2 * seconds)
            client.expire(tenant, 2 * seconds)

        self._asked(work)

    def append(self, place: Place, listed: Listed, *, after: int, longest: int, seconds: int) -> None:
        """Adds to a list that is complete, drops one that is not."""
        given = (listed.mark, longest, seconds, after, *listed.items)
        self._asked(lambda client: client.eval(_APPEND, 2, *_keys(place), *given))

    def forget(self, tenant: str, user: str | None) -> None:
        """Drops every list of a user, or of a tenant."""

        def work(client: Any) -> None:
            base = _tenant(tenant)
            users = [_digest(user)] if user is not None else sorted(client.smembers(base))
            for each in users:
                names = sorted(client.smembers(f"{base}:{each}"))
                keys = [f"{base}:{each}:{kind}:{name}" for name in names for kind in ("list", "mark")]
                client.delete(f"{base}:{each}", *keys)
                client.srem(base, each)

        self._asked(work)

    def close(self) -> None:
        """Closes the connections; another call opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _asked(self, work: Callable[[Any], T]) -> T:
        import redis
        from redis.exceptions import RedisClusterException

        if time.monotonic() < self._until:
            raise CacheFault("redis rests after a fault")
        try:
            return work(self._connected())
        except (redis.RedisError, RedisClusterException, OSError, ValueError) as error:
            self._until = time.monotonic() + self._rest
            log.warning("redis failed, and is left alone for %g s: %s", self._rest, type(error).__name__)
            raise CacheFault(type(error).__name__) from error

    def _connected(self) -> Any:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        with self._lock:
            if self._client is None:
                patience = {
                    "socket_timeout": self._timeout,
                    "socket_connect_timeout": self._timeout,
                    "decode_responses": True,
                }
                once = Retry(NoBackoff(), 0)
                try:
                    if self._url.startswith(CLUSTER):
                        from redis.cluster import RedisCluster

                        plain = "redis://" + self._url.removeprefix(CLUSTER)
                        self._client = RedisCluster.from_url(plain, **patience)
                    else:
                        self._client = redis.Redis.from_url(self._url, retry=once, **patience)
                except ValueError as error:
                    raise InvalidInput(f"the cache's URL does not read: {error}") from None
            return self._client


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _tenant(tenant: str) -> str:
    return f"muniment:{{{_digest(tenant)}}}"


def _user(tenant: str, user: str) -> str:
    return f"{_tenant(tenant)}:{_digest(user)}"


def _keys(place: Place) -> tuple[str, str]:
    base, name = _user(place.tenant, place.user), _digest(place.name)
    return f"{base}:list:{name}", f"{base}:mark:{name}"
