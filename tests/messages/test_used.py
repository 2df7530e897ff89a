"""Every message that the package asks for is in the catalogue, and each one there is asked for."""

import errno
import io
import json
import re
from collections.abc import Collection
from contextlib import redirect_stdout
from dataclasses import fields
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

import foretext
from foretext.base.files import NO_SPACE, output_error
from foretext.cli.listing import _show_names
from foretext.comparison.candidate import GROUPS
from foretext.comparison.ranking import STATUSES
from foretext.corpus.decoding import _MAGIC
from foretext.corpus.problems import SEVERITIES
from foretext.corpus.scripts import _RANGES
from foretext.data.rows.record import _TASKS, type_said
from foretext.messages import in_language
from foretext.messages.catalogue import areas, messages_of
from foretext.tokenizers.subword_report import SubwordReport

PACKAGE = Path(foretext.__file__).parent
SHOWN = {
    "autoencoders",
    "insight",
    "marks",
    "objectives",
    "show",
    "tokenizers",
    "topics",
    "vectors",
}
READ_BY_FORM = {"names", "usage", "described"}  # what is found by what it says
PAGES = sorted({*areas()} - SHOWN - READ_BY_FORM)
LETTERS = r"[\w.@-]"


@cache
def keys_asked_for() -> frozenset[str]:
    """Keys in texts of the source, each hole of one as a star; and in templates likewise."""
    found: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for quoted in re.findall(r"""f?["']([a-z_]+\.[^"'\s]*?)["']""", text):
            found.add(re.sub(r"\{[^{}]*\}", "*", quoted))
        for nested in re.findall(r"f\"([a-z_]+\.[^\"\s]*\{[^\"]*)\"", text):
            found.add(re.sub(r"\{[^{}]*\}", "*", nested))
    for path in PACKAGE.rglob("*.j2"):
        for quoted in re.findall(r'"([a-z_]+\.[\w.]+?)"', path.read_text(encoding="utf-8")):
            found |= {quoted, f"{quoted}*"} if quoted.endswith(".") else {quoted}
    return frozenset(found)


def prefixes() -> dict[str, str]:
    """Beginnings of keys that a helper of one file puts before what it is given."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for before in re.findall(r'return message\(f"([a-z_.]+)\{key\}"', text):
            for given in re.findall(r'(?:_said\(|key = f?)"([a-z0-9_{}\'" ]+?)"', text):
                found[before + re.sub(r"\{.*", "*", given)] = str(path)
            for given in re.findall(r'_(?:signed|repetition)\([^)]*"([a-z_]+)"', text):
                found[before + given] = str(path)
    return found


@pytest.mark.parametrize("area", PAGES)
def test_no_message_is_unused(area: str) -> None:
    asked = [key for key in {*keys_asked_for(), *prefixes()} if key.startswith(f"{area}.")]
    plain = {key for key in asked if "*" not in key}
    patterns = [key for key in asked if "*" in key]
    unused = {
        key
        for key in (f"{area}.{name}" for name in messages_of(area, "en"))
        if key not in plain and not any(fnmatchcase(key, pattern) for pattern in patterns)
    }
    assert not unused


def test_no_message_is_missing() -> None:
    known = {f"{area}.{name}" for area in areas() for name in messages_of(area, "en")}
    called = set()
    for path in PACKAGE.rglob("*.py"):
        if path.parent.name == "messages":
            continue  # its docstrings name some
        text = path.read_text(encoding="utf-8")
        called |= set(re.findall(r'message\(\s*"([\w.]+)"', text))
        for given in re.findall(r"titles\(([^()]*)\)", text):
            called |= set(re.findall(r'"(\w+\.[\w.]+)"', given))
    for path in PACKAGE.rglob("*.j2"):
        called |= set(re.findall(r'\bt\("([\w.]+\w)"[,)]', path.read_text(encoding="utf-8")))
    assert called - known == set()
    assert len(called) > 200


SAID = ("models", "methods", "faults", "tables")  # tables of names whose words the source says


@pytest.mark.parametrize("table", SAID)
def test_what_is_read_by_form_is_said_somewhere(table: str) -> None:
    """Compare them without blanks: the source breaks long ones into pieces."""
    source = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    said = _bare(re.sub(r'"\s*\n\s*f?"', "", source))
    texts = {
        name: text
        for name, text in messages_of("names", "en").items()
        if name.startswith(f"{table}.")
    }
    assert texts
    parts = [each for text in texts.values() for each in re.split(r"\{[^{}]*\}", text)]
    assert not [each for each in parts if _bare(each) not in said]


def _bare(text: str) -> str:
    return re.sub(r"\s", "", text).casefold()


def listed_names() -> list[str]:
    """What `foretext list` has a line for."""
    with redirect_stdout(io.StringIO()) as written:
        _show_names(as_json=True)
    return [name.replace(" ", "_") for name in json.loads(written.getvalue())]


def output_faults() -> set[str]:
    """What `output_error` says of each error of the system, as keys of messages."""
    kinds = (*NO_SPACE, *errno.errorcode)
    said = {str(output_error(Path("run"), OSError(kind, "cause"))) for kind in kinds}
    return {
        name
        for name, text in table("errors.output").items()
        if text.format(path=Path("run"), cause="cause") in said
    }


def table(key: str) -> dict[str, str]:
    """The messages of one table by their last names."""
    area, _, before = key.partition(".")
    return {
        name.removeprefix(f"{before}."): text
        for name, text in messages_of(area, "en").items()
        if name.rpartition(".")[0] == before
    }


NUMBERS = {field.name for field in fields(SubwordReport) if field.type in ("int", "float")}
SCRIPTS = {script for _, _, script in _RANGES} | {"other"}
CHOSEN: dict[str, Collection[str]] = {  # what the source puts after the beginning of a key
    "comparison.group": [group.replace(" ", "_") for group in GROUPS],
    "findings.script": SCRIPTS,
    "terminal.tokenizer.figure": NUMBERS,
    "errors.magic": _MAGIC.values(),
    "errors.row_of": {kind for _, kind, _ in _TASKS},
}
AMONG: dict[str, Collection[str]] = {  # likewise, of tables that have others, too
    "page.severity": SEVERITIES,
    "comparison.mark": [status.replace(" ", "_") for status in STATUSES],
    **{f"{each}.part": ("valid", "test") for each in ("findings", "task", "comparison")},
    **{f"terminal.{each}.part": ("valid", "test") for each in ("finetune", "compare")},
}


@pytest.mark.parametrize("key", CHOSEN)
def test_each_of_a_set_has_its_message(key: str) -> None:
    assert table(key).keys() == {*CHOSEN[key]}


@pytest.mark.parametrize("key", AMONG)
def test_each_of_some_has_its_message(key: str) -> None:
    assert {*AMONG[key]} <= table(key).keys()


def test_each_line_of_the_list_has_its_message() -> None:
    assert table("terminal.list.kind").keys() == {*listed_names()}


def test_each_fault_of_a_file_has_its_message() -> None:
    with in_language("en"):
        assert output_faults() == table("errors.output").keys() - {"held"}


@pytest.mark.parametrize("value", [{}, [], True, None, "x", 1, 0.5])
def test_each_type_of_json_has_its_message(value: object) -> None:
    with in_language("en"):
        assert type_said(value) in table("errors.type").values()
