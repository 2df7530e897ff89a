"""What an earlier version saved cuts words as it learned them; what is saved now says how."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.data.overlap_features import OverlapFeatures
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.linear_storage import kept_config
from tests.search.indexes import made

TEXTS = ["fine day ☀", "a sunny day ☀", "bad day ☔", "a rainy day ☔"] * 5
LABELS = ["good", "good", "bad", "bad"] * 5


def without(path: Path, *names: str) -> None:
    """Take out of a file what an earlier version did not write."""
    facts = json.loads(path.read_text(encoding="utf-8"))
    for name in names:
        del facts[name]
    path.write_text(json.dumps(facts), encoding="utf-8")


def test_fasttexts_classifier(tmp_path: Path) -> None:
    model = ft.FastTextClassifier(
        pre_tokenizer="unicode_words", maxn=0, word_ngrams=2, bucket=1000, workers=1
    )
    model.fit(TEXTS, LABELS)
    model.save(tmp_path / "new")
    kept = ft.FastTextClassifier.load(tmp_path / "new")
    asked = ["☀", "☔"]
    np.testing.assert_array_equal(kept.predict_proba(asked), model.predict_proba(asked))
    assert not np.array_equal(*model.predict_proba(asked))
    without(tmp_path / "new" / "config.json", "edition")
    old = ft.FastTextClassifier.load(tmp_path / "new")
    np.testing.assert_array_equal(*old.predict_proba(asked))
    old.save(tmp_path / "again")
    again = ft.FastTextClassifier.load(tmp_path / "again")
    np.testing.assert_array_equal(*again.predict_proba(asked))


@pytest.mark.parametrize("features", ["words", "characters"])
def test_the_linear_classifier(features: str) -> None:
    config = kept_config({"features": features, "min_texts": 1})
    assert config.pre_tokenizer == "letters"
    soft = "Schiff\u00adfahrt ☀"
    cut = config.vectorizer().build_analyzer()(soft)
    assert ("schiff" in cut) if features == "words" else ("\u00ad" in cut)
    assert "schifffahrt" not in cut
    model = LinearClassifier(features=features)  # type: ignore[arg-type]
    model.fit([soft, "der Wald"], ["a", "b"])
    assert kept_config(model.config.model_dump()) == model.config
    assert not any("\u00ad" in feature for feature in model.features)


@pytest.mark.parametrize("text", ["e\u0301te\u0301", "\ubc30\uac00 항구"])
def test_letters_are_in_one_form(text: str) -> None:
    config = kept_config({"features": "words", "min_texts": 1})
    analyze = config.vectorizer().build_analyzer()
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD")]
    assert analyze(forms[0]) == analyze(forms[1])


def test_the_words_of_a_search_index(tmp_path: Path) -> None:
    made(tmp_path, "\n".join(dict.fromkeys(TEXTS)) + "\n")
    found = ft.load(tmp_path / "index").search("☀", by="words")
    assert sorted(hit.text for hit in found.hits) == ["a sunny day ☀", "fine day ☀"]
    without(tmp_path / "index" / "config.json", "words_edition")
    assert not ft.load(tmp_path / "index").search("☀", by="words").hits


def test_the_words_that_pairs_share() -> None:
    pair = [("day ☀", "day ☔")]
    old, new = OverlapFeatures("unicode_words", 1), OverlapFeatures("unicode_words")
    assert (old.edition, new.edition) == (1, 2)
    assert old.matrix(pair)[0, 0] == 1.0 > new.matrix(pair)[0, 0]
