"""fastText's own files: theirs answer the same here, ours answer the same there.

The program adds 1e-5 to a chance before it takes the logarithm, and reads its sigmoid off a table
of 512 steps; chances differ by that. It fills a tenth of a model with first values for each of
up to ten threads, and leaves what ten does not divide: the rest is whatever memory held. Hence ten
threads and dimensions in tens.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import VectorFileError
from foretext.corpus.pre_tokenizers import PreTokenizer
from foretext.tasks.fasttext.bin_file import read_model, write_model
from foretext.tasks.fasttext.classifier import FastTextClassifier
from foretext.tasks.fasttext.config import PROGRAM_DEFAULTS
from foretext.tasks.fasttext.model import FastTextModel
from tests.tasks.fasttext.texts import ASKED, NAMES, labelled_texts
from tests.vectors.test_fasttext_files import EXPECTED, REAL

TEXTS, LABELS = labelled_texts()
QUESTIONS = [*TEXTS[:60], *ASKED]
LOSSES = {"softmax": 2e-5, "hs": 6e-5, "ns": 1e-2, "ova": 1e-2}
FEATURES: list[dict[str, Any]] = [
    {},
    {"word_ngrams": 3, "bucket": 3_000},
    {"word_ngrams": 2, "minn": 2, "maxn": 3, "bucket": 3_000},
]


def ours(model: FastTextModel) -> np.ndarray:
    order = [model.dictionary.classes.index(name) for name in NAMES]
    return model.chances(QUESTIONS)[:, order]


def theirs(model: Any) -> np.ndarray:
    """Its wrapper's own ``predict`` fails with numpy 2, so the method below it is called."""
    chances = np.zeros((len(QUESTIONS), len(NAMES)))
    for row, text in zip(chances, QUESTIONS, strict=True):
        for chance, label in model.f.predict(f"{text}\n", len(NAMES), 0.0, "strict"):
            row[NAMES.index(label.removeprefix("__label__"))] = chance
    return chances


def their_training(folder: Path, loss: str, features: dict[str, Any]) -> Any:
    fasttext = pytest.importorskip("fasttext")
    path = folder / "train.txt"
    lines = (f"__label__{label} {text}\n" for text, label in zip(TEXTS, LABELS, strict=True))
    path.write_text("".join(lines), encoding="utf-8")
    names = {"word_ngrams": "wordNgrams"}
    given = {names.get(name, name): value for name, value in features.items()}
    settings = {"dim": 20, "lr": 0.5, "epoch": 5, "minCount": 2, "thread": 10, "verbose": 0}
    return fasttext.train_supervised(str(path), loss=loss, **settings | given)


def our_training(loss: str, features: dict[str, Any]) -> FastTextModel:
    settings = PROGRAM_DEFAULTS | {"dim": 20, "lr": 0.5, "min_count": 2, "workers": 1}
    return FastTextClassifier(loss=loss, **settings | features).fit(TEXTS, LABELS).model


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("features", FEATURES)
def test_their_models_answer_the_same_here(
    tmp_path: Path, loss: str, features: dict[str, Any]
) -> None:
    real = their_training(tmp_path, loss, features)
    real.save_model(str(tmp_path / "real.bin"))
    model = read_model(tmp_path / "real.bin")
    np.testing.assert_allclose(ours(model), theirs(real), atol=LOSSES[loss])
    assert model.dictionary.words == real.get_words()
    write_model(tmp_path / "again.bin", model)
    again = pytest.importorskip("fasttext").load_model(str(tmp_path / "again.bin"))
    np.testing.assert_allclose(theirs(again), theirs(real), atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("features", FEATURES)
def test_our_models_answer_the_same_there(
    tmp_path: Path, loss: str, features: dict[str, Any]
) -> None:
    fasttext = pytest.importorskip("fasttext")
    model = our_training(loss, features)
    write_model(tmp_path / "ours.bin", model)
    real = fasttext.load_model(str(tmp_path / "ours.bin"))
    np.testing.assert_allclose(theirs(real), ours(model), atol=LOSSES[loss])
    np.testing.assert_allclose(ours(read_model(tmp_path / "ours.bin")), ours(model), atol=1e-7)


@pytest.mark.parametrize("how", [{}, {"qnorm": True, "dsub": 3}, {"cutoff": 300}])
@pytest.mark.parametrize("loss", ["softmax", "hs"])
def test_their_quantised_models(tmp_path: Path, loss: str, how: dict[str, Any]) -> None:
    real = their_training(tmp_path, loss, FEATURES[1])
    real.quantize(**how)
    real.save_model(str(tmp_path / "real.ftz"))
    model = read_model(tmp_path / "real.ftz")
    np.testing.assert_allclose(ours(model), theirs(real), atol=LOSSES[loss])
    write_model(tmp_path / "again.ftz", model)
    again = pytest.importorskip("fasttext").load_model(str(tmp_path / "again.ftz"))
    np.testing.assert_allclose(theirs(again), theirs(real), atol=1e-6)


@pytest.mark.parametrize("qnorm", [False, True])
def test_their_quantised_outputs(tmp_path: Path, qnorm: bool) -> None:
    fasttext = pytest.importorskip("fasttext")
    lines = [f"__label__l{number} w{number} w{number % 7} all" for number in range(300)] * 4
    (tmp_path / "train.txt").write_text("\n".join([*lines, ""]))
    settings = {"dim": 10, "lr": 1.0, "epoch": 20, "thread": 10, "verbose": 0}
    real = fasttext.train_supervised(str(tmp_path / "train.txt"), **settings)
    real.quantize(qout=True, qnorm=qnorm)
    real.save_model(str(tmp_path / "real.ftz"))
    classifier = FastTextClassifier.load(tmp_path / "real.ftz")
    texts = [f"w{number} all" for number in range(40)]
    for text, (mine,) in zip(texts, classifier.predict_top(texts), strict=True):
        ((chance, label),) = real.f.predict(f"{text}\n", 1, 0.0, "strict")
        assert (f"__label__{mine[0]}", mine[1]) == (label, pytest.approx(chance, abs=2e-5))


@pytest.mark.parametrize(
    "how", [{}, {"qnorm": True, "dsub": 3}, {"cutoff": 100}, {"cutoff": 20, "qnorm": True}]
)
@pytest.mark.parametrize("features", FEATURES)
def test_our_quantised_models(
    tmp_path: Path, features: dict[str, Any], how: dict[str, Any]
) -> None:
    fasttext = pytest.importorskip("fasttext")
    small = FastTextClassifier.of_model(our_training("softmax", features)).quantize(**how)
    small.save(tmp_path / "ours.ftz")
    real = fasttext.load_model(str(tmp_path / "ours.ftz"))
    assert real.is_quantized()
    np.testing.assert_allclose(theirs(real), ours(small.model), atol=2e-5)
    again = FastTextClassifier.load(tmp_path / "ours.ftz")
    np.testing.assert_array_equal(again.predict_proba(ASKED), small.predict_proba(ASKED))


def test_equal_settings_give_equal_accuracy(tmp_path: Path) -> None:
    real = their_training(tmp_path, "softmax", FEATURES[1])
    others, labels = labelled_texts(300, seed=9)
    right = [
        real.f.predict(f"{text}\n", 1, 0.0, "strict")[0][1] == f"__label__{label}"
        for text, label in zip(others, labels, strict=True)
    ]
    model = FastTextClassifier.of_model(our_training("softmax", FEATURES[1]))
    assert model.score(others, labels) >= np.mean(right) - 0.02


def test_a_kept_model_of_the_real_program() -> None:
    """Without the package: the file that the tests of word vectors have."""
    model = read_model(REAL / "supervised.bin")
    assert set(model.dictionary.words) >= set(EXPECTED["supervised"])
    for word, expected in EXPECTED["supervised"].items():
        row = model.word_rows[model.dictionary.words.index(word)]
        np.testing.assert_allclose(model.rows.take(np.array([row]))[0], expected, atol=1e-6)


def test_what_the_format_cannot_hold(tmp_path: Path) -> None:
    settings = PROGRAM_DEFAULTS | {"dim": 4, "epochs": 1, "workers": 1}
    blank = FastTextClassifier(**settings).fit(["a b", "c d"], ["two words", "one"])
    with pytest.raises(VectorFileError, match=r"'__label__two words' cannot be written"):
        blank.save(tmp_path / "m.bin")


def test_words_that_the_program_cuts_in_another_way(tmp_path: Path) -> None:
    """The file is right for text that is cut already, and a sentence says how."""
    texts, labels = ["A b.", "c, D"] * 20, ["x", "y"] * 20
    settings = {"dim": 4, "epochs": 9, "workers": 1}
    by_default = FastTextClassifier(**settings).fit(texts, labels)
    with pytest.warns(UserWarning, match=r"cuts text at blanks alone: give it words with blanks"):
        by_default.save(tmp_path / "default.bin")
    again = FastTextClassifier.load(tmp_path / "default.bin")
    cut = [" ".join(PreTokenizer("unicode_words").words(text)) for text in texts]
    np.testing.assert_allclose(again.predict_proba(cut), by_default.predict_proba(texts), atol=1e-6)
    small = FastTextClassifier(**PROGRAM_DEFAULTS | {"lowercase": True}).fit(texts, labels)
    told: list[str] = []
    small.save(tmp_path / "small.bin", note=told.append)
    assert len(told) == 1
    assert "keeps capitals" in told[0]
    like_theirs = FastTextClassifier(**PROGRAM_DEFAULTS).fit(texts, labels)
    like_theirs.save(tmp_path / "same.bin", note=told.append)
    assert len(told) == 1


def test_word_vectors_are_no_classifier() -> None:
    with pytest.raises(VectorFileError, match=r"holds word vectors and no classifier"):
        FastTextClassifier.load(REAL / "skipgram.bin")


def test_damaged_files_say_so(tmp_path: Path) -> None:
    small = FastTextClassifier.of_model(our_training("softmax", FEATURES[1]))
    for name, model in (("m.bin", small), ("m.ftz", small.quantize(cutoff=100, qnorm=True))):
        model.save(tmp_path / name)
        whole = (tmp_path / name).read_bytes()
        for size in (3, 60, 200, len(whole) // 2, len(whole) - 1):
            (tmp_path / name).write_bytes(whole[:size])
            with pytest.raises(VectorFileError, match="cut off"):
                FastTextClassifier.load(tmp_path / name)
        settings = 8 + 12 * 4 + 8
        for at, value in ((8 + 6 * 4, 77), (settings + 4, 9999), (8, 3)):
            damaged = bytearray(whole)
            damaged[at : at + 4] = value.to_bytes(4, "little")
            (tmp_path / name).write_bytes(damaged)
            with pytest.raises(VectorFileError, match="damaged"):
                FastTextClassifier.load(tmp_path / name)
