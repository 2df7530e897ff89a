"""Pairs of texts against cosines, with the figures of sentence-transformers' own evaluators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import CorpusError, EvaluationError
from foretext.data.rows import PairsConfig, found_pairs_config
from foretext.evaluation.text_pairs import evaluate_text_pairs
from foretext.evaluation.vectors import evaluate_vectors
from foretext.interop.sentence_transformers import SentenceEncoding, write_modules
from foretext.language_model import LanguageModel
from foretext.vectors.word_vectors import WordVectors
from tests.networks import ANIMALS, SOUNDS, TIMES
from tests.task_files import language_model, word_vectors

RNG = np.random.default_rng(1)


@pytest.fixture(scope="module")
def encoder(wordpiece: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encoder")
    language_model("bert", wordpiece).save(folder)
    write_modules(folder, SentenceEncoding("mean", text_length=24), 32)
    return folder


def written(folder: Path, header: str, judgements: list[Any]) -> Path:
    """Pairs of short sentences, each with a judgement."""
    lines = [header]
    for row, judgement in enumerate(judgements):
        texts = [
            f"the {RNG.choice(ANIMALS)} {RNG.choice(SOUNDS)}, in the {RNG.choice(TIMES)}"
            for _ in range(2)
        ]
        lines.append("\t".join([str(row), *texts, str(judgement)]))
    path = folder / "pairs.tsv"
    path.write_text("\n".join(lines) + "\n")
    return path


def columns_of(path: Path) -> list[list[str]]:
    rows = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    return [list(column) for column in zip(*rows, strict=True)]


def test_scores_as_sentence_transformers_judges_them(encoder: Path, tmp_path: Path) -> None:
    library = pytest.importorskip("sentence_transformers")
    evaluation = pytest.importorskip("sentence_transformers.evaluation")
    path = written(tmp_path, "\tsentence1\tsentence2\tscore", RNG.random(40).round(2).tolist())
    _, firsts, seconds, scores = columns_of(path)
    judge = evaluation.EmbeddingSimilarityEvaluator(firsts, seconds, [*map(float, scores)])
    theirs = judge(library.SentenceTransformer(str(encoder), device="cpu"))
    model = LanguageModel.load(encoder, device="cpu", precision="fp32")
    ours = evaluate_text_pairs(model, path, found_pairs_config(path)).figures
    assert ours["spearman"] == pytest.approx(theirs["spearman_cosine"], abs=1e-4)
    assert ours["pearson"] == pytest.approx(theirs["pearson_cosine"], abs=1e-4)
    assert (ours["pairs"], ours["columns"]) == (40, ["sentence1", "sentence2", "score"])


def test_labels_as_sentence_transformers_judges_them(encoder: Path, tmp_path: Path) -> None:
    library = pytest.importorskip("sentence_transformers")
    evaluation = pytest.importorskip("sentence_transformers.evaluation")
    labels = RNG.integers(0, 2, 60).tolist()
    path = written(tmp_path, "id\tquestion1\tquestion2\tis_duplicate", labels)
    _, firsts, seconds, _ = columns_of(path)
    judge = evaluation.BinaryClassificationEvaluator(firsts, seconds, labels)
    theirs = judge(library.SentenceTransformer(str(encoder), device="cpu"))
    model = LanguageModel.load(encoder, device="cpu", precision="fp32")
    ours = evaluate_text_pairs(model, path, found_pairs_config(path)).figures
    assert ours["average_precision"] == pytest.approx(theirs["cosine_ap"], abs=1e-6)
    assert ours["best_accuracy"] == pytest.approx(theirs["cosine_accuracy"])
    assert ours["best_f1"] == pytest.approx(theirs["cosine_f1"])
    assert ours["best_f1_threshold"] == pytest.approx(theirs["cosine_f1_threshold"], abs=1e-4)
    assert ours["positive_label"] == "1"
    assert ours["thresholds"] == "chosen on these rows"


def test_word_vectors_are_averaged(tmp_path: Path) -> None:
    """Cells of several words are texts; single words are looked up."""
    vectors = word_vectors()
    path = written(tmp_path, "\tsentence1\tsentence2\tscore", [1.0, 3.0, 2.0, 5.0])
    (found,) = evaluate_vectors(vectors, [path])
    _, firsts, seconds, scores = columns_of(path)
    a, b = vectors.embed(firsts), vectors.embed(seconds)
    cosines = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    expected = np.corrcoef(cosines, [*map(float, scores)])[0, 1]
    assert found.figures["kind"] == "text pairs"
    assert found.figures["pearson"] == pytest.approx(expected, abs=1e-6)
    path.write_text("cat\tdog\t3\ncow\then\t2\n")
    assert evaluate_vectors(vectors, [path])[0].figures["kind"] == "word pairs"


def test_a_text_without_known_words_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text('text_a,text_b,label\n"the cat, again",xyzzy plugh,no\nthe dog,a dog,yes\n')
    (found,) = evaluate_vectors(word_vectors(), [path])
    assert found.figures["without_vector"] == 1
    assert found.figures["area_under_curve"] == 1.0


def test_files_that_cannot_be_judged(tmp_path: Path) -> None:
    vectors: WordVectors = word_vectors()
    path = tmp_path / "pairs.csv"
    path.write_text("text_a,text_b,label\na,b,x\nc,d,y\ne,f,z\n")
    with pytest.raises(EvaluationError, match="has 3 labels, and a cosine can tell two apart"):
        evaluate_text_pairs(vectors, path, PairsConfig())
    path.write_text("text_a,text_b,label\na,b,x\n")
    with pytest.raises(EvaluationError, match="has one pair"):
        evaluate_text_pairs(vectors, path, PairsConfig())
    path.write_text("first,second,rater 1,rater 2\na cat,a dog,4,5\na hen,a pig,2,2\n")
    with pytest.raises(CorpusError, match=r"2 columns of numbers may be the score .*--score"):
        found_pairs_config(path)
