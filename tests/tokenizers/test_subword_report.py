from __future__ import annotations

import json
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.corpus import Corpus
from foretext.tokenizers.subword_report import Segmentation, SubwordReport, subword_report
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords


def learned(tmp_path: Path, kind: str, vocab_size: int) -> SubwordTokenizer:
    (tmp_path / "text.txt").write_text("the cat sat on the mat\n" * 9, encoding="utf-8")
    return learn_subwords(kind, {"vocab_size": vocab_size}, Corpus(tmp_path / "text.txt"))


def test_figures_by_hand(tmp_path: Path) -> None:
    tokenizer = learned(tmp_path, "wordpiece", 60)
    report = subword_report(tokenizer, ["The cat, the mats", "x"], num_examples=1, num_longest=2)
    assert report == SubwordReport(
        vocab_size=tokenizer.vocab_size,
        num_words=5,
        num_tokens=6,
        fertility=1.0,
        whole_word_rate=0.6,  # "mats" and "x" are unknown
        unknown_rate=0.5,  # and the comma
        bytes_per_token=3.0,
        characters_per_token=3.0,
        longest_tokens=["cat", "mat"],
        examples=[
            Segmentation("The cat, the mats", ["the", "cat", "[UNK]", "the", "[UNK]"]),
        ],
    )


def test_a_word_of_several_tokens(tmp_path: Path) -> None:
    report = subword_report(learned(tmp_path, "bpe", 300), ["the satin, cat"])
    assert report.examples == [
        Segmentation("the satin, cat", ["the", " sat", "i", "n", ",", " cat"])
    ]
    assert report.fertility == pytest.approx(5 / 3)
    assert report.whole_word_rate == pytest.approx(2 / 3)
    assert report.unknown_rate == 0
    assert report.bytes_per_token == pytest.approx(14 / 6)


def test_bytes_that_are_no_text_are_shown_as_numbers(tmp_path: Path) -> None:
    report = subword_report(learned(tmp_path, "bpe", 300), ["漢"])
    assert report.examples == [Segmentation("漢", ["<E6>", "<BC>", "<A2>"])]
    assert report.characters_per_token == pytest.approx(1 / 3)
    assert report.fertility == 3


def test_json(tmp_path: Path) -> None:
    report = subword_report(learned(tmp_path, "bpe", 300), ["the cat 漢"])
    assert json.loads(report.to_json()) == report.to_dict()
    assert "漢" in report.to_json()


@pytest.mark.parametrize("texts", [[], ["", ""]])
def test_no_text(texts: list[str], tmp_path: Path) -> None:
    with pytest.raises(CorpusError) as error:
        subword_report(learned(tmp_path, "bpe", 300), texts)
    assert str(error.value) == "The text to report on has no tokens; give a file with text."
