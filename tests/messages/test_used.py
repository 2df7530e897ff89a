"""Every message that the package asks for is in the catalogue, and each one there is asked for."""

import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

import foretext
from foretext.messages.catalogue import areas, messages_of

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
READ_BY_FORM = {"names"}  # what `translated` finds by what it says
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
