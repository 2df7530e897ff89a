"""Build the site: stage the pages of each language, let Zensical write them, finish what it wrote.

Zensical and mkdocstrings are the extra ``site``. What they would fetch from other hosts is part of
``theme/``, and formulas become MathML, which browsers draw by themselves.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tomli_w

from tools.site.api_pages import with_docstrings
from tools.site.formulas import FormulaError, drawn_formulas
from tools.site.languages import CHINESE, LANGUAGES, Language
from tools.site.navigation import navigation
from tools.site.staging import stage
from tools.site.tree import ROOT

__all__ = ["BuildError", "build"]

THEME = Path(__file__).parent / "theme"
BUILD = ROOT / "build"
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
FEATURES = [
    "content.code.copy",
    "navigation.footer",
    "navigation.indexes",
    "navigation.path",
    "navigation.prune",
    "navigation.sections",
    "navigation.tabs",
    "navigation.top",
    "search.highlight",
    "toc.follow",
]
EXTENSIONS: dict[str, Any] = {
    "abbr": {},
    "admonition": {},
    "attr_list": {},
    "footnotes": {},
    "md_in_html": {},
    "tables": {},
    "toc": {
        "permalink": True,
        "toc_depth": 3,
        "slugify": {"object": "pymdownx.slugs.slugify", "kwds": {"case": "lower"}},
    },
    "pymdownx.arithmatex": {"generic": True},
    "pymdownx.highlight": {"pygments_lang_class": True},
    "pymdownx.superfences": {
        "custom_fences": [
            {
                "name": "math",
                "class": "arithmatex",
                "format": {
                    "object": "pymdownx.arithmatex.arithmatex_fenced_format",
                    "kwds": {"mode": "generic", "tag": "div"},
                },
            }
        ]
    },
}
DOCSTRINGS = {
    "docstring_section_style": "list",
    "docstring_style": "google",
    "filters": ["!^_"],
    "heading_level": 3,
    "inherited_members": True,
    "line_length": 80,
    "members_order": "source",
    "separate_signature": True,
    "show_bases": False,
    "overloads_only": False,
    "show_overloads": False,
    "show_root_full_path": False,
    "show_root_heading": True,
    "show_root_toc_entry": True,
    "show_signature_annotations": True,
    "show_source": False,
    "signature_crossrefs": True,
    "unwrap_annotated": True,
}


class BuildError(Exception):
    """Why there is no site."""


def build(site: Path) -> None:
    """Write the site of all languages into a folder, which is replaced."""
    BUILD.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="site-", dir=BUILD) as temporary:  # others may build as well
        _build_in(Path(temporary), site)
    for page in (site / "reference" / "api").glob("*.html"):
        twin = site / CHINESE.folder / page.relative_to(site)
        twin.write_text(with_docstrings(_text(twin), _text(page)), encoding="utf-8")
    for page in site.rglob("*.html"):
        _draw_formulas(page)


def _build_in(folder: Path, site: Path) -> None:
    """Write the pages of each language, build them, and copy what comes out."""
    for language in LANGUAGES:
        own = folder / language.code
        titles = stage(language, own / "docs")
        shutil.copytree(THEME, own / "theme")
        settings = {"project": _settings(language, navigation(language, titles))}
        (own / "zensical.toml").write_text(tomli_w.dumps(settings), encoding="utf-8")
    with ThreadPoolExecutor() as pool:  # of waiting threads: each language has a process
        list(pool.map(_run_zensical, [folder / language.code for language in LANGUAGES]))
    shutil.rmtree(site, ignore_errors=True)
    for language in LANGUAGES:
        shutil.copytree(folder / language.code / "site", site / language.folder)


def _settings(language: Language, nav: list[Any]) -> dict[str, Any]:
    say = language.say
    return {
        "site_name": "foretext",
        "site_description": say(
            "Pretrain language representations on your own text, on the machine you have.",
            "用你自己的文本，在你自己的机器上，预训练语言表示。",
        ),
        "use_directory_urls": False,
        "validation": {"invalid_link_anchors": language is not CHINESE},  # see `dead_links`
        "nav": nav,
        "extra_css": ["assets/stylesheets/foretext.css"],
        "extra": {
            "generator": False,
            "polyfills": ["assets/javascripts/iframe-worker.js"],
            "alternate": [
                {
                    "code": say("zh", "en"),
                    "home": say("zh/index.html", "../index.html"),
                    "name": say("中文", "English"),
                }
            ],
        },
        "theme": {
            "custom_dir": "theme",
            "language": language.code,
            "font": False,
            "features": FEATURES,
            "palette": _palettes(language),
        },
        "markdown_extensions": EXTENSIONS,
        "plugins": {
            "search": {},
            "offline": {},
            "mkdocstrings": {
                "handlers": {
                    "python": {"paths": [str(ROOT / "src")], "options": DOCSTRINGS},
                }
            },
        },
    }


def _palettes(language: Language) -> list[dict[str, Any]]:
    """Return the schemes: as the system says, light, dark; each with what a click leads to."""
    say = language.say
    rows = [
        ("(prefers-color-scheme)", None, "lucide/sun-moon", say("Use light colours", "使用浅色")),
        (
            "(prefers-color-scheme: light)",
            "default",
            "lucide/sun",
            say("Use dark colours", "使用深色"),
        ),
        (
            "(prefers-color-scheme: dark)",
            "slate",
            "lucide/moon",
            say("Use the system's colours", "使用系统颜色"),
        ),
    ]
    return [
        {
            "media": media,
            **({"scheme": scheme} if scheme else {}),
            "toggle": {"icon": icon, "name": name},
        }
        for media, scheme, icon, name in rows
    ]


def _run_zensical(folder: Path) -> None:
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        said = COLOURS.sub("", done.stdout + done.stderr).partition("\nTraceback")[0]
        raise BuildError(f"{folder}:\n{said}")


def _draw_formulas(page: Path) -> None:
    """Replace each formula of TeX by MathML."""
    text = _text(page)
    if "arithmatex" in text:
        try:
            page.write_text(drawn_formulas(text), encoding="utf-8")
        except FormulaError as error:
            raise BuildError(f"{page}: {error}") from error


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")
