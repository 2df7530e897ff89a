"""Networks as estimators: the road of `finetune`, under the tools of scikit-learn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline

import foretext as ft
from foretext.base.errors import CorpusError, ModelFileError, SettingError
from tests.estimators.text_cases import ENCODER, PAIRS, SENTENCES, TAGS, TEXTS, TINY, TOPICS

FEW: dict[str, Any] = {"epochs": 12, "learning_rate": 0.02, "settings": TINY, "quiet": True}


def classifier(**more: Any) -> ft.Classifier:
    return ft.Classifier("textcnn", **FEW | more)


def test_constructors_load_nothing_heavy() -> None:
    code = (
        "import sys, foretext as ft; ft.Classifier(), ft.Tagger(), ft.SentenceEncoder();"
        "print({'torch', 'sklearn'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_what_it_learns_is_what_finetune_learns() -> None:
    estimator = classifier(seed=3).fit(TEXTS, TOPICS)
    training = {"epochs": 12, "learning_rate": 0.02, "seed": 3}
    settings = {**TINY, "training": training}
    model = ft.finetune("classification", "textcnn", (TEXTS, TOPICS), settings=settings, quiet=True)
    np.testing.assert_array_equal(estimator.predict_proba(TEXTS), model.predict_proba(TEXTS))
    assert estimator.score(TEXTS, TOPICS) == model.score(TEXTS, TOPICS) == 1.0
    assert estimator.classes_.tolist() == sorted(set(TOPICS))


def test_a_run_is_kept_and_opened(tmp_path: Path) -> None:
    estimator = classifier(output=tmp_path / "run").fit(TEXTS, TOPICS)
    estimator.save(tmp_path / "saved")
    for folder in ("run", "saved"):
        again = ft.Classifier.load(tmp_path / folder)
        assert again.base == str(tmp_path / folder)
        np.testing.assert_array_equal(again.predict_proba(TEXTS), estimator.predict_proba(TEXTS))
        assert ft.load(tmp_path / folder).predict(TEXTS).tolist() == again.predict(TEXTS).tolist()
    with pytest.raises(ModelFileError, match="holds a model of the task 'classification'"):
        ft.Tagger.load(tmp_path / "run")
    with pytest.raises(ft.ForetextError, match="overwrite"):
        estimator.fit(TEXTS, TOPICS)
    estimator.set_params(overwrite=True).fit(TEXTS, TOPICS)


@pytest.mark.slow
def test_searches_pipelines_and_copies() -> None:
    folds = StratifiedKFold(2)
    assert cross_val_score(classifier(), TEXTS, TOPICS, cv=folds, error_score="raise").min() == 1.0
    grid = {"base": ["textcnn", "linear"], "settings": [None]}
    plain = ft.Classifier(quiet=True)
    search = GridSearchCV(plain, grid, cv=folds, error_score="raise").fit(TEXTS, TOPICS)
    assert search.best_params_["base"] in grid["base"]
    pipeline = Pipeline([("network", clone(classifier()))]).fit(TEXTS, TOPICS)
    assert pipeline.predict(TEXTS).tolist() == TOPICS


def test_other_bases_take_the_same_road() -> None:
    linear = ft.Classifier("linear", quiet=True).fit(TEXTS, [2, 0, 10] * 6)
    assert linear.predict(TEXTS[:3]).tolist() == [2, 0, 10]
    assert type(linear.model_) is ft.LinearClassifier
    with pytest.raises(SettingError, match="learns at once"):
        ft.Classifier("linear", budget="3s", quiet=True).fit(TEXTS, TOPICS)


def test_usual_settings_go_to_what_learns_on_the_base() -> None:
    linear = ft.Classifier("linear", seed=7, quiet=True).fit(TEXTS, TOPICS)
    assert linear.model_.config.seed == 7
    more = {"epochs": 3, "learning_rate": 0.5, "seed": 7}
    fasttext = ft.Classifier("fasttext", **more, quiet=True).fit(TEXTS, TOPICS)
    assert (fasttext.model_.config.epochs, fasttext.model_.config.lr) == (3, 0.5)
    assert fasttext.model_.config.seed == 7
    frozen = ft.Classifier("embeddings", seed=7, quiet=True).fit(TEXTS, TOPICS)
    assert frozen.model_.config.seed == 7
    for name, value in (("epochs", 3), ("learning_rate", 0.5)):
        for base in ("linear", "embeddings", "auto"):
            with pytest.raises(SettingError) as refused:
                ft.Classifier(base, **{name: value}, quiet=True).fit(TEXTS, TOPICS)
            assert str(refused.value) == f"{name} has no effect on base = '{base}'; leave it out."
    assert ft.Tagger("auto", epochs=3)._sections() == {"training": {"epochs": 3}}


def test_wrong_rows_have_their_number() -> None:
    with pytest.raises(CorpusError, match="text 2 is None"):
        classifier().fit(["a", None], ["x", "y"])
    with pytest.raises(ValueError, match="2 texts and 1 label do not go together"):
        classifier().fit(["a", "b"], ["x"])
    with pytest.raises(NotFittedError, match="call fit first, or load"):
        classifier().predict(["a"])


def test_tags_of_tokens(tmp_path: Path) -> None:
    tagger = ft.Tagger("lstm", epochs=4, learning_rate=0.02, quiet=True).fit(SENTENCES, TAGS)
    assert tagger.predict([["the", "dog", "barks"]]) == [["D", "N", "V"]]
    assert tagger.score(SENTENCES, TAGS) == 1.0
    assert not is_classifier(tagger)  # scikit-learn would stratify folds by lists of tags
    assert sorted(tagger.classes_) == ["D", "N", "V"]
    (shares,) = tagger.predict_proba([["the", "dog", "barks"]])
    assert shares.shape == (3, 3)
    tagger.save(tmp_path / "tagger")
    assert ft.Tagger.load(tmp_path / "tagger").predict(SENTENCES) == tagger.predict(SENTENCES)
    with pytest.raises(ValueError, match="sentence 2: give a list of tokens and a list of as many"):
        ft.Tagger().fit([["a"], ["b", "c"]], [["D"], ["N"]])
    with pytest.raises(ValueError, match="2 sentences and 1 list of tags do not go together"):
        ft.Tagger().fit([["a"], ["b"]], [["D"]])


@pytest.mark.slow
def test_ragged_sentences_are_split_and_searched() -> None:
    sentences, tags = [["dogs", "bark"], *SENTENCES], [["N", "V"], *TAGS]
    assert len({len(own) for own in tags}) > 1
    tagger = ft.Tagger("lstm", epochs=4, learning_rate=0.02, quiet=True)
    scores = cross_val_score(tagger, sentences, tags, cv=2, error_score="raise")
    assert scores.min() > 0.5
    grid = {"epochs": [0.1, 4]}
    search = GridSearchCV(tagger, grid, cv=2, error_score="raise").fit(sentences, tags)
    assert search.best_params_ == {"epochs": 4}
    assert search.predict([["the", "dog", "barks"]]) == [["D", "N", "V"]]


def test_sentences_become_vectors(tmp_path: Path) -> None:
    encoder = ft.SentenceEncoder("transformer", epochs=2, settings=ENCODER, quiet=True)
    scores = [1.0 if row % 2 else 0.0 for row in range(len(PAIRS))]
    assert encoder.fit(PAIRS, scores) is encoder
    texts = pd.Series(TEXTS, index=range(100, 118))
    assert encoder.transform(texts).shape == (18, 16)
    table = encoder.set_output(transform="pandas").transform(texts)
    assert (table.columns[0], table.index[0]) == ("sentenceencoder0", 100)
    cosines = encoder.predict(PAIRS)
    assert cosines.shape == (18,)
    assert np.abs(cosines).max() <= 1 + 1e-5
    assert -1 <= encoder.score(PAIRS, scores) <= 1
    encoder.save(tmp_path / "encoder")
    again = ft.SentenceEncoder.load(tmp_path / "encoder")
    np.testing.assert_allclose(again.transform(TEXTS), table.to_numpy(), atol=1e-6)
    with pytest.raises(ValueError, match="do not go together"):
        encoder.score(PAIRS, scores[:-1])
