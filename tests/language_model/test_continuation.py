"""Texts between a prompt and a suffix, against plain forward passes of T5 and BART."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from foretext.base.errors import CorpusError, SettingError
from foretext.data.batch import Inputs
from foretext.language_model import LanguageModel, NewToken
from tests.language_model.models import gpt
from tests.sequence_networks import in_use

PROMPT, SUFFIX = "the dog", " barks in the house"


@pytest.fixture(scope="module", params=["span_corruption", "text_infilling"])
def model(request: pytest.FixtureRequest, animal_text: Path) -> LanguageModel:
    return in_use(request.param, animal_text)


def likeliest(model: LanguageModel, prompt: str, suffix: str, num: int) -> list[int]:
    """The likeliest tokens one after another, each by one forward pass over everything."""
    assert model.objective is not None
    pieces = [model.tokenizer.encode(prompt), model.tokenizer.encode(suffix)]
    reading, ends = model.objective.gap(pieces, [])
    allowed = np.array(model.tokenizer.ordinary)
    allowed[list(ends)] = True
    source = Inputs(torch.tensor([reading.source]))
    found: list[int] = []
    while len(found) < num and not (found and found[-1] in ends):
        ids = torch.tensor([[*reading.opening, *found]])
        with torch.inference_mode():
            states = model.backbone(Inputs(ids, visibility="causal", source=source)).last
            logits = model.objective.token_head(states[:, -1])[0]  # (V,)
        found.append(int(logits.masked_fill(~torch.from_numpy(allowed), -torch.inf).argmax()))
    return found


def test_the_likeliest_text_is_that_of_forward_passes(model: LanguageModel) -> None:
    for prompt in (PROMPT, "a cat sits and", ""):
        (written,) = model.generate(prompt, 9, 0.0, suffix=SUFFIX)
        assert written.ids == likeliest(model, prompt, SUFFIX, 9)
        assert written.prompt == prompt


def test_ids_are_taken_as_they_are(model: LanguageModel) -> None:
    encode = model.tokenizer.encode
    (of_ids,) = model.generate(encode(PROMPT), 9, 0.0, suffix=encode(SUFFIX))
    (of_texts,) = model.generate(PROMPT, 9, 0.0, suffix=SUFFIX)
    assert (of_ids.ids, of_ids.text) == (of_texts.ids, of_texts.text)


def test_what_follows_matters(model: LanguageModel) -> None:
    seen: list[NewToken] = []
    for suffix in (SUFFIX, " sleeps .", ""):
        model.generate(PROMPT, 1, 0.0, suffix=suffix, watch=seen.append, topn=0)
    assert len({token.log_prob for token in seen}) == 3


def test_samples_hold_no_special_token_but_the_one_that_ends_them(model: LanguageModel) -> None:
    ends, written = 0, model.generate(PROMPT, 20, 1.5, suffix=SUFFIX, num_samples=30)
    for each in written:
        body = each.ids[:-1] if each.ended_by == "end" else each.ids
        assert model.tokenizer.ordinary[body].all()
        ends += each.ended_by == "end"
    assert ends


def test_a_stop_ends_the_text_before_it(model: LanguageModel) -> None:
    (whole,) = model.generate(PROMPT, 20, 1.0, suffix=SUFFIX, seed=2)
    stop = whole.text[2:4]
    (cut,) = model.generate(PROMPT, 20, 1.0, suffix=SUFFIX, seed=2, stop=stop)
    assert cut.text == whole.text[: whole.text.index(stop)]


def test_what_has_no_effect_is_refused(model: LanguageModel) -> None:
    with pytest.raises(SettingError, match="source has no effect beside suffix"):
        model.generate(PROMPT, source="a text", suffix=SUFFIX)
    with pytest.raises(SettingError, match="num_beams = 4 has no effect on a text before a suffix"):
        model.generate(PROMPT, suffix=SUFFIX, num_beams=4)
    with pytest.raises(CorpusError, match="leaves no room for a text"):
        model.generate(PROMPT, suffix=SUFFIX * 40)


def test_a_model_that_knows_no_suffix_is_refused() -> None:
    with pytest.raises(SettingError, match=r"^suffix needs a model that .*: leave it out\.$"):
        gpt().generate(PROMPT, suffix=SUFFIX)
