from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from foretext.base.errors import CorpusError, SettingError
from foretext.data.batch import Inputs
from foretext.language_model import LanguageModel, likelihood
from foretext.language_model import likelihood as token_scores
from foretext.language_model.likelihood import sliding_windows
from foretext.objectives.causal_lm import CausalLM
from foretext.tokenizers.subwords import learn_subwords
from tests.language_model.models import MAX_LENGTH, SENTENCES, Lines, bert, gpt, lstm, unilm

MODEL = gpt()
TEXTS = [SENTENCES[0], "\n".join(SENTENCES[1:]), SENTENCES[2] + " and a ship"]
END = MODEL.tokenizer.special.required("end")
ROWS = [[END, *ids] for ids in MODEL.tokenizer.encode_batch([SENTENCES[0], "a ship", SENTENCES[2]])]


def stream() -> list[int]:
    """Every sentence by itself, an end before the first document and after each."""
    end = MODEL.tokenizer.special.required("end")
    ids = [end]
    for text in TEXTS:
        ids += [token for line in text.split("\n") for token in MODEL.tokenizer.encode(line)]
        ids.append(end)
    return ids


def surprise(ids: list[int], model: LanguageModel = MODEL) -> float:
    """-log P of the last id behind the others."""
    objective = model.objective
    assert isinstance(objective, CausalLM)
    with torch.inference_mode():
        last = model.backbone.eval()(Inputs(torch.tensor([ids[:-1]]), visibility="causal")).last
        return -float(objective.head(last[0, -1]).log_softmax(-1)[ids[-1]])


@given(
    num_targets=st.integers(1, 90),
    length=st.integers(1, 40),
    share=st.floats(0, 1),
)
def test_every_token_is_predicted_once_from_enough_context(
    num_targets: int, length: int, share: float
) -> None:
    stride = 1 + int(share * (length - 1))
    predicted = []
    for ids, fresh in sliding_windows(np.arange(num_targets + 1), length, stride):
        assert (np.diff(ids, axis=1) == 1).all()
        for row, asked in zip(ids, fresh, strict=True):
            predicted += row[1:][asked].tolist()
            context = row[1:][asked] - row[0]  # tokens that each sees
            assert (context >= np.minimum(row[1:][asked], length - stride + 1)).all()
    assert predicted == list(range(1, num_targets + 1))


def test_windows_by_hand() -> None:
    ids = stream()
    num_targets = len(ids) - 1
    stride = MAX_LENGTH // 2
    nll, done, start = 0.0, 0, 0
    while done < num_targets:
        start = min(start, num_targets - MAX_LENGTH)
        for target in range(max(done, start), start + MAX_LENGTH):
            nll += surprise(ids[start : target + 2])
        done = start + MAX_LENGTH
        start += stride
    assert math.isclose(MODEL.likelihood(TEXTS).nll, nll, rel_tol=1e-5)
    exact = sum(surprise(ids[max(0, at - MAX_LENGTH) : at + 1]) for at in range(1, len(ids)))
    assert math.isclose(MODEL.likelihood(TEXTS, stride=1).nll, exact, rel_tol=1e-5)


def test_windows_are_as_long_as_the_rows_of_the_training() -> None:
    """Rotary positions behind them have angles that no training has seen."""
    length = MAX_LENGTH // 4
    model = gpt(row_length=length)
    ids = stream()
    exact = sum(surprise(ids[max(0, at - length) : at + 1], model) for at in range(1, len(ids)))
    assert math.isclose(model.likelihood(TEXTS, stride=1).nll, exact, rel_tol=1e-5)
    with pytest.raises(SettingError, match=f"1 to {length} tokens"):
        model.likelihood(TEXTS, stride=length + 1)


def test_what_the_loss_is_divided_by() -> None:
    found = MODEL.likelihood(TEXTS)
    words = sum(len(text.split()) for text in TEXTS)
    letters = sum(len(text.replace("\n", "")) for text in TEXTS)
    assert found.num_words == words + 3
    assert found.num_bytes == letters + 3
    assert found.num_unknown == 0
    assert math.isclose(found.perplexity, math.exp(found.nll / found.num_tokens))
    assert math.isclose(found.word_perplexity, math.exp(found.nll / (words + 3)))
    assert math.isclose(found.bits_per_byte, found.nll / math.log(2) / (letters + 3))
    assert MODEL.likelihood("größe").num_bytes == 8


def test_a_text_shorter_than_the_model_is_one_window() -> None:
    end = MODEL.tokenizer.special.required("end")
    ids = [end, *MODEL.tokenizer.encode("the king"), end]
    wanted = sum(surprise(ids[: at + 1]) for at in range(1, len(ids)))
    assert math.isclose(MODEL.likelihood("the king").nll, wanted, rel_tol=1e-5)


@pytest.mark.parametrize("piece", [1, 7, 1 << 11])
@pytest.mark.parametrize("softmax", ["full", "adaptive"])
def test_a_carried_state_gives_the_loss_of_one_long_row(
    monkeypatch: pytest.MonkeyPatch, piece: int, softmax: str
) -> None:
    """And of the loop that everyone writes with `nn.LSTM`, over the whole stream."""
    monkeypatch.setattr(likelihood, "PIECE_TOKENS", piece)
    model: Any = lstm(softmax=softmax)
    words = [model.tokenizer.encode(text.replace("\n", " ")) for text in TEXTS]
    end = model.tokenizer.special.required("end")
    ids = torch.tensor([end, *(token for text in words for token in [*text, end])])
    twin = nn.LSTM(16, 16, num_layers=2)
    twin.load_state_dict(
        {
            f"{name}_l{layer}": weight.detach()
            for layer, block in enumerate(model.backbone.blocks)
            for name, weight in block.rightward.named_parameters()
        }
    )
    with torch.inference_mode():
        states, _ = twin(model.backbone.embedding[ids[:-1]])
        chances = model.objective.head(states).log_softmax(-1)
    expected = F.nll_loss(chances, ids[1:], reduction="sum").item()
    found = model.likelihood(TEXTS)
    assert math.isclose(found.nll, expected, rel_tol=1e-5)
    assert found.num_tokens == found.num_words == len(ids) - 1
    assert found.word_perplexity == found.perplexity


def test_a_carried_state_has_no_stride() -> None:
    with pytest.raises(SettingError, match="stride = 4 has no effect: the model reads the text"):
        lstm().likelihood("the king", stride=4)


def test_figures_a_word_are_given_where_the_words_are_the_tokens() -> None:
    closed = lstm().likelihood("the unheard king\nof the sea")
    assert (closed.num_unknown, closed.num_tokens, closed.num_words) == (1, 7, 7)
    assert closed.word_perplexity == closed.perplexity
    assert closed.bits_per_character is None
    assert closed.bits_per_byte is None


def test_unknown_tokens_that_stand_in_the_text_hide_nothing() -> None:
    found = lstm().likelihood("the <unk> king")
    assert found.num_unknown == 0
    assert found.is_complete
    assert found.bits_per_character == found.nll / math.log(2) / len("the <unk> king.")


def test_a_tokenizer_that_leaves_marks_out_gives_no_figure_a_word() -> None:
    settings = {"vocab_size": 120, "min_count": 1, "special_tokens": ["<unk>", "<eos>"]}
    tokenizer = learn_subwords("word", {**settings, "pre_tokenizer": "unicode_words"}, Lines())
    model = lstm()
    assert tokenizer.tokens == model.tokenizer.tokens
    model = LanguageModel(tokenizer, model.backbone, model.objective, device="cpu")
    found = model.likelihood("the king , and the queen .")
    assert (found.num_tokens, found.num_words, found.num_unknown) == (6, 8, 0)
    assert found.word_perplexity is None
    assert found.bits_per_character is None
    assert found.perplexity > 1


def test_a_text_of_unknown_words_is_refused() -> None:
    with pytest.raises(CorpusError, match="All 3 tokens of the text are unknown to the model"):
        lstm().perplexity(["eins zwei", "drei"])


def test_errors_are_sentences() -> None:
    with pytest.raises(
        SettingError, match=r"perplexity needs a causal model .* this one is masked: use fill"
    ):
        bert().perplexity("the king")
    with pytest.raises(SettingError, match="stride = 33: the model's windows have 1 to 32 tokens"):
        MODEL.perplexity("the king", stride=33)
    for texts in ("", [], ["", "\n"]):
        with pytest.raises(CorpusError, match="There is no text"):
            MODEL.perplexity(texts)


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
