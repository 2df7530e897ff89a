"""Masks filled by T5 and BART, against the plain product of probabilities."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
import torch

from foretext.base.errors import CorpusError, SettingError
from foretext.data.batch import Inputs
from foretext.language_model import LanguageModel, filling
from foretext.language_model.filling import MAX_TOKENS
from foretext.objectives.gap import Gap
from foretext.objectives.reading import Reading
from tests.sequence_networks import in_use, tokenizer_of

OBJECTIVES = ("span_corruption", "text_infilling")


@pytest.fixture(scope="module", params=OBJECTIVES)
def model(request: pytest.FixtureRequest, animal_text: Path) -> LanguageModel:
    return in_use(request.param, animal_text)


def log_probability(model: LanguageModel, pieces: list[list[int]], spans: list[list[int]]) -> float:
    """Of the last span and of what ends it, with one forward pass over the whole text."""
    assert model.objective is not None
    gap = model.objective.gap(pieces, spans[:-1])
    opening, source = list(gap.reading.opening), list(gap.reading.source or ())
    ids = torch.tensor([opening + spans[-1]])
    with torch.inference_mode():
        states = model.backbone(
            Inputs(ids, visibility="causal", source=Inputs(torch.tensor([source])))
        ).last
        gains = model.objective.token_head(states)[0].log_softmax(-1)[len(opening) - 1 :]
    written = sum(float(gains[at, token]) for at, token in enumerate(spans[-1]))
    return written + float(gains[-1, list(gap.ends)].logsumexp(-1))


@pytest.mark.quick_cases(1)
def test_probabilities_are_those_of_spans(model: LanguageModel) -> None:
    tokenizer = model.tokenizer
    answers = model.fill("the [MASK] barks", topn=4)[0]
    assert len(answers) == 4
    pieces = [tokenizer.encode("the"), tokenizer.encode(" barks")]
    by_text = {answer.token: answer.probability for answer in answers}
    ordinary = [i for i, real in enumerate(tokenizer.ordinary) if real]
    found = 0
    for span in itertools.chain([[]], ([token] for token in ordinary)):
        before = tokenizer.decode(pieces[0])
        text = tokenizer.decode([*pieces[0], *span])[len(before) :].strip()
        expected = math.exp(log_probability(model, pieces, [list(span)]))
        if text in by_text and expected == pytest.approx(by_text[text], rel=1e-3):
            found += 1
        assert expected <= answers[0].probability * 1.001  # nothing shorter is likelier
    assert found


def test_answers_are_sorted_and_differ(model: LanguageModel) -> None:
    answers = model.fill("the dog [MASK] .", topn=5)[0]
    shares = [answer.probability for answer in answers]
    assert shares == sorted(shares, reverse=True)
    assert len({answer.text for answer in answers}) > 3  # some bytes are no letters
    assert all(answer.text.startswith("the dog") for answer in answers)


@pytest.mark.parametrize(
    "text", ["the [MASK] barks", "[MASK] sleeps", "a hen [MASK] in the evening"]
)
def test_one_answer_is_the_best_of_many(model: LanguageModel, text: str) -> None:
    """The first token of the best span need not be the likeliest one."""
    first, *_ = model.fill(text, topn=40)[0]
    for topn in (1, 2, 5):
        (alone, *others) = model.fill(text, topn=topn)[0]
        assert alone.text == first.text
        assert alone.probability == pytest.approx(first.probability, rel=1e-4)
        assert len(others) == topn - 1


def test_a_second_token_can_make_a_span_the_best(
    model: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logits by hand: 5 is likelier than 6 at first, and only 6 is followed by an end."""
    V, ends = model.tokenizer.vocab_size, (1,)
    five, six = (int(i) for i in model.tokenizer.ordinary.nonzero()[0][[5, 6]])

    class ByHand:
        device = torch.device("cpu")

        def __init__(self) -> None:
            self.rows = [[]]

        def keep_rows(self, rows: torch.Tensor) -> None:
            self.rows = [[*self.rows[row]] for row in rows.tolist()]

        def read(self, ids: torch.Tensor) -> torch.Tensor:
            for row, new in zip(self.rows, ids.tolist(), strict=True):
                row += new
            logits = torch.full((len(self.rows), V), -20.0)
            for row, span in enumerate(self.rows):
                if not span:
                    logits[row, [five, six]] = torch.tensor([0.55, 0.45]).log()
                elif span == [six]:
                    logits[row, ends[0]] = 0.0
                else:
                    logits[row] = 0.0
            return logits

    monkeypatch.setattr(filling, "_decoder", lambda *_: ByHand())
    gap = Gap(Reading(()), ends)
    found = filling._search(None, model.tokenizer, gap, 1)  # type: ignore[arg-type]
    assert [span.ids for span in found] == [[six]]
    assert math.exp(found[0].score) == pytest.approx(0.45, rel=1e-3)


def test_later_masks_know_the_spans_before_them(model: LanguageModel) -> None:
    tokenizer = model.tokenizer
    first, second = model.fill("the [MASK] barks in [MASK] .", topn=2)
    assert first[0].text.endswith("barks in [MASK] .")
    pieces = [tokenizer.encode(part) for part in ("the", " barks in", " .")]
    best = tokenizer.encode(first[0].token) if first[0].token else []
    if tokenizer.decode(best) != first[0].token:
        pytest.skip("the span is not encoded as it was written")
    span = tokenizer.encode(second[0].token)
    expected = math.exp(log_probability(model, pieces, [best, span]))
    assert second[0].probability >= expected * 0.999


def test_the_models_own_name_of_a_mask_works(model: LanguageModel) -> None:
    special, tokens = model.tokenizer.special, model.tokenizer.tokens
    own = tokens[special.sentinels[0] if special.mask is None else special.mask]
    assert model.fill(f"the {own} barks") == model.fill("the [MASK] barks")


def test_a_text_without_a_mask_is_refused(model: LanguageModel) -> None:
    with pytest.raises(CorpusError, match=r"The text has no \[MASK\]"):
        model.fill("the dog barks")


def test_targets_are_refused(model: LanguageModel) -> None:
    with pytest.raises(SettingError, match="targets has no effect on a model that writes spans"):
        model.fill("the [MASK] barks", targets=["dog"])


def test_a_text_that_is_too_long_is_refused(model: LanguageModel) -> None:
    with pytest.raises(CorpusError, match="the model sees 64 at once"):
        model.fill("[MASK] " + "the dog barks . " * 40)


def test_no_span_is_longer_than_the_limit(model: LanguageModel) -> None:
    for answer in model.fill("a [MASK] .", topn=8)[0]:
        assert len(model.tokenizer.encode(answer.token)) <= MAX_TOKENS + 1


def test_a_tokenizer_without_sentinels_is_named(animal_text: Path) -> None:
    made = in_use("span_corruption", animal_text)
    made.tokenizer = tokenizer_of("prefix_lm", animal_text)
    with pytest.raises(SettingError, match="neither a mask token nor sentinels"):
        made.fill("the [MASK] barks")
