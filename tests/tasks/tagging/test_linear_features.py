"""What a linear tagger reads of tokens, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import SettingError
from foretext.tasks.tagging.linear_features import FrozenVectors, TokenReader, named_features
from foretext.vectors.word_vectors import WordVectors

VECTORS = WordVectors(["rome", "in", "1"], np.array([[3.0, 4.0], [0.0, 2.0], [0.0, 0.0]]))


def test_the_features_of_a_word() -> None:
    _, own, _ = named_features(["In", "McRoy-7", "now"], by_character=False)
    assert own == [
        "bias", "w-2=<s>", "w-1=in", "w0=mcroy-7", "w1=now", "w2=</s>", "W=McRoy-7", "s-1=Xx",
        "s0=XxXx-9", "s1=x", "w-1|0=in|mcroy-7", "w0|1=mcroy-7|now", "s-1|0|1=Xx|XxXx-9|x",
        "p1=M", "p2=Mc", "p3=McR", "p4=McRo", "e1=7", "e2=-7", "e3=y-7", "e4=oy-7",
    ]  # fmt: skip


def test_the_features_of_a_character_have_no_spelling() -> None:
    own = named_features(["北", "京", "好"], by_character=True)[1]
    assert own[-1] == "w-1|1=北|好"
    assert "s0=c" in own
    assert not [name for name in own if name[0] in "pe"]
    assert named_features([], by_character=True) == []


def reader(**options: object) -> TokenReader:
    own = {"by_character": False, "vectors": None, "length": 1.0, "min_count": 1, **options}
    return TokenReader.learn([["In", "Rome"], ["Rome"]], **own)  # type: ignore[arg-type]


def test_rare_and_unknown_features_are_dropped() -> None:
    every, frequent = reader(), reader(min_count=2)
    assert set(frequent.names) < set(every.names)
    assert "w0=rome" in frequent.names
    assert "w0=in" not in frequent.names
    found = frequent.read([["Rome", "Oslo"]])
    assert found.sparse.shape == (2, len(frequent.names))
    names = [frequent.names[place] for place in found.sparse[1].indices]
    assert "bias" in names
    assert "w0=rome" not in names


def test_vectors_have_one_length_and_stand_beside_their_words() -> None:
    own = reader(vectors=FrozenVectors.of(VECTORS), length=10.0)
    found = own.read([["Rome", "in"], ["1", "Oslo"]])
    assert found.vectors.tolist() == [[6, 8], [0, 10], [0, 0], [0, 0]]
    before, here, after = (beside.toarray() @ found.vectors for beside in found.neighbors)
    assert here.tolist() == [[6, 8], [0, 10], [0, 0], [0, 0]]
    assert before.tolist() == [[0, 0], [6, 8], [0, 0], [0, 0]]
    assert after.tolist() == [[0, 10], [0, 0], [0, 0], [0, 0]]
    assert own.num_weights == len(own.names) + 6
    assert own.num_unknown([["Rome", "Oslo"]]) == 1
    assert reader().num_unknown([["Oslo"]]) == 0


def test_both_unicode_forms_are_one_token() -> None:
    own = TokenReader.learn(
        [["caf\u00e9"]], by_character=False, vectors=None, length=1.0, min_count=1
    )
    same = own.read([["cafe\u0301"]]).sparse
    np.testing.assert_array_equal(same.toarray(), own.read([["caf\u00e9"]]).sparse.toarray())


@pytest.mark.parametrize("given", [3, "topics"])
def test_what_holds_no_vectors_of_words_is_refused(given: object) -> None:
    held = ft.LinearClassifier() if given == "topics" else given
    with pytest.raises(SettingError, match="holds no word vectors, which a linear tagger reads"):
        FrozenVectors.of(held)
    assert FrozenVectors.of(None) is None
