from __future__ import annotations

import math

import pytest
import torch

from foretext.base.errors import CorpusError, SettingError
from foretext.data.batch import Inputs
from foretext.language_model import LanguageModel, token_scores
from foretext.objectives.causal_lm import CausalLM
from tests.language_model.models import MAX_LENGTH, SENTENCES, bert, gpt, lstm, unilm

MODEL = gpt()
END = MODEL.tokenizer.special.required("end")
ROWS = [[END, *ids] for ids in MODEL.tokenizer.encode_batch([SENTENCES[0], "a ship", SENTENCES[2]])]


def log_probs(model: LanguageModel, ids: list[int]) -> torch.Tensor:
    """What the model expects behind some ids, (V,)."""
    objective = model.objective
    assert isinstance(objective, CausalLM)
    with torch.inference_mode():
        last = model.backbone.eval()(Inputs(torch.tensor([ids]), visibility="causal")).last
        found: torch.Tensor = objective.head(last[0, -1]).log_softmax(-1)
    return found


@pytest.mark.parametrize("model", [MODEL, lstm()], ids=["gpt", "lstm"])
def test_tokens_by_hand(model: LanguageModel) -> None:
    rows = [ids for ids in model.tokenizer.encode_batch(SENTENCES[:3]) if ids]
    for row, scores in zip(rows, model.token_scores(rows, topn=3), strict=True):
        assert len(scores.log_probs) == len(row) - 1
        assert len(scores.likeliest) == len(row)
        for place in range(len(row)):
            expected = log_probs(model, row[: place + 1])
            values, tokens = expected.topk(3)
            assert [token for token, _ in scores.likeliest[place]] == tokens.tolist()
            assert [value for _, value in scores.likeliest[place]] == pytest.approx(values.tolist())
            if place + 1 < len(row):
                found = scores.log_probs[place]
                assert found == pytest.approx(float(expected[row[place + 1]]), rel=1e-4)


def test_the_sum_is_the_likelihood_of_the_text() -> None:
    for row, text in zip(ROWS, [SENTENCES[0], "a ship", SENTENCES[2]], strict=True):
        (scores,) = MODEL.token_scores([[*row, END]])
        assert math.isclose(-sum(scores.log_probs), MODEL.likelihood(text).nll, rel_tol=1e-5)
        assert all(not place for place in scores.likeliest)


def test_pieces_and_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [MODEL.token_scores([row], topn=2)[0] for row in ROWS]
    words = lstm()
    read = words.tokenizer.encode_batch(SENTENCES)
    alone = [words.token_scores([row])[0].log_probs for row in read]
    monkeypatch.setattr(token_scores, "BATCH_TOKENS", 24)
    monkeypatch.setattr(token_scores, "PIECE_TOKENS", 3)
    monkeypatch.setattr(token_scores, "LOGITS", 700)
    for found, expected in zip(MODEL.token_scores(ROWS, topn=2), whole, strict=True):
        assert found.log_probs == pytest.approx(expected.log_probs, rel=1e-4)
        for one, other in zip(found.likeliest, expected.likeliest, strict=True):
            assert [token for token, _ in one] == [token for token, _ in other]
    for found, values in zip(words.token_scores(read), alone, strict=True):
        assert found.log_probs == pytest.approx(values, rel=1e-4)


def test_more_answers_than_tokens_are_all_tokens() -> None:
    (scores,) = MODEL.token_scores([ROWS[1]], topn=100_000)
    assert len(scores.likeliest[0]) == MODEL.tokenizer.vocab_size
    assert sum(math.exp(value) for _, value in scores.likeliest[0]) == pytest.approx(1, rel=1e-4)


def test_a_state_is_carried_through_a_text_of_any_length() -> None:
    model = lstm()
    ids = model.tokenizer.encode(" ".join(SENTENCES)) * 3
    (scores,) = model.token_scores([ids])
    assert scores.log_probs[-1] == pytest.approx(float(log_probs(model, ids[:-1])[ids[-1]]))


def test_what_is_longer_than_the_model_is_refused() -> None:
    MODEL.token_scores([[END] * MAX_LENGTH])
    with pytest.raises(CorpusError, match="has 33 tokens, and the model reads 32 at once"):
        MODEL.token_scores([[END] * (MAX_LENGTH + 1)])
    with pytest.raises(CorpusError, match="has 9 tokens, and the model reads 8"):
        gpt(row_length=8).token_scores([[END] * 9])


@pytest.mark.parametrize(("ids", "wrong"), [([3, 100_000, -1], "-1"), ([3, 100_000], "100,000")])
def test_ids_of_another_tokenizer_are_refused(ids: list[int], wrong: str) -> None:
    with pytest.raises(CorpusError, match=f"The id {wrong} is not one of the model's tokenizer"):
        MODEL.token_scores([ids])


def test_a_row_without_ids_is_refused() -> None:
    assert MODEL.token_scores([]) == []
    with pytest.raises(CorpusError, match="A row has no ids"):
        MODEL.token_scores([[3], []])


@pytest.mark.parametrize("model", [bert(), unilm()], ids=["bert", "unilm"])
def test_a_model_that_is_not_causal_cannot(model: LanguageModel) -> None:
    with pytest.raises(SettingError, match="token_scores needs a causal model"):
        model.token_scores([[3]])
