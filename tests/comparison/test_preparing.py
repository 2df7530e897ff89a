"""What is decided before the first candidate begins."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import SettingError
from foretext.comparison.ledger import Ledger
from foretext.comparison.preparing import kept_plan, make_plan
from foretext.comparison.request import CompareRequest
from foretext.comparison.shares import Stopwatch
from foretext.corpus import Corpus
from foretext.corpus.settings import CorpusConfig
from tests.comparison.fake_worker import Clock

WORDS = {"sea": "ship wave sail", "land": "field hill road"}


def write_rows(path: Path, number: int, first: int = 0) -> str:
    """Write rows of two labels, each with a text of its own."""
    rows = [
        f"{label}\t{words} number {place}"
        for place in range(first, first + number)
        for label, words in WORDS.items()
    ]
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def asked(tmp_path: Path, **changes: Any) -> CompareRequest:
    given = {
        "task": "classification",
        "train": write_rows(tmp_path / "train.txt", 30),
        "test": write_rows(tmp_path / "test.txt", 5, first=100),
        "budget_seconds": 600.0,
        "only": ("linear", "textcnn"),
    }
    return CompareRequest(**{**given, **changes})


def plan_of(tmp_path: Path, request: CompareRequest) -> Any:
    return make_plan(request, Ledger(tmp_path / "out"), Stopwatch(0.0, Clock()))


def test_rows_are_held_out_and_written_for_everybody(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, asked(tmp_path))
    assert plan.rows["train"] + plan.rows["valid"] == 60
    assert plan.rows["valid"] > 5
    assert plan.rows["test"] == 10
    ledger = Ledger(tmp_path / "out")
    for part, number in plan.rows.items():
        assert len(ledger.rows_file(part).read_text().splitlines()) == number
    assert [each.name for each in plan.candidates] == ["linear", "textcnn"]


def test_test_rows_may_be_longer_than_those_held_out(tmp_path: Path) -> None:
    rows = [f"{label}\t{3 * words} again" for label, words in WORDS.items()]
    (tmp_path / "long.txt").write_text("\n".join(rows) + "\n")
    alike, longer = (
        plan_of(tmp_path / Path(name).stem, asked(tmp_path, test=str(tmp_path / name))).row_length
        for name in ("test.txt", "long.txt")
    )
    assert alike == pytest.approx(1.0, abs=0.1)
    assert longer > 1.3


def test_without_a_corpus_the_texts_of_the_rows_are_it(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, asked(tmp_path, only=("word2vec + textcnn",)))
    (corpus,) = plan.corpus
    assert "ship wave sail number 1" in Path(corpus).read_text()
    assert "number 100" not in Path(corpus).read_text()
    assert any("no corpus was given" in note for note in plan.notes)
    without = plan_of(tmp_path, asked(tmp_path))  # nobody pretrains
    assert not any("no corpus" in note for note in without.notes)


def test_the_texts_of_the_rows_are_read_before_the_corpus(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.csv"
    corpus.write_text("story\n" + "the ship went on to the next harbour\n" * 3)
    request = asked(
        tmp_path, corpus=(str(corpus),), only=("word2vec + textcnn",), text={"column": "story"}
    )
    plan = plan_of(tmp_path, request)
    texts, other = plan.corpus
    assert other == str(corpus)
    documents = list(Corpus([*plan.corpus], CorpusConfig(**plan.text)))
    assert "ship wave sail number" in documents[0]
    assert documents[-1].startswith("the ship went on")
    assert "number 100" not in Path(texts).read_text()
    assert any("are read with the corpus" in note for note in plan.notes)


def test_a_corpus_in_another_encoding_is_read_alone(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("the ship went on\n", encoding="utf-16")
    text = {"encoding": "utf-16"}
    request = asked(tmp_path, corpus=(str(corpus),), only=("word2vec + textcnn",), text=text)
    assert plan_of(tmp_path, request).corpus == [str(corpus)]


def test_a_test_that_stands_in_the_corpus_is_a_warning(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    request = asked(tmp_path, corpus=(str(corpus),), only=("bert",))
    lines = Path(str(request.test)).read_text().splitlines()
    corpus.write_text("\n".join(line.split("\t")[1] for line in lines) + "\n")
    assert not any("corpus" in each for each in plan_of(tmp_path, request).warnings)  # too short
    long = " and then the ship went on to the next harbour, where it stayed"
    test = tmp_path / "long.txt"
    test.write_text("".join(f"{line}{long}\n" for line in lines))
    corpus.write_text(f"{lines[0].split(chr(9))[1]}{long}\n")
    request = replace(request, test=str(test))
    warnings = plan_of(tmp_path, request).warnings
    assert any("stands in the corpus" in each for each in warnings)


def test_a_resume_asks_for_the_same(tmp_path: Path) -> None:
    request = asked(tmp_path)
    plan, out = plan_of(tmp_path, request), tmp_path / "out"
    assert kept_plan(request, plan, out) == plan
    with pytest.raises(SettingError, match=r"began with budget = 600.0, not 60.0"):
        kept_plan(replace(request, budget_seconds=60.0), plan, out)
    write_rows(tmp_path / "train.txt", 31)
    with pytest.raises(SettingError, match="have changed since"):
        kept_plan(request, plan, out)
