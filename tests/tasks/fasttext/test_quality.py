"""On real rows the settings that are chosen are as good as those that were searched for."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from foretext.tasks.fasttext.classifier import FastTextClassifier

pytestmark = pytest.mark.shared_data

Rows = list[tuple[str, str]]  # text and label


def lines(path: Path) -> list[str]:
    return lzma.decompress(path.read_bytes()).decode().splitlines()


def r8(folder: Path, part: str) -> Rows:
    pairs = (line.split("\t") for line in lines(folder / "r8" / f"{part}.txt.xz"))
    return [(text, label) for label, text in pairs]


def tnews(folder: Path, part: str) -> Rows:
    rows = map(json.loads, lines(folder / "tnews" / f"{part}.json.xz"))
    return [(row["sentence"], row["label"]) for row in rows]


def accuracy(train: Rows, test: Rows) -> float:
    classifier = FastTextClassifier(workers=1).fit(*map(list, zip(*train, strict=True)))
    return classifier.score(*map(list, zip(*test, strict=True)))


@pytest.mark.slow
def test_topics_of_english_news(shared_data: Path) -> None:
    train, test = r8(shared_data, "train"), r8(shared_data, "test")
    assert accuracy(train, test) > 0.968
    assert accuracy(train[::5], test) > 0.93


@pytest.mark.slow
def test_topics_of_chinese_titles(shared_data: Path) -> None:
    train, test = tnews(shared_data, "train"), tnews(shared_data, "test")
    assert accuracy(train, test) > 0.543
    assert accuracy(train[::50], test) > 0.34
