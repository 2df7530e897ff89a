"""Every English page has its Chinese page, and a stale one is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.site.__main__ import main
from tools.site.translations import PageError, problems, stamp, without_stamp
from tools.site.tree import translated_pages

ENGLISH = """\
# Ships

```console
$ foretext inspect corpus.txt  # look at it
```

```python
import foretext as ft  # the package
ft.texts("corpus.txt")
```
"""
CHINESE = """\
# 船

```console
$ foretext inspect corpus.txt  # 看一看
```

```python
# 这个软件包
import foretext as ft
ft.texts("corpus.txt")
```
"""


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Two pages, one of them translated."""
    docs = tmp_path / "docs"
    (docs / "zh" / "guides").mkdir(parents=True)
    (docs / "guides").mkdir()
    (docs / "guides" / "ships.md").write_text(ENGLISH, encoding="utf-8")
    (docs / "guides" / "farms.md").write_text("# Farms\n", encoding="utf-8")
    (docs / "zh" / "guides" / "ships.md").write_text(CHINESE, encoding="utf-8")
    (docs / "zh" / "untranslated.txt").write_text("guides/farms.md\n", encoding="utf-8")
    stamp("guides/ships.md", docs)
    return docs


def changed(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_pages_of_this_repository() -> None:
    assert list(problems()) == []
    main(["check"])  # which ends with what is wrong, if anything is


def test_a_stamped_page_is_fine(docs: Path) -> None:
    assert list(problems(docs)) == []


def test_comments_may_be_translated(docs: Path) -> None:
    page = docs / "zh" / "guides" / "ships.md"
    assert "看一看" in page.read_text(encoding="utf-8")
    changed(page, "看一看", "先看")
    assert list(problems(docs)) == []


@pytest.mark.parametrize(
    ("old", "new"), [("# Ships", "# Boats"), ("the package", "our package")], ids=["title", "block"]
)
def test_a_changed_english_page_makes_the_chinese_one_stale(docs: Path, old: str, new: str) -> None:
    changed(docs / "guides" / "ships.md", old, new)
    (said,) = problems(docs)
    assert said.startswith("docs/zh/guides/ships.md is older than docs/guides/ships.md")
    stamp("guides/ships.md", docs)
    assert list(problems(docs)) == []


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [("inspect corpus.txt", "inspect other.txt", 6), ('"corpus.txt")', '"ships.txt")', 10)],
)
def test_a_block_that_differs_is_found(docs: Path, old: str, new: str, line: int) -> None:
    changed(docs / "zh" / "guides" / "ships.md", old, new)
    (said,) = problems(docs)
    assert said.startswith(f"docs/zh/guides/ships.md, line {line}: the block differs")


def test_a_block_that_only_one_page_has_is_found(docs: Path) -> None:
    page = docs / "zh" / "guides" / "ships.md"
    page.write_text(page.read_text(encoding="utf-8").rpartition("```python")[0], encoding="utf-8")
    (said,) = problems(docs)
    assert said == "docs/guides/ships.md, line 8: only this page has the block."


def test_a_page_without_translation_is_found(docs: Path) -> None:
    (docs / "zh" / "untranslated.txt").unlink()
    (said,) = problems(docs)
    assert said.startswith("docs/guides/farms.md has no Chinese page: write docs/zh/guides/farms")


def test_a_line_for_a_translated_page_is_found(docs: Path) -> None:
    changed(docs / "zh" / "untranslated.txt", "farms", "ships")
    assert [said.partition(":")[0].partition(";")[0] for said in problems(docs)] == [
        "docs/guides/farms.md has no Chinese page",
        "docs/zh/guides/ships.md exists",
    ]


def test_a_line_for_no_page_is_found(docs: Path) -> None:
    changed(docs / "zh" / "untranslated.txt", "guides/farms.md", "guides/farms.md\nlost.md")
    assert list(problems(docs)) == [
        "docs/zh/untranslated.txt: there is no page docs/lost.md; delete the line."
    ]


def test_a_translation_of_nothing_is_found(docs: Path) -> None:
    (docs / "zh" / "lost.md").write_text("# 没有\n", encoding="utf-8")
    assert list(problems(docs)) == ["docs/zh/lost.md translates no page: there is no docs/lost.md."]


def test_a_page_without_stamp_is_found(docs: Path) -> None:
    page = docs / "zh" / "guides" / "ships.md"
    page.write_text(without_stamp(page.read_text(encoding="utf-8")), encoding="utf-8")
    (said,) = problems(docs)
    assert said.endswith("has no stamp: run `python -m tools.site stamp guides/ships.md`.")


def test_a_second_stamp_changes_nothing(docs: Path) -> None:
    page = stamp("guides/ships.md", docs)
    before = page.read_bytes()
    stamp("guides/ships.md", docs)
    assert page.read_bytes() == before
    assert without_stamp(before.decode("utf-8")) == CHINESE


def test_a_stamp_needs_both_pages(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PageError, match=r"There is no .*farms\.md"):
        stamp("guides/farms.md", docs)
    with pytest.raises(SystemExit, match=r"There is no .*lost\.md\. Name a page by its path"):
        main(["stamp", "guides/lost.md"])
    assert not capsys.readouterr().out


def test_records_are_in_english_only(docs: Path) -> None:
    (docs / "decisions").mkdir()
    (docs / "decisions" / "0001-ships.md").write_text("# Ships\n", encoding="utf-8")
    (docs / "log.md").write_text("# Log\n", encoding="utf-8")
    assert translated_pages(docs) == ["guides/farms.md", "guides/ships.md"]
    assert list(problems(docs)) == []


def test_the_readme_has_a_chinese_page_too(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "zh").mkdir(parents=True)
    (tmp_path / "README.md").write_text(ENGLISH, encoding="utf-8")
    (tmp_path / "README.zh.md").write_text(CHINESE, encoding="utf-8")
    assert [each.split(":")[0] for each in problems(docs)] == ["README.zh.md has no stamp"]
    stamp("README.md", docs)
    assert list(problems(docs)) == []
    changed(tmp_path / "README.md", "# Ships", "# Boats")
    [said] = problems(docs)
    assert said.startswith("README.zh.md is older than README.md")
