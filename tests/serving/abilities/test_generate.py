from __future__ import annotations

from pathlib import Path

import pytest

from foretext.language_model import NewToken
from foretext.serving.abilities.generate import Generate, GenerateOptions
from tests.language_model.models import gpt, unilm
from tests.sequence_networks import in_use

MODEL = gpt()
ABILITY = Generate(MODEL)


def test_texts_are_those_of_the_model() -> None:
    options = GenerateOptions(8, 1.0, top_k=40, num_samples=2, seed=3)
    (found,) = ABILITY.run(["the king"], options)
    expected = MODEL.generate("the king", 8, 1.0, 40, num_samples=2, seed=3)
    assert [each.continuation for each in found] == expected
    for written in found:
        assert [token.id for token in written.tokens] == written.continuation.ids
        assert written.mean_log_prob == 0  # nobody asked for it


def test_a_watcher_gets_each_token_and_may_end_the_work() -> None:
    seen: list[NewToken] = []

    def leave(token: NewToken) -> None:
        seen.append(token)
        if len(seen) == 2:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        ABILITY.write("the king", GenerateOptions(30), leave)
    assert len(seen) == 2


def test_scores_are_averaged_over_the_tokens() -> None:
    (found,) = ABILITY.write("the king", GenerateOptions(6, topn=0), lambda token: None)
    scores = [token.log_prob for token in found.tokens if token.log_prob is not None]
    assert found.mean_log_prob == pytest.approx(sum(scores) / 6)
    assert ABILITY.scored(found.tokens, None).log_probs == scores


@pytest.mark.parametrize("objective", ["span_corruption", "text_infilling", "prefix_lm"])
def test_a_model_with_an_encoder_writes_for_the_prompt(objective: str, animal_text: Path) -> None:
    model = in_use(objective, animal_text)
    ability = Generate(model)
    assert ability.answers_prompts
    text = "the king and the queen"
    (found,) = ability.run([text], GenerateOptions(5, 0.0))[0]
    assert found.continuation == model.generate(source=text, max_new_tokens=5, temperature=0)[0]
    ids = tuple(ability.prompt_ids(text))
    (again,) = ability.run([ids], GenerateOptions(5, 0.0))[0]
    assert again.continuation.ids == found.continuation.ids


def test_a_model_that_can_do_both_continues_the_prompt() -> None:
    model = unilm()
    ability = Generate(model)
    assert not ability.answers_prompts
    (found,) = ability.run(["the king"], GenerateOptions(5, 0.0))[0]
    assert found.continuation == model.generate("the king", 5, 0.0)[0]


@pytest.mark.parametrize(
    "options",
    [
        GenerateOptions(6, 1e-300),
        GenerateOptions(6, 1e-300, top_k=3, top_p=0.5),
        GenerateOptions(6, 1.0, top_p=1e-300),
        GenerateOptions(6, 1.0, top_p=0.0),
    ],
)
def test_numbers_below_those_of_float32_take_the_likeliest_token(options: GenerateOptions) -> None:
    (found,) = ABILITY.run(["the king"], options)[0]
    assert found.continuation == MODEL.generate("the king", 6, 0.0)[0]


def test_all_probability_is_no_setting() -> None:
    assert GenerateOptions(top_p=1.0).settled().top_p is None
    assert GenerateOptions(top_p=0.9).settled() == GenerateOptions(top_p=0.9)
