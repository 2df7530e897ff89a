"""The pages of one language as Zensical reads them, in a folder of their own.

Documents link each other by the paths that they have in the repository, so that links work where
the repository is shown, too. Here every link becomes the path that its target has on the site; a
link to what is not on the site becomes plain text.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from tools.site.api_pages import api_pages
from tools.site.languages import CHINESE, ENGLISH, Language
from tools.site.setting_pages import setting_pages
from tools.site.translations import untranslated, without_stamp
from tools.site.tree import DOCS, PROJECT, ROOT, record_pages, translated_pages
from tools.site.verb_pages import verb_pages

__all__ = ["stage", "title_of"]

RECORDS = "project.md"  # which leads to what is in English only
REFERENCE = "reference/index.md"
DECISIONS = "decisions/index.md"
FENCE = re.compile(r"(^```.*?^```[^\S\n]*$)", re.M | re.S)
LINK = re.compile(  # or a span of code, which has none
    r"(?P<code>`[^`\n]+`)"
    r"|(?P<image>!?)\[(?P<words>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<link>[^)\s]+)\)"
    r"|(?<=\s)(?P<attribute>href|src)=\"(?P<address>[^\"]+)\""
)

LESSONS = "<!-- lessons -->\n"  # of the front page
LESSON = re.compile(r"^\| \[([^\]]+)\]\(([^)#]+\.md)\) \| (.+) \|$", re.M)


def stage(language: Language, folder: Path) -> dict[str, str]:
    """Write every page of a language into a folder; return the title of each by its path."""
    folder.mkdir(parents=True)
    titles = {}
    for page, text in _pages(language):
        target = folder / page
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_front_matter(page, language) + text, encoding="utf-8")
        titles[page] = title_of(text)
    for asset in _assets(language):
        target = folder / asset.relative_to(DOCS / language.folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(asset, target)
    return titles


def title_of(text: str) -> str:
    """Return the first heading of a page."""
    found = re.search(r"^# (.+)$", text, re.M)
    return found[1].replace("`", "") if found else ""


def _pages(language: Language) -> Iterator[tuple[str, str]]:
    yield from _written(language)
    for made in (verb_pages, setting_pages, api_pages):
        yield from made(language)


def _written(language: Language) -> Iterator[tuple[str, str]]:
    """Yield the pages of ``docs/``; what is not translated, as a page that says so."""
    waiting = untranslated() if language is CHINESE else []
    for page in translated_pages():
        if page in waiting:
            yield page, _stub(page)
        else:
            text = _linked(f"docs/{language.folder}{page}", language)
            text = text.replace(LESSONS, _lessons(language))
            yield page, text + (_generated(language) if page == REFERENCE else "")
    if language is ENGLISH:
        for page in record_pages():
            yield page, _linked(f"docs/{page}", language)
        for name in PROJECT:
            yield f"project/{name}", _linked(name, language)
        yield DECISIONS, _decisions()


def _lessons(language: Language) -> str:
    """Return the list of lessons, from the table of the page that lists them."""
    index = f"docs/{language.folder}course/index.md"
    rows = LESSON.findall((ROOT / index).read_text(encoding="utf-8"))
    return "".join(f"- [{title}](course/{page}) {said}\n" for title, page, said in rows)


def _stub(page: str) -> str:
    english = posixpath.relpath(_address(page), posixpath.dirname(f"zh/{page}"))
    title = title_of((DOCS / page).read_text(encoding="utf-8"))
    return f"# {title}\n\n这一页还没有中文版。[阅读英文版：{title}]({english})\n"


def _linked(file: str, language: Language) -> str:
    """Return the text of a file of the repository with the links that it has on the site."""
    text = without_stamp((ROOT / file).read_text(encoding="utf-8"))
    page = _site_page(file)
    assert page is not None, file
    target = _linker(file, page[1], language)

    def rewritten(found: re.Match[str]) -> str:
        if found["code"]:
            return found[0]
        if found["attribute"]:
            return f'{found["attribute"]}="{target(found["address"]) or found["address"]}"'
        new = target(found["link"])
        return f"{found['image']}[{found['words']}]({new})" if new else found["words"]

    parts = FENCE.split(text)
    parts[::2] = [LINK.sub(rewritten, part) for part in parts[::2]]
    return "".join(parts)


def _linker(file: str, page: str, language: Language) -> Callable[[str], str | None]:
    """Return what turns a link of a file into one of its page; none: it leads off the site."""

    def target(link: str) -> str | None:
        if re.match(r"[a-z]+:|#|//", link):
            return link
        path, mark, anchor = link.partition("#")
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(file), path))
        found = _site_page(wanted)
        if found is None:
            return None
        other, there = found
        if other is ENGLISH and language is CHINESE and _is_translated(there):
            other = CHINESE
        if other is language:
            return posixpath.relpath(there, posixpath.dirname(page) or ".") + mark + anchor
        here = posixpath.dirname(f"{language.folder}{page}") or "."
        return posixpath.relpath(_address(other.folder + there), here) + mark + anchor

    return target


def _site_page(file: str) -> tuple[Language, str] | None:
    """Return the language and the path on the site of a file or folder of the repository."""
    if file in PROJECT:
        return ENGLISH, f"project/{file}"
    if file in ("README.md", "README.zh.md"):
        return (CHINESE if file.endswith("zh.md") else ENGLISH), "index.md"
    if file == "docs/decisions":
        return ENGLISH, DECISIONS
    if not file.startswith("docs/") or not (ROOT / file).is_file():
        return None
    below = file.removeprefix("docs/")
    return (CHINESE, below[3:]) if below.startswith("zh/") else (ENGLISH, below)


def _is_translated(page: str) -> bool:
    return page in translated_pages() and page not in untranslated()


def _address(page: str) -> str:
    """Return the address of a page on the site."""
    return page.removesuffix(".md") + ".html" if page.endswith(".md") else page


def _front_matter(page: str, language: Language) -> str:
    """Return what the theme has to know of a page: above all its page in the other language."""
    other = CHINESE if language is ENGLISH else ENGLISH
    alone = page in record_pages() or page.startswith("project/") or page == DECISIONS
    twin = posixpath.relpath(
        _address(other.folder + (RECORDS if alone else page)),
        posixpath.dirname(language.folder + page) or ".",
    )
    hidden = "hide: [navigation, toc, path]\n" if page == "index.md" else ""
    found = "search:\n  exclude: true\n" if alone else ""  # history, which would come first
    return f"---\ntwin: {twin}\n{hidden}{found}---\n\n"


def _assets(language: Language) -> Iterator[Path]:
    """Yield the files beside the pages, such as pictures."""
    for path in sorted((DOCS / language.folder).rglob("*")):
        chinese = path.is_relative_to(DOCS / "zh")
        if (
            path.is_file()
            and path.suffix not in (".md", ".txt")
            and (language is CHINESE) == chinese
        ):
            yield path


def _generated(language: Language) -> str:
    """Return the links to the pages that are made from the code."""
    rows = [
        ("api.md", language.say("Python interface", "Python 接口")),
        ("verbs.md", language.say("Verbs of the command line", "命令行的命令")),
        ("settings.md", language.say("Settings", "设置")),
    ]
    return "\n" + "".join(f"- [{title}]({page})\n" for page, title in rows)


def _decisions() -> str:
    """Return the list of decisions."""
    lines = [
        f"- {page[10:14]}: [{title_of(_text(page))}]({page[10:]})"
        for page in record_pages()
        if page.startswith("decisions/")
    ]
    return "\n".join(
        ["# Decisions", "", "Each page says the context, the choice and its price.", "", *lines, ""]
    )


def _text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")
