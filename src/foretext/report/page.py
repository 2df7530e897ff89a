"""One HTML file that needs nothing else: no network, no folder beside it.

The Vega libraries that draw the charts are copied into the page. A content security policy forbids
the browser to fetch anything and to run any script but the two that stand here, whatever a word of
the corpus may look like.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foretext.base.errors import OutputError, is_panic
from foretext.base.files import atomic_file
from foretext.report.cells import cell, percent

if TYPE_CHECKING:
    import jinja2

__all__ = ["make_ready", "write_page"]


def write_page(path: Path, template: str, charts: dict[str, dict[str, Any]], **parts: Any) -> None:
    """Fill the template `template` with `parts` and with Vega-Lite specifications by name.

    Raises:
        OutputError: `path` cannot be written.
    """
    scripts = [_vega(), _resource("charts.js")]
    html = (
        _templates()
        .get_template(template)
        .render(
            charts=charts,
            scripts=scripts,
            script_hashes=[_hash(script) for script in scripts],
            style=_resource("page.css"),
            **parts,
        )
    )
    with atomic_file(path) as temporary:
        temporary.write_text(html, encoding="utf-8", newline="\n")


def make_ready() -> None:
    """Load the libraries that draw the charts: a second, which the first page no longer takes.

    Raises:
        OutputError: they cannot work here.
    """
    _vega()


def load_libraries() -> None:
    """Load what draws the charts, which takes a second; a page written later is done sooner."""
    _templates()
    _vega()


def _templates() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        loader=jinja2.PackageLoader("foretext.report"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"cell": cell, "percent": percent}
    return environment


@cache
def _vega() -> str:
    """Return the JavaScript of Vega, Vega-Lite and Vega-Embed in the version that altair writes.

    Raises:
        OutputError: the library that has it cannot work here.
    """
    import altair
    import vl_convert

    version = ".".join(altair.VEGALITE_VERSION.split(".")[:2])
    try:
        bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)
    except BaseException as error:
        if not is_panic(error):
            raise
        raise OutputError(
            f"The charts of the page cannot be made ({error}); allow more open files and more "
            "memory, or leave the page out with --no-report."
        ) from error
    return str(bundle)


def _resource(name: str) -> str:
    return files("foretext.report").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Return what a content security policy calls a script that may run."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
