from __future__ import annotations

import pytest

from foretext.base.errors import CorpusError
from foretext.serving.abilities.likelihood import Likelihood, LikelihoodOptions
from tests.language_model.models import gpt, lstm

MODEL = gpt()
ABILITY = Likelihood(MODEL)
TEXT = "the king sees é island"


def test_scores_are_those_of_the_model() -> None:
    ids = MODEL.tokenizer.encode(TEXT)
    (expected,) = MODEL.token_scores([ids], topn=2)
    (found,) = ABILITY.run([TEXT], LikelihoodOptions(2))
    assert found.text == TEXT
    assert found.num_tokens == len(ids)
    assert found.tokens.log_probs == [None, *expected.log_probs]
    assert found.tokens.likeliest[0] is None
    for table, likeliest in zip(found.tokens.likeliest[1:], expected.likeliest, strict=False):
        assert table is not None
        assert list(table.values())[:2] == [value for _, value in likeliest]
    new, log_prob = expected.likeliest[-1][0]
    assert found.following.log_probs == [log_prob]
    assert found.new_text == MODEL.tokenizer.decode([*ids, new])[len(TEXT) :]


def test_texts_and_their_ids_are_scored_alike() -> None:
    ids = tuple(MODEL.tokenizer.encode(TEXT))
    by_text, by_ids = ABILITY.run([TEXT, ids], LikelihoodOptions(1))
    assert by_ids == by_text


def test_a_model_of_words_is_scored_too() -> None:
    model = lstm()
    (found,) = Likelihood(model).run(["the king and the sea"], LikelihoodOptions())
    (expected,) = model.token_scores([model.tokenizer.encode("the king and the sea")])
    assert found.tokens.pieces == ["the", " king", " and", " the", " sea"]
    assert found.tokens.log_probs[1:] == expected.log_probs
    assert found.tokens.likeliest == [None] * 5


def test_an_empty_text_has_no_tokens_but_a_next_one() -> None:
    (found,) = ABILITY.run([""], LikelihoodOptions(1))
    assert found.tokens == ([], [], [], [])
    assert len(found.following.pieces) == 1
    assert found.num_tokens == 1  # the one that a text begins with


def test_the_end_is_no_text() -> None:
    (found,) = ABILITY.run([TEXT], LikelihoodOptions())
    assert found.new_text is not None
    ends = Likelihood(gpt())
    ids = MODEL.tokenizer.encode(TEXT)
    ends.model.objective.end = MODEL.token_scores([ids], topn=1)[0].likeliest[-1][0][0]
    (found,) = ends.run([TEXT], LikelihoodOptions())
    assert found.new_text is None


def test_a_text_costs_about_its_tokens_and_ids_are_counted() -> None:
    assert ABILITY.cost((1, 2, 3)) == 3
    assert ABILITY.cost("a" * 400) == pytest.approx(100, abs=5)


def test_a_text_longer_than_the_model_is_refused() -> None:
    with pytest.raises(CorpusError, match="the model reads 32 at once"):
        ABILITY.run([tuple([3] * 33)], LikelihoodOptions())
