"""A sample of a corpus says what the whole would."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import CorpusError
from foretext.corpus import Corpus
from foretext.pretraining.plan.sample import CorpusSample

NUMBERS = np.random.default_rng(0).integers(10**12, size=(40_000, 4))
TEXT = "".join(f"document {' '.join(map(str, row))} ends\n" for row in NUMBERS)


def normal_bytes(corpus: Corpus) -> int:
    return sum(len(text.encode()) for text in corpus.blocks())


def test_a_small_corpus_is_taken_whole(tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text("one\ntwö\n", encoding="utf-8")
    corpus = Corpus(tmp_path / "small.txt")
    sample = CorpusSample(corpus)
    assert sample.whole
    assert sample.num_bytes == sample.corpus_bytes == normal_bytes(corpus)
    assert "".join(sample.blocks()) == "".join(corpus.blocks())


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_large_one_is_judged_by_its_beginning(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"large.txt{suffix}"
    path.write_bytes(gzip.compress(TEXT.encode()) if suffix else TEXT.encode())
    corpus = Corpus(path)
    sample = CorpusSample(corpus, limit=500_000)
    assert not sample.whole
    assert 500_000 <= sample.num_bytes < len(TEXT) / 2
    assert sample.corpus_bytes == pytest.approx(normal_bytes(corpus), rel=0.15)
    assert len(list(sample.beginning().blocks())) == 1


def test_a_stream_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(TEXT.encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    corpus = Corpus("-")
    assert CorpusSample(corpus, limit=300_000).corpus_bytes == normal_bytes(corpus)


def test_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(CorpusError, match="there is no text in it"):
        CorpusSample(Corpus(tmp_path / "empty.txt"))
