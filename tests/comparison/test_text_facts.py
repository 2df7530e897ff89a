from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from foretext.comparison.text_facts import text_facts
from foretext.corpus import Corpus


@pytest.mark.parametrize(
    ("text", "script", "language", "has_blanks"),
    [
        ("The ship is in port, 港.", "Latin", "", True),
        ("这艘船在港口，ship。", "Han", "zh", False),
        ("漢字漢字漢字漢字とかな。", "Han", "ja", False),
        ("ひらがなとカタカナ", "Kana", "ja", False),
        ("배가 항구에 있다", "Hangul", "ko", True),
        ("Корабль в порту", "Cyrillic", "", True),
        ("1234", "other", "", True),
    ],
)
def test_scripts_and_languages(
    tmp_path: Path, text: str, script: str, language: str, has_blanks: bool
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"{text}\n" * 50, encoding="utf-8")
    facts = text_facts(Corpus(path))
    assert (facts.script, facts.language, facts.has_blanks) == (script, language, has_blanks)


def test_the_size_of_a_compressed_text_is_estimated(tmp_path: Path) -> None:
    lines = "".join(f"sentence {n} of a text that is long\n" for n in range(100_000))
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(lines.encode()))
    facts = text_facts(Corpus(path))
    assert facts.num_bytes == pytest.approx(len(lines), rel=0.1)


def test_files_in_the_middle_are_looked_at_too(tmp_path: Path) -> None:
    for n in range(20):
        text = "a few words\n" if n < 3 else "这是一个句子，很长的句子。\n"
        (tmp_path / f"{n:02}.txt").write_text(text * 100, encoding="utf-8")
    facts = text_facts(Corpus(tmp_path))
    assert facts.language == "zh"
    stored = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert facts.num_bytes == pytest.approx(stored, rel=0.1)


def test_empty_files_and_rows_of_a_table_are_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "b.csv").write_text("text,label\nune phrase,1\n")
    (tmp_path / "c.txt").write_text(" \n\n")
    facts = text_facts(Corpus(tmp_path))
    assert facts.script == "Latin"
    assert facts.num_bytes > 0
