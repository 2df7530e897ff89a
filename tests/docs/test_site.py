"""What the site is made of: every guide, verb, setting and public name has its page, once."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import typer

from foretext.cli.app import app
from foretext.recipes import recipe_names
from foretext.tasks import TASKS
from tools.site import __main__ as site_program
from tools.site import inputs
from tools.site.api_pages import api_pages, public_names
from tools.site.checking import dead_links, foreign_requests, unexecuted_blocks
from tools.site.inputs import digest_of_inputs, is_up_to_date, stamp_site
from tools.site.languages import CHINESE, ENGLISH, LANGUAGES, Language
from tools.site.navigation import guide_groups, navigation
from tools.site.setting_pages import setting_pages
from tools.site.staging import stage
from tools.site.tree import DOCS, ROOT, translated_pages
from tools.site.verb_pages import verb_pages

LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture(scope="module", params=LANGUAGES, ids=[each.code for each in LANGUAGES])
def staged(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Language, Path, dict[str, str]]:
    """A language, the folder of its pages as they are built, and their titles."""
    folder = tmp_path_factory.mktemp("staged") / "docs"
    return request.param, folder, stage(request.param, folder)


def groups_of(language: Language) -> dict[str, list[str]]:
    folder = f"docs/{language.folder}guides"
    return guide_groups((ROOT / folder / "index.md").read_text(encoding="utf-8"), folder)


def pages_in(nav: list[object]) -> list[str]:
    """All pages of a navigation."""
    found: list[str] = []
    for entry in nav:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            found += [value] if isinstance(value, str) else pages_in(value)
    return found


@pytest.mark.parametrize("language", LANGUAGES, ids=[each.code for each in LANGUAGES])
def test_each_guide_belongs_to_one_job(language: Language) -> None:
    guides = [page for page in translated_pages() if page.startswith(("guides/", "extending/"))]
    named = Counter(page for pages in groups_of(language).values() for page in pages)
    assert named == Counter(page for page in guides if page != "guides/index.md")


def test_both_languages_have_the_guides_in_one_order() -> None:
    assert list(groups_of(ENGLISH).values()) == list(groups_of(CHINESE).values())


def test_the_navigation_leads_to_each_page_once(
    staged: tuple[Language, Path, dict[str, str]],
) -> None:
    language, _, titles = staged
    pages = Counter(pages_in(navigation(language, titles)))
    assert max(pages.values()) == 1
    listed = {page for page in titles if not page.startswith("decisions/0")}
    assert set(pages) == listed


def test_each_page_has_a_title(staged: tuple[Language, Path, dict[str, str]]) -> None:
    assert [page for page, title in staged[2].items() if not title] == []


def test_links_lead_to_pages_of_the_site(staged: tuple[Language, Path, dict[str, str]]) -> None:
    _, folder, titles = staged
    for page in titles:
        prose = re.sub(
            r"^```.*?^```|`[^`\n]+`", "", (folder / page).read_text("utf-8"), flags=re.M | re.S
        )
        for link in LINK.findall(prose):
            address = link.partition("#")[0]
            target = ((folder / page).parent / address).resolve()
            leaves = not target.is_relative_to(folder.resolve())  # to the English site
            if not address or "://" in address or leaves or address.endswith((".html", ".svg")):
                continue  # `make site` follows the links to the other language once it is built
            assert target.is_file(), f"{page}: {link}"


def test_a_chinese_page_leads_to_chinese_pages(tmp_path: Path) -> None:
    stage(CHINESE, tmp_path / "docs")
    text = (tmp_path / "docs" / "project.md").read_text(encoding="utf-8")
    assert "](../project/ARCHITECTURE.html)" in text  # which is in English only
    text = (tmp_path / "docs" / "guides" / "index.md").read_text(encoding="utf-8")
    assert "](../course/index.md)" in text


def test_a_page_names_its_page_in_the_other_language(
    staged: tuple[Language, Path, dict[str, str]],
) -> None:
    language, folder, _ = staged
    text = (folder / "guides" / "word2vec.md").read_text(encoding="utf-8")
    twin = "../../guides/word2vec.html" if language is CHINESE else "../zh/guides/word2vec.html"
    assert text.startswith(f"---\ntwin: {twin}\n---\n")


def test_the_front_page_leads_to_each_lesson(
    staged: tuple[Language, Path, dict[str, str]],
) -> None:
    _, folder, titles = staged
    front = LINK.findall((folder / "index.md").read_text(encoding="utf-8"))
    lessons = [page for page in titles if re.match(r"course/\d", page)]
    assert lessons
    assert [page for page in lessons if page not in front] == []


@pytest.mark.parametrize("language", LANGUAGES, ids=[each.code for each in LANGUAGES])
def test_each_verb_and_option_has_its_place(language: Language) -> None:
    pages = dict(verb_pages(language))
    for verb, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        text = pages[f"reference/verbs/foretext-{verb}.md"]
        assert f"[{verb}](verbs/foretext-{verb}.md)" in pages["reference/verbs.md"]
        for parameter in command.params:
            assert f'<dt id="{parameter.opts[0].lstrip("-")}">' in text


@pytest.mark.parametrize("language", LANGUAGES, ids=[each.code for each in LANGUAGES])
def test_each_recipe_and_task_has_its_settings(language: Language) -> None:
    pages = dict(setting_pages(language))
    for name in (*recipe_names(), *TASKS):
        assert f"[{name}](settings/{name}.md)" in pages["reference/settings.md"]
        assert '<dt id="' in pages[f"reference/settings/{name}.md"]
    assert "<code>objective.mask_rate = 0.15</code>" in pages["reference/settings/bert.md"]
    assert "<code>vectors.negative = 5</code>" in pages["reference/settings/word2vec.md"]


def test_each_public_name_is_on_one_page() -> None:
    pages = dict(api_pages(ENGLISH))
    text = "\n".join(pages.values())
    shown = re.findall(r"^::: (.+)$", text, re.M)
    usual = public_names("foretext")
    parts = [name for name in public_names("foretext.extend") if name not in usual]
    assert sorted(shown) == sorted(
        [*(f"foretext.{name}" for name in usual), *(f"foretext.extend.{name}" for name in parts)]
    )
    for name in usual:
        assert f"#foretext.{name})" in pages["reference/api.md"]


def test_a_test_runs_every_block_of_the_docs() -> None:
    assert list(unexecuted_blocks()) == []


def test_a_block_that_no_test_runs_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.site.checking.ROOT", tmp_path)
    page = tmp_path / "docs" / "tips.md"
    page.parent.mkdir()
    page.write_text("# Tips\n\n```python\nimport foretext\n```\n\n```text\nfree\n```\n")
    (said,) = unexecuted_blocks(page.parent)
    assert said.startswith(f"{Path('docs', 'tips.md')}, line 4: no test runs the block")


def site_of(folder: Path, **pages: str) -> Path:
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("b.html", None),
        ("b.html#end", None),
        ("#top", None),
        ("https://example.com/", None),
        ("c.html", "there is no such file."),
        ("b.html#start", "the page has no such section."),
        ("#bottom", "the page has no such section."),
    ],
)
def test_dead_links_are_found(tmp_path: Path, link: str, said: str | None) -> None:
    page = f'<h1 id="top">A</h1><p><a class="x" href="{link}">b</a></p>'
    site = site_of(tmp_path, a=page, b='<h1 id="end">B</h1>')
    assert list(dead_links(site)) == ([f"a.html: {link}: {said}"] if said else [])


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ('<script async src="https://unpkg.com/a.js"></script>', "https://unpkg.com/a.js"),
        ('<link rel="stylesheet" href="//fonts.example/a.css">', "//fonts.example/a.css"),
        ('<img alt="b" src="http://example.com/b.png">', "http://example.com/b.png"),
        ("<style>@import 'https://example.com/c.css'</style>", "https://example.com/c.css"),
        ('<p style="background: url(https://example.com/d.png)">', "https://example.com/d.png"),
    ],
)
def test_requests_to_other_hosts_are_found(tmp_path: Path, text: str, address: str) -> None:
    assert list(foreign_requests(site_of(tmp_path, a=text))) == [f"a.html fetches {address}."]


def test_links_to_other_hosts_are_no_requests(tmp_path: Path) -> None:
    site = site_of(tmp_path, a='<a href="https://example.com">e</a><script src="b.js"></script>')
    assert list(foreign_requests(site)) == []


def test_the_docs_have_no_page_without_a_place() -> None:
    assert {page.split("/")[0] for page in translated_pages() if "/" in page} == {
        *("course", "extending", "guides", "reference"),
    }
    assert (DOCS / "zh").is_dir()


def test_a_site_is_up_to_date_until_a_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_up_to_date(tmp_path)
    page = tmp_path / "a.md"
    page.write_text("one")
    monkeypatch.setattr(inputs, "_inputs", lambda: [page])
    monkeypatch.setattr(inputs, "ROOT", tmp_path)
    monkeypatch.setattr(inputs, "_programs", lambda: ["Python 3", "zensical 1.0"])
    stamp_site(tmp_path, digest_of_inputs())
    assert is_up_to_date(tmp_path)
    page.write_text("two")
    assert not is_up_to_date(tmp_path)
    page.write_text("one")
    assert is_up_to_date(tmp_path)
    monkeypatch.setattr(inputs, "_programs", lambda: ["Python 3", "zensical 1.1"])
    assert not is_up_to_date(tmp_path)


def test_what_changes_during_a_build_makes_a_site_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "a.md"
    page.write_text("one")

    def build(site: Path) -> None:
        site.mkdir()
        page.write_text("two")

    monkeypatch.setattr(inputs, "_inputs", lambda: [page])
    monkeypatch.setattr(inputs, "ROOT", tmp_path)
    monkeypatch.setattr(site_program, "ROOT", tmp_path)
    monkeypatch.setattr("tools.site.building.build", build)
    for check in ("dead_links", "foreign_requests", "unexecuted_blocks"):
        monkeypatch.setattr(f"tools.site.checking.{check}", lambda *_: [])
    monkeypatch.setattr(site_program, "problems", list)
    site_program._build()
    assert (tmp_path / "site" / inputs.MADE_FROM).is_file()
    assert not is_up_to_date(tmp_path / "site")


def test_a_site_is_made_from_pages_code_and_its_own_program() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in inputs._inputs()}
    assert {"README.md", "docs/zh/index.md", "src/foretext/extend.py"} <= names
    assert {"tools/site/building.py", "tools/site/theme/main.html"} <= names
    assert "constraints.txt" in names
    assert not [name for name in names if "__pycache__" in name]
    programs = [program.partition(" ")[0].lower() for program in inputs._programs()]
    assert {"python", "markdown", "pygments", "typer", "pydantic"} <= {*programs}
