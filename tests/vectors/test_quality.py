"""Word vectors of real text are as good as the field's tools make them; needs the data sets."""

from __future__ import annotations

import lzma
import re
from pathlib import Path
from typing import Any

import pytest

import foretext as ft

pytestmark = pytest.mark.shared_data


def unpacked(source: Path, folder: Path) -> Path:
    target = folder / source.stem
    target.write_bytes(lzma.decompress(source.read_bytes()))
    return target


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("loss", "least"), [("ns", 0.35), ("hs", 0.41)])
def test_wikitext2(shared_data: Path, tmp_path: Path, loss: str, least: float) -> None:
    """gensim 4.4 reaches a WordSim-353 correlation of 0.384 (ns) and 0.385 (hs) in five epochs."""
    text = unpacked(shared_data / "wikitext-2" / "train.txt.xz", tmp_path)
    settings = {"pre_tokenizer": "whitespace", "valid_rate": 0.0, "workers": 1}
    vectors = ft.Word2Vec(loss=loss, **settings).fit(text).vectors_
    found = vectors.evaluate_word_pairs(shared_data / "wordsim" / "EN-WS-353-ALL.txt")
    assert found.spearman > least
    assert found.num_pairs > 250


@pytest.mark.slow
def test_penn_treebank(shared_data: Path, tmp_path: Path) -> None:
    """The neighbours of chip are of the kind microprocessor, semiconductors, drives."""
    text = unpacked(shared_data / "ptb" / "ptb.train.txt.xz", tmp_path)
    settings = {"min_count": 10, "subsampling": "paper", "sample": 1e-4, "workers": 1}
    vectors = ft.Word2Vec(epochs=20, **settings).fit(text).vectors_
    near = {word for word, _ in vectors.most_similar("chip", topn=10)}
    technical = {
        *("microprocessor", "microprocessors", "semiconductor", "semiconductors", "chips"),
        *("drives", "memory", "disk", "computers", "computer", "workstations", "intel", "hardware"),
        *("micro", "mainframe", "mainframes", "laptop", "portable", "supercomputers", "software"),
        *("desktop", "dell", "compaq", "tandem"),
    }
    assert len(near & technical) >= 4, near


PAPER = {"pre_tokenizer": "whitespace", "min_count": 10, "subsampling": "paper", "sample": 1e-4}


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{"alpha": 0.025}, {"model": "cbow"}], ids=str)
def test_what_is_advised_parts_the_words_of_the_penn_treebank(
    shared_data: Path, tmp_path: Path, settings: dict[str, Any]
) -> None:
    """Where words are all near each other, each way that is advised finds what is near chip."""
    text = unpacked(shared_data / "ptb" / "ptb.train.txt.xz", tmp_path)
    given = {**PAPER, "epochs": 5, "workers": 1, **settings}
    with pytest.warns(UserWarning, match="hardly left their start") as caught:
        ft.Word2Vec(**given).fit(text, quiet=True)
    advised = dict(re.findall(r"vectors\.(\w+)=([\d.]+)", str(caught[0].message)))
    assert advised.keys() == {"alpha", "epochs"}
    for way, value in advised.items():
        chosen = {way: float(value) if way == "alpha" else int(value)}
        vectors = ft.Word2Vec(**{**given, **chosen}).fit(text, quiet=True).vectors_
        near = {word for word, _ in vectors.most_similar("chip", topn=10)}
        assert near >= {"intel", "microprocessor"}, (way, near)


@pytest.mark.slow
def test_the_default_rate_parts_the_words_of_the_penn_treebank(
    shared_data: Path, tmp_path: Path
) -> None:
    text = unpacked(shared_data / "ptb" / "ptb.train.txt.xz", tmp_path)
    vectors = (
        ft.Word2Vec(**PAPER, epochs=5, workers=1).fit(text, quiet=True).vectors_
    )  # and nothing is said
    near = {word for word, _ in vectors.most_similar("chip", topn=10)}
    assert near >= {"intel", "microprocessor"}


def test_the_penn_treebank_before_and_after_sub_sampling(shared_data: Path, tmp_path: Path) -> None:
    """6,719 words; `the` occurs 50,770 times, and some 2,100 of them are left."""
    text = unpacked(shared_data / "ptb" / "ptb.train.txt.xz", tmp_path)
    settings = [f"{section}.{name}={value}" for section, name, value in SHOWN]
    first = ft.show("word2vec", text, settings=settings, lang="en").to_json()["shown"][0]
    words, *_, table = first["parts"]
    assert "6,719 different words" in words["text"]
    rows = {row[0]: row for row in table["rows"]}
    assert rows["the"][1] == 50_770
    assert 1_950 < rows["the"][4] < 2_250


SHOWN = [
    ("tokenizer", "pre_tokenizer", "whitespace"),
    ("tokenizer", "min_count", 10),
    ("vectors", "subsampling", "paper"),
    ("vectors", "sample", 1e-4),
]
