from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import read_tagged
from foretext.metrics import tagging_scores
from foretext.tasks.tagging.baseline import WordTagBaseline


def test_each_word_has_its_most_frequent_tag() -> None:
    sentences = [["the", "can"], ["can", "can", "go"], ["the"]]
    tags = [["DT", "NN"], ["MD", "MD", "VB"], ["DT"]]
    baseline = WordTagBaseline().fit(sentences, tags)
    assert baseline.classes_ == ("DT", "MD", "NN", "VB")
    assert baseline.predict([["the", "can", "unseen"], []]) == [["DT", "MD", "DT"], []]
    shares, empty = baseline.predict_proba([["can"], []])
    assert shares.tolist() == [[0, pytest.approx(2 / 3), pytest.approx(1 / 3), 0]]
    assert empty.shape == (0, 4)
    with pytest.raises(CorpusError, match="There is no tagged token; give sentences with tags"):
        WordTagBaseline().fit([[]], [[]])


@pytest.mark.slow
@pytest.mark.shared_data
def test_words_alone_know_some_entities(shared_data: Path) -> None:
    train, test = (
        read_tagged(shared_data / "conll2003" / name) for name in ("eng.train.xz", "eng.testb")
    )
    baseline = WordTagBaseline().fit([row.tokens for row in train], [row.tags for row in train])
    predicted = baseline.predict([row.tokens for row in test])
    assert 0.4 < tagging_scores([row.tags for row in test], predicted).f1 < 0.7
