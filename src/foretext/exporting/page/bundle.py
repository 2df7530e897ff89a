"""Modules of JavaScript as one plain script, which a browser runs from a file, too.

Browsers refuse modules in pages that are local files. Our own modules are written in few forms, a
statement at the beginning of a line each, so that no other program is needed to join them: each
becomes a function that is called once, after those that it imports from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from posixpath import dirname, join, normpath

__all__ = ["bundle", "page_source"]

WORDS = ("words.en.js", "words.zh.js", "words.tasks.en.js", "words.tasks.zh.js")
_PACKAGE = files("foretext")  # its files are data here: no room that a server needs is imported
OWN = ("actions/index.js", "api.js", "code.js", *WORDS)
OVERLAY: Mapping[str, str] = {  # modules of the playground that a page has in another form
    f"playground/{name}": f"page/{name}" for name in OWN
}
_IMPORT = re.compile(r'^import (?:([\s\S]+?) from )?"(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(
    r"^export (?:(default) |(?=(?:async )?(?:function\*?|class|const|let) (\w+)))", re.MULTILINE
)
_DEFAULT = "const defaultExport = "


def bundle(entry: str) -> str:
    """Return a module of `static/`, with all that it imports, as one script."""
    order: dict[str, str] = {}
    _collect(entry, order)
    parts = [f"const {_variable(name)} = {body};" for name, body in order.items()]
    return "\n".join(['"use strict";', "(() => {", *parts, "})();", ""])


def page_source(name: str) -> str:
    """Return a file of `static/`; or ``playground/NAME``, ``decoder/NAME``.

    The second is a file of the server's playground, the third a program for exported taggers.
    """
    folder, _, rest = name.partition("/")
    if folder == "decoder":
        return (_PACKAGE / "exporting" / "decoder" / rest).read_text("utf-8")
    if folder == "playground":
        return (_PACKAGE / "serving" / "playground" / rest).read_text("utf-8")
    return (_PACKAGE / "exporting" / "page" / "static" / name).read_text("utf-8")


def _collect(name: str, order: dict[str, str], above: tuple[str, ...] = ()) -> None:
    """Add a module behind those that it imports from."""
    assert name not in above, f"modules import each other: {' '.join((*above, name))}"
    if name in order:
        return
    source = page_source(name)
    for match in _IMPORT.finditer(source):
        _collect(_target(name, match[2]), order, (*above, name))
    order[name] = _body(name, source)


def _target(name: str, path: str) -> str:
    """Return which module an import names; a page's own form may import what it is a form of."""
    found = normpath(join(dirname(name), path))
    replaced = OVERLAY.get(found, found)
    return found if replaced == name else replaced


def _body(name: str, source: str) -> str:
    """Return a module as a call of a function, whose result are its exports."""
    exported = []

    def leave(match: re.Match[str]) -> str:
        exported.append("default: defaultExport" if match[1] else match[2])
        return _DEFAULT if match[1] else ""

    code = _IMPORT.sub(lambda match: _bound(match[1], _target(name, match[2])), source)
    code = _EXPORT.sub(leave, code)
    assert not re.search(r"^(?:import|export)\b", code, re.MULTILINE), name
    return f"(() => {{ // {name}\n{code}return {{ {', '.join(exported)} }};\n}})()"


def _bound(names: str | None, target: str) -> str:
    if names is None:
        return ""
    if names.startswith("{"):
        return f"const {names.replace(' as ', ': ')} = {_variable(target)};\n"
    if names.startswith("* as "):
        return f"const {names[5:]} = {_variable(target)};\n"
    return f"const {names} = {_variable(target)}.default;\n"


def _variable(name: str) -> str:
    return "_" + re.sub(r"\W", "_", name)
