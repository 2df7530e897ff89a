"""A file of one sentence a line is kept, and rules for web pages stay where pages are."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import foretext as ft
from foretext.cleaning import clean
from foretext.cleaning.quality_rules import ChineseRules, QualityRules
from foretext.cleaning.short_texts import PAGE_RULES, short_texts
from foretext.corpus import Corpus

SIZES = ("kleine", "große", "alte", "neue", "rote")
PLACES = ("im Hafen", "am Fluss", "auf dem Berg", "vor dem Haus", "neben der Kirche", "im Wald")
GERMAN = [
    f"Eine {size} Katze schläft {place} Nummer {n}."
    for size in SIZES
    for place in PLACES
    for n in range(3)
]
CHINESE = [f"{city}今天有{n}家新公司开业" for city in ("北京", "上海", "广州") for n in range(12)]
LONG = (
    "The old harbour was built before anybody lived here, and people of that time came by boat. "
    "Today ships bring coffee, paper and machines to every country with roads and railways. "
    "Children learn about weather in school, because wind decides when fishermen leave. "
    "Nobody knows what will happen next year, but most families want to stay near their friends."
)


def page(number: int) -> str:
    return LONG.replace("harbour", f"harbour{number}")


def decided(path: Path, **rules: int) -> tuple[list[str], tuple[str, ...]]:
    corpus = Corpus(path)
    found = short_texts(corpus, QualityRules(**rules), ChineseRules())  # type: ignore[arg-type]
    return [Path(corpus.sources[n].name).name for n in sorted(found.sources)], found.without


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "german.txt").write_text("\n".join(GERMAN), encoding="utf-8")
    with gzip.open(folder / "chinese.txt.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(CHINESE))
    rows = "".join(f'{n},"ship {n} came to the old town"\n' for n in range(30))
    (folder / "rows.csv").write_text(f"id,text\n{rows}", encoding="utf-8")
    (folder / "pages.txt").write_text("\n".join(page(n) for n in range(30)), encoding="utf-8")
    return folder


def test_each_file_decides_for_itself(mixed: Path) -> None:
    names, without = decided(mixed)
    assert names == ["chinese.txt.gz", "german.txt", "rows.csv"]
    assert without == PAGE_RULES
    assert decided(mixed, min_sentences=3)[1] == (
        "min_words",
        "min_stop_words",
        "min_terminal_rate",
    )
    assert decided(mixed, min_words=50) == ([], ())


def test_short_texts_are_kept_and_menus_among_pages_are_not(
    mixed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (mixed / "pages.txt").open("a", encoding="utf-8") as file:
        file.write("\nHome and Login to the shop\n")
    done = clean(
        str(mixed), tmp_path / "out", settings={"duplicates": "kept"}, workers=1, quiet=False
    )
    assert done.facts.kept.documents == done.facts.read.documents - 1
    assert done.facts.reasons == {"min_words": 1}
    (note,) = done.facts.notes
    assert note.startswith("3 files (")
    assert f"note: {note}" in capsys.readouterr().err


def test_the_setting_that_the_note_names_applies_the_rule(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n".join(GERMAN), encoding="utf-8")
    with pytest.raises(ft.ForetextError, match="min_words drops 90 of them"):
        clean(str(path), tmp_path / "out", rules={"min_words": 50}, workers=1, quiet=True)


def test_small_files_are_decided_together(tmp_path: Path) -> None:
    for number, text in enumerate(GERMAN[:30]):
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    assert len(decided(tmp_path)[0]) == 30
    for number in range(30, 70):
        (tmp_path / f"{number}.txt").write_text(page(number), encoding="utf-8")
    assert decided(tmp_path)[0] == []
