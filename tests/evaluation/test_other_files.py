"""Files that a measure does not fit are refused, or the share that it leaves out is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import EvaluationError
from foretext.data.rows import found_pairs_config
from foretext.evaluation import evaluate_vectors
from foretext.evaluation.language_model import evaluate_language_model
from foretext.evaluation.text_pairs import evaluate_text_pairs
from foretext.finetuning.finetune import finetune
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.vectors.word_vectors import WordVectors
from tests.task_files import language_model, small_settings, word_vectors

CHINESE = [
    ("一架飞机正在起飞离开机场", "飞机在机场起飞了", 5.0),
    ("一个男人在公园里弹吉他", "有人正在弹奏一把吉他", 4.0),
    ("两只狗在雪地里快乐奔跑", "股市今天下跌了百分之三", 0.2),
]


@pytest.fixture(scope="module")
def english() -> WordVectors:
    words = ["the", "ship", "sea", "judge", "court"]
    return WordVectors(words, np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32))


def scored(path: Path, rows: list[tuple[str, str, float]]) -> Path:
    path.write_text("".join(f"{a}\t{b}\t{score}\n" for a, b, score in rows), encoding="utf-8")
    return path


def test_chinese_texts_are_no_words(tmp_path: Path) -> None:
    path = scored(tmp_path / "sts.txt", CHINESE)
    words = sorted({letter for a, b, _ in CHINESE for letter in a + b})
    vectors = WordVectors(
        words,
        np.random.default_rng(0).normal(size=(len(words), 8)).astype(np.float32),
        split=list,
    )
    (found,) = evaluate_vectors(vectors, [path])
    assert found.figures["kind"] == "text pairs"
    assert (found.figures["pairs"], found.figures["without_vector"]) == (3, 0)


def test_thai_texts_are_no_words_and_chinese_words_are_none(tmp_path: Path) -> None:
    thai = "วันนี้อากาศดีมากฉันอยากไปเที่ยวทะเล"
    path = scored(tmp_path / "thai.txt", [(thai, thai, 5.0), (thai, thai[::-1], 1.0)])
    vectors = WordVectors(["a", thai], np.eye(2, dtype=np.float32))
    (found,) = evaluate_vectors(vectors, [path])
    assert found.figures["kind"] == "text pairs"
    path = scored(tmp_path / "words.txt", [("足球", "篮球", 7.0), ("老虎", "狮子", 7.5)])
    words = ["足球", "篮球", "老虎", "狮子"]
    vectors = WordVectors(words, np.random.default_rng(1).normal(size=(4, 4)).astype(np.float32))
    (found,) = evaluate_vectors(vectors, [path])
    assert found.figures["kind"] == "word pairs"


def test_pairs_in_another_language(english: WordVectors, tmp_path: Path) -> None:
    path = scored(tmp_path / "sts.txt", CHINESE)
    with pytest.raises(EvaluationError, match="all 3 pairs have a text without a word"):
        evaluate_text_pairs(english, path, found_pairs_config(path))
    more = [("the ship", "the sea", 4.0), ("the judge", "the sea", 1.0)]
    path = scored(tmp_path / "mixed.txt", [*CHINESE, *more])
    found = evaluate_text_pairs(english, path, found_pairs_config(path)).figures
    assert found["warning"].startswith("3 of 5 pairs (60%) have no word that the model knows")
    path = scored(tmp_path / "english.txt", more)
    assert "warning" not in evaluate_text_pairs(english, path, found_pairs_config(path)).figures


def test_labelled_rows_have_no_loss(byte_bpe: SubwordTokenizer, tmp_path: Path) -> None:
    model = language_model("gpt", byte_bpe)
    path = tmp_path / "rows.txt"
    words = ["ship", "sea", "wave", "court", "judge", "law", "farm"]
    for row in (
        "{label}\tthe {word} and {n}\n",
        "the {word} and {n}\t{label}\n",
        "{n}\tthe {word}\t{label}\n",
    ):
        path.write_text(
            "".join(row.format(label=f"topic{n % 3}", word=words[n % 7], n=n) for n in range(40))
        )
        with pytest.raises(EvaluationError, match="columns, separated by tabs, with labels"):
            evaluate_language_model(model, [path])
    path.write_text("Anna B-PER\nlives O\n\nJohn B-PER\nsails O\n\n" * 4)
    with pytest.raises(EvaluationError, match="each line is a token with its tag"):
        evaluate_language_model(model, [path])


def test_text_with_tabs_has_a_loss(byte_bpe: SubwordTokenizer, tmp_path: Path) -> None:
    model = language_model("gpt", byte_bpe)
    path = tmp_path / "text.txt"
    path.write_text("\tthe dog barks\nthe cat\tpurrs\n" * 10 + "the hen clucks\n")
    (found,) = evaluate_language_model(model, [path])
    assert found.figures["tokens"]


def test_rows_in_another_language_than_the_vectors(tmp_path: Path) -> None:
    rows = [(text, str(n % 2)) for n in range(12) for text in ("股市 利率", "球队 冠军")]
    settings: dict[str, Any] = {**small_settings("textcnn", steps=2), "backbone": {"num_maps": 4}}
    settings["backbone"] = {"num_maps": 4, "widths": [1]}
    run = tmp_path / "run"
    finetune("classification", word_vectors(), rows, run, settings=settings, quiet=True)
    assert "100% of the tokens of the rows have no vector in the base" in (
        run / "train.log"
    ).read_text(encoding="utf-8")
