"""A text that is encoded already is divided into the same files as one that is encoded now."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.corpus import Corpus
from foretext.corpus.settings import CorpusConfig
from foretext.data import token_writer
from foretext.data.segmenter import Segmenter
from foretext.data.token_writer import write_tokens
from foretext.tokenizers.subwords import learn_subwords


def written(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.*")}


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("at_once", [1, 7, 100, 1 << 20])
@pytest.mark.parametrize("valid_rate", [0.0, 1e-9, 0.3, 0.999999])
def test_the_files_are_the_same(
    animal_text: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    marked: bool,
    at_once: int,
    valid_rate: float,
) -> None:
    monkeypatch.setattr(token_writer, "TOKENS_AT_ONCE", at_once)
    text = tmp_path / "text.txt"
    text.write_text(animal_text.read_text()[:3000])
    corpus = Corpus(text)
    tokenizer = learn_subwords("wordpiece", {"vocab_size": 90}, corpus)
    segmenter = Segmenter(tokenizer) if marked else None
    whole = write_tokens(corpus, tokenizer, tmp_path / "whole", segmenter=segmenter).train
    options = {"valid_rate": valid_rate, "seed": 3, "segmenter": segmenter}
    write_tokens(corpus, tokenizer, tmp_path / "encoded", **options)
    write_tokens(corpus, tokenizer, tmp_path / "divided", **options, encoded=whole)
    assert written(tmp_path / "divided") == written(tmp_path / "encoded")


def test_of_one_document_the_last_sentences_are_held_out(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("one two\nthree\nfour five\nsix\n")
    corpus = Corpus(text, CorpusConfig(documents="file"))
    tokenizer = learn_subwords("wordpiece", {"vocab_size": 60, "min_count": 1}, corpus)
    whole = write_tokens(corpus, tokenizer, tmp_path / "whole").train
    write_tokens(corpus, tokenizer, tmp_path / "encoded", valid_rate=0.3)
    tokens = write_tokens(corpus, tokenizer, tmp_path / "divided", valid_rate=0.3, encoded=whole)
    assert written(tmp_path / "divided") == written(tmp_path / "encoded")
    assert tokens.valid is not None
    assert tokens.valid.num_sentences == 1
