"""What cannot be asked of a comparison."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from foretext.base.errors import SettingError
from foretext.comparison.request import CompareRequest


def request(**changes: Any) -> CompareRequest:
    given = {"task": "classification", "train": "train.csv", "budget_seconds": 60.0}
    return CompareRequest(**{**given, **changes})


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"task": "translation"}, "there is no such task. There are: classification"),
        ({"seeds": 0}, "--seeds 0: give 1 or more"),
        ({"rounds": 0}, "--rounds 0: give 1 or more"),
        ({"budget_seconds": 0.0}, "--budget 0: give a time"),
        ({"only": ("bert",), "without": ("bert",)}, "both name 'bert'"),
    ],
)
def test_what_cannot_work_is_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SettingError, match=complaint):
        request(**changes)


def test_what_is_kept_is_what_json_reads_back() -> None:
    settings = MappingProxyType({"bert": MappingProxyType({"training": {"batch_examples": 8}})})
    kept = request(corpus=("a.txt",), train=("a.de", "a.en"), settings=settings).kept()
    assert kept["train"] == ["a.de", "a.en"]
    assert kept["corpus"] == ["a.txt"]
    assert kept["settings"] == {"bert": {"training": {"batch_examples": 8}}}


def test_the_content_changes_with_the_files(tmp_path: Path) -> None:
    train, corpus = tmp_path / "train.csv", tmp_path / "corpus.txt"
    train.write_text("text,label\na,b\n")
    corpus.write_text("a text\n")
    asked = request(train=str(train), corpus=(str(corpus),))
    before = asked.content()
    assert asked.content() == before
    corpus.write_text("another text\n")
    assert asked.content() != before
