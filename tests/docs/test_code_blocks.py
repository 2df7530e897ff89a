"""Every block of code that a reader may copy runs, and every link and path leads somewhere.

The blocks of one file run in order: ``python`` in one namespace, ``console`` and ``sh`` command by
command, in a folder with the files of `tests.docs.prepared`. A block that names a file, as
``python model.py`` does, is written to that file. A command is

* ``foretext serve ...``: a server that runs until the end of the page, or the next one;
* ``foretext ...``: it runs in this process and must exit with 0;
* ``curl ...``: it asks the server, and must succeed;
* ``make TARGET``: the Makefile must have the target;
* ``git``, ``cd``, ``pip`` or ``python -m venv``: it is for the reader's machine and does not run.

Anything else belongs into a block of another language, such as ``text``. A page that needs a
package which may be absent stands in `NEEDED`, and is skipped without it. A block of Python that
begins with ``# pip install NAME ...`` is left out where one of these packages is not installed; the
others run, and then the test says what was left out.
"""

from __future__ import annotations

import shutil
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from foretext.cli import demonstration
from tests.docs.commands import ROOT, run_command, shortened
from tests.docs.markdown import Block, blocks_of, commands_of, links_of
from tests.docs.prepared import write_prepared
from tests.docs.served import Servers
from tools.site.tree import run_files

ALL = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SHELLS = ("console", "sh")
# Pages of less than a second. tests/docs/test_commands.py reads the commands of all the others too,
# and tests/outside/ tests the files that the pages on extending show.
QUICK = {
    *("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/benchmarks.md"),
    *("docs/extending/family.md", "docs/extending/index.md"),
    *(f"docs/guides/{name}.md" for name in ("autoencoders", "coming-from-fasttext", "corpus")),
    *(f"docs/guides/{name}.md" for name in ("in-memory", "index", "reliability", "scale")),
    *(f"docs/guides/{name}.md" for name in ("subwords", "torchrun")),
}
NEEDED = {"clusters.md": ("ray", "Ray is not installed: pip install 'foretext[ray]'")}
INSTALL = "# pip install "
UNMAPPED = {"__init__.py", "__main__.py", "_version.py"}
SMALL_DEMONSTRATION = 300_000  # bytes of docstrings


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def small_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What every page finds, written once; it is not to be changed."""
    folder = tmp_path_factory.mktemp("prepared")
    write_prepared(folder)
    return folder


@pytest.fixture
def prepared(small_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with small files in it, and a demonstration that takes seconds."""
    shutil.copytree(small_files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    real = demonstration.write_docstrings
    monkeypatch.setattr(
        demonstration,
        "write_docstrings",
        lambda path, **options: real(path, **options | {"limit_bytes": SMALL_DEMONSTRATION}),
    )
    return tmp_path


def marked(path: Path) -> object:
    name = name_of(path)
    if name == "docs/guides/clusters.md":
        return pytest.param(path, id=name, marks=[pytest.mark.slow, pytest.mark.cluster])
    return pytest.param(path, id=name, marks=[] if name in QUICK else [pytest.mark.slow])


@pytest.mark.parametrize("path", [marked(path) for path in run_files()])
@pytest.mark.usefixtures("prepared")
@pytest.mark.filterwarnings("ignore:Tensorflow not installed:ImportWarning")  # of umap
@pytest.mark.filterwarnings("ignore:The ``noload`` loader:DeprecationWarning")  # of mlflow
def test_blocks_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if path.name in NEEDED:
        package, reason = NEEDED[path.name]
        pytest.importorskip(package, reason=reason)
    namespace = {"__name__": "__main__"}
    monkeypatch.syspath_prepend(Path.cwd())
    absent: list[str] = []
    with Servers() as servers:
        for written in blocks_of(path):
            if (package := absent_package(written)) is not None:
                absent.append(package)
                continue
            block = written._replace(text=shortened(servers.here(written.text)))
            if block.file:
                Path(block.file).write_text(block.text, encoding="utf-8")
            elif block.language == "python":
                lines = (
                    "\n" * (block.line - 1) + block.text
                )  # so that a traceback has the right line
                exec(compile(lines, str(path), "exec"), namespace)
            elif block.language in SHELLS:
                for words in commands_of(block):
                    run_words(words, block, monkeypatch, servers)
    if absent:
        pytest.skip(f"the blocks of {', '.join(absent)} did not run: make clients")


def absent_package(block: Block) -> str | None:
    """Return the first package of a block's first line that is not installed."""
    first = block.text.partition("\n")[0]
    if block.language != "python" or not first.startswith(INSTALL):
        return None
    for package in first.removeprefix(INSTALL).split():
        try:
            distribution(package)
        except PackageNotFoundError:
            return package
    return None


def test_blocks_of_absent_packages_are_left_out() -> None:
    block = Block(Path("a.md"), 1, "python", "# pip install no-such-package-here\nimport x\n")
    assert absent_package(block) == "no-such-package-here"
    assert absent_package(block._replace(text="# pip install numpy\nimport numpy\n")) is None
    several = block._replace(text="# pip install numpy no-such-package-here\nimport numpy\n")
    assert absent_package(several) == "no-such-package-here"
    assert absent_package(block._replace(language="text")) is None


def run_words(
    words: list[str], block: Block, monkeypatch: pytest.MonkeyPatch, servers: Servers
) -> None:
    if words[:2] == ["foretext", "serve"]:
        servers.start(words)
    elif words[0] == "curl":
        servers.curl(words, block)
    else:
        run_command(words, block, monkeypatch)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests" / "outside").glob("[!_t]*.py")), ids=name_of
)
def test_pages_show_the_files_that_are_tested(path: Path) -> None:
    pages = (ROOT / "docs" / "extending").glob("*.md")
    shown = {block.file: block.text for page in pages for block in blocks_of(page) if block.file}
    assert shown[path.name] == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_links_lead_somewhere(path: Path) -> None:
    missing = [link for link in links_of(path) if not (path.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_blocks_name_their_language(path: Path) -> None:
    assert all(block.language for block in blocks_of(path))


def test_every_guide_is_in_the_index() -> None:
    guides = ROOT / "docs" / "guides"
    names = {path.name for path in guides.glob("*.md")} - {"index.md"}
    assert names <= set(links_of(guides / "index.md"))


def test_the_map_names_every_room() -> None:
    rooms = {
        path.name + ("/" if path.is_dir() else "")
        for path in (ROOT / "src" / "foretext").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert {room for room in rooms if room not in text} <= UNMAPPED


def test_the_floors_are_those_that_are_checked() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    hidden = ("__main__", "_version")
    floors = " > ".join(
        " | ".join(room for room in layer.split(" | ") if room not in hidden)
        for layer in layers
        if layer not in hidden
    )
    text = " ".join((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split())
    assert floors in text
