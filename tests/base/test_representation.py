"""What Python and notebooks show of models and results: a line, and an escaped table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import foretext as ft
from foretext.base.representation import represented
from foretext.corpus.inspection import inspect_corpus
from foretext.evaluation.figures import Evaluation
from foretext.vectors.analogy_scores import AnalogyResult, AnalogyScore
from foretext.vectors.word_pairs import WordPairResult


@represented
class Thing:
    def summary(self) -> dict[str, Any]:
        return {
            "<name>": "<script>alert(1)</script>",
            "words": 12_345,
            "rate": 0.123456,
            "nothing": None,
            "long": "x " * 100,
            "many": list(range(9)),
            "flag": True,
        }


def test_a_line_and_a_table() -> None:
    line, table = repr(Thing()), Thing()._repr_html_()
    assert line.startswith(
        "Thing(<name>=<script>alert(1)</script>, words=12,345, rate=0.1235, long=x"
    )
    assert line.endswith("..., many=0, 1, 2, 3, 4, 5, 6, 7, ..., flag=True)")
    assert "\n" not in line
    assert "<script>" not in table
    assert "&lt;script&gt;" in table
    assert "&lt;name&gt;" in table
    assert "nothing" not in line + table


def models() -> list[Any]:
    texts, labels = ["a ship", "a field", "a wave", "a cow"] * 3, ["sea", "land"] * 6
    images = np.random.default_rng(0).random((20, 8, 8))
    autoencoder = ft.Autoencoder("linear", dim=2, epochs=1.0).fit(images)
    return [
        ft.Word2Vec(min_count=1).fit([["<b>", "b"]] * 5).vectors_,
        ft.Word2Vec(window=2),
        autoencoder,
        autoencoder.codec,
        ft.LinearClassifier(),
        ft.LinearClassifier().fit(texts, labels),
        ft.FastTextClassifier(dim=4),
        WordPairResult(0.5, float("nan"), 10, 1, ("<b>",)),
        AnalogyResult((AnalogyScore("<b>", 1, 2, 3),)),
        Evaluation(Path("pairs.tsv"), {"spearman": 0.5, "<b>": 3}),
    ]


def test_models_and_results_are_shown() -> None:
    for shown in models():
        line, table = repr(shown), shown._repr_html_()
        assert type(shown).__name__ in line
        assert "\n" not in line
        assert len(line) < 400
        assert type(shown).__name__ in table
        assert "<b><" not in table


def test_a_report_of_a_corpus_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("the ship sails\n" * 50)
    report = inspect_corpus(ft.Corpus(path))
    assert repr(report).startswith("CorpusReport(files=1, documents=50")
    assert "\n" not in repr(report)
    assert "<table>" in report._repr_html_()
