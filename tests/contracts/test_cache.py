"""Every cache keeps what the port promises: this process's, and Redis's against a real server."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator

import pytest

from muniment.cache.memory import MemoryCache
from muniment.cache.named import cache_from
from muniment.cache.redis_cache import RedisCache, _keys
from muniment.config import Settings
from muniment.domain.errors import InvalidInput
from muniment.ports.cache import Cache, CacheFault, Listed, Place
from muniment.testing.services import Server, start_valkey


@pytest.fixture(scope="module")
def cluster_url(valkey: Server) -> Iterator[str]:
    """A cluster of one node (`valkey`: skips where there is no server). It has all slots a moment after it has started."""
    server = start_valkey(cluster=True)
    url = "redis+cluster://" + server.url("0").removeprefix("redis://").removesuffix("/0")
    cache = RedisCache(url, timeout=5.0, rest=0.0)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            cache.read(Place(tenant="t", user="u", name="n"))
            break
        except CacheFault:
            cache.close()
            time.sleep(0.1)
    cache.close()
    yield url
    server.stop()


@pytest.fixture(params=["memory", "redis", "cluster"])
def cache(request: pytest.FixtureRequest) -> Iterator[Cache]:
    if request.param == "memory":
        found: Cache = MemoryCache()
    else:
        found = RedisCache(request.getfixturevalue(f"{request.param}_url"), timeout=5.0)
    yield found
    found.close()


@pytest.fixture
def place() -> Place:
    """A list of a tenant that no other test has. Names may hold anything."""
    return Place(tenant=f"a{{c}}me-{secrets.token_hex(8)}", user="张三 {x}:*", name="window:s:1}")


def put(cache: Cache, place: Place, mark: int, *items: str, longest: int = 5, seconds: int = 60) -> None:
    cache.write(place, Listed(mark=mark, items=items), longest=longest, seconds=seconds)


def add(cache: Cache, place: Place, mark: int, *items: str, after: int, longest: int = 5, seconds: int = 60) -> None:
    cache.append(place, Listed(mark=mark, items=items), after=after, longest=longest, seconds=seconds)


MARK = 1_790_000_000_000_000


def test_a_list_is_read_as_it_was_written(cache: Cache, place: Place) -> None:
    assert cache.read(place) is None
    put(cache, place, MARK, "b", "a")
    assert cache.read(place) == Listed(mark=MARK, items=("b", "a"))
    put(cache, place, MARK + 1)
    assert cache.read(place) == Listed(mark=MARK + 1, items=())


def test_it_keeps_the_last_ones(cache: Cache, place: Place) -> None:
    put(cache, place, 1, *"abcdefg", longest=3)
    assert cache.read(place) == Listed(mark=1, items=("e", "f", "g"))
    add(cache, place, 2, "h", after=1, longest=3)
    assert cache.read(place) == Listed(mark=2, items=("f", "g", "h"))


def test_one_adds_to_a_complete_list_only(cache: Cache, place: Place) -> None:
    add(cache, place, 5, "x", after=4)
    assert cache.read(place) is None  # what was never read from the store is not begun in its middle
    put(cache, place, MARK, "a")
    add(cache, place, MARK + 7, "b", after=MARK)
    add(cache, place, MARK + 7, "c", after=MARK)  # of the same write
    assert cache.read(place) == Listed(mark=MARK + 7, items=("a", "b", "c"))
    add(cache, place, MARK + 9, "e", after=MARK + 8)  # something between was missed
    assert cache.read(place) is None


def test_lists_lapse_after_their_last_turn(cache: Cache, place: Place) -> None:
    put(cache, place, 1, "a", seconds=1)
    time.sleep(0.5)
    add(cache, place, 2, "b", after=1, seconds=1)
    time.sleep(0.7)
    assert cache.read(place) is not None
    time.sleep(0.5)
    assert cache.read(place) is None


def test_users_and_tenants_are_apart_and_forgotten_whole(cache: Cache, place: Place) -> None:
    def other(**given: str) -> Place:
        return Place(**{"tenant": place.tenant, "user": place.user, "name": place.name, **given})

    places = [
        place,
        other(name="2"),
        other(user="bo"),
        other(tenant=place.tenant + "-corp"),
        other(tenant=place.tenant.upper()),
    ]
    for number, each in enumerate(places):
        put(cache, each, number, str(number))
    assert [found.items for each in places if (found := cache.read(each))] == [(str(number),) for number in range(5)]
    cache.forget(place.tenant, place.user)
    assert [cache.read(each) is None for each in places] == [True, True, False, False, False]
    cache.forget(place.tenant, None)
    assert [cache.read(each) is None for each in places] == [True, True, True, False, False]
    for each in places[3:]:
        cache.forget(each.tenant, None)


def test_threads_lose_nothing(cache: Cache, place: Place) -> None:
    put(cache, place, 0, longest=500)
    lock, marks = threading.Lock(), iter(range(1, 500))

    def work(name: str) -> None:
        for number in range(25):
            with lock:  # as the partition's lock orders writers
                mark = next(marks)
                add(cache, place, mark, f"{name}{number}", after=mark - 1, longest=500)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = cache.read(place)
    assert found is not None
    assert len(found.items) == len(set(found.items)) == 100


def test_it_opens_again_after_it_was_closed(cache: Cache, place: Place) -> None:
    cache.close()
    put(cache, place, 1, "a")
    assert cache.read(place) is not None


def test_a_process_keeps_the_lists_used_last() -> None:
    cache = MemoryCache(lists=2)
    places = [Place(tenant="t", user="u", name=name) for name in "abc"]
    for each in places[:2]:
        put(cache, each, 1)
    cache.read(places[0])
    put(cache, places[2], 1)
    assert [cache.read(each) is None for each in places] == [False, True, False]


# -- Redis ------------------------------------------------------------------------------------------------------------


def test_keys_name_nobody_and_lie_on_one_node_per_tenant(redis_url: str, place: Place) -> None:
    import redis

    cache = RedisCache(redis_url, timeout=5.0)
    put(cache, place, 1, "a")
    client = redis.Redis.from_url(redis_url, decode_responses=True)
    tag = next(iter(client.scan_iter("muniment:*"))).split("}")[0]
    assert tag
    keys = [key for key in client.scan_iter("muniment:*") if client.ttl(key) > 0]
    assert not any(word in key for key in keys for word in ("acme", "张三", "window"))
    cache.forget(place.tenant, None)
    client.close()
    cache.close()


def test_a_server_that_is_away_is_a_fault_and_then_left_alone() -> None:
    cache = RedisCache("redis://127.0.0.1:1/0", rest=0.3)
    place = Place(tenant="t", user="u", name="n")
    with pytest.raises(CacheFault, match="ConnectionError"):
        cache.read(place)
    with pytest.raises(CacheFault, match="rests"):
        cache.read(place)
    time.sleep(0.35)
    with pytest.raises(CacheFault, match="ConnectionError"):
        cache.forget("t", None)
    cache.close()
    with pytest.raises(CacheFault):
        RedisCache("redis+cluster://127.0.0.1:1").read(place)


def test_a_key_of_another_type_is_a_fault(redis_url: str, place: Place) -> None:
    import redis

    cache = RedisCache(redis_url, timeout=5.0, rest=0.0)
    put(cache, place, 1, "a")
    client = redis.Redis.from_url(redis_url, decode_responses=True)
    listed, mark = _keys(place)
    for key in (mark, listed):
        client.set(key, "not a number")
        with pytest.raises(CacheFault):
            cache.read(place)
    cache.forget(place.tenant, None)
    client.close()
    cache.close()


# -- by name ----------------------------------------------------------------------------------------------------------


def test_caches_are_found_by_name() -> None:
    assert isinstance(cache_from(None, Settings()), MemoryCache)
    assert isinstance(cache_from("memory", Settings(cache="redis://h")), MemoryCache)
    for url in ("redis://h:1/0", "rediss://u:p@h:1", "unix:///tmp/s", "redis+cluster://h:1"):
        assert isinstance(cache_from(None, Settings(cache=url)), RedisCache)
    given = MemoryCache()
    assert cache_from(given, Settings()) is given


@pytest.mark.parametrize("spec", ["", "memcached://h", "redis", "redis://h:port/0", object(), 5])
def test_what_names_no_cache_is_refused(spec: object) -> None:
    with pytest.raises(InvalidInput):
        cache_from(spec, Settings())  # type: ignore[arg-type]
