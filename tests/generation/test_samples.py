"""Generation: a cache changes nothing, and draws follow the probabilities."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from foretext.backbones.base import Backbone
from foretext.backbones.lookup import Lookup
from foretext.backbones.recurrent import Recurrent
from foretext.backbones.textcnn import TextCNN
from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from foretext.generation import Decoder, Sampling, generate_ids, probabilities
from foretext.language_model import LanguageModel
from foretext.objectives.causal_lm import CausalLM
from tests.language_model.models import MAX_LENGTH, gpt, unilm

PROMPT = torch.tensor([5, 70, 12, 33, 8])
GREEDY = Sampling(temperature=0)


def never(sample: int, ids: list[int]) -> bool:
    return False


def decoder(model: LanguageModel) -> Decoder:
    assert isinstance(model.objective, CausalLM)
    return Decoder(model.backbone.eval(), model.objective.head)


def next_logits(model: LanguageModel, ids: list[int]) -> torch.Tensor:
    """The logits of the next token, (V,), where all ids are read at once."""
    assert isinstance(model.objective, CausalLM)
    with torch.inference_mode():
        states = model.backbone.eval()(Inputs(torch.tensor([ids]), visibility="causal"))
        logits: torch.Tensor = model.objective.head(states.last[0, -1])
    return logits


def generated_without_cache(model: LanguageModel, window: Callable[[list[int]], list[int]]) -> list:
    ids = PROMPT.tolist()
    for _ in range(60):
        ids.append(int(next_logits(model, window(ids)).argmax()))
    return ids[len(PROMPT) :]


@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "rotary"])
def test_the_cache_changes_nothing(positions: str) -> None:
    model = gpt(positions=positions, max_length=80)
    (ids,) = generate_ids(decoder(model), PROMPT, GREEDY, never, max_new_tokens=60)
    assert ids == generated_without_cache(model, lambda ids: ids)
    assert len(set(ids)) > 3  # no loop from the start, which any cache would get right


def test_a_text_that_outgrows_the_model_goes_on_from_its_newest_half() -> None:
    model = gpt(seed=1)
    half = MAX_LENGTH // 2

    def window(ids: list[int]) -> list[int]:
        over = len(ids) - MAX_LENGTH
        return ids if over <= 0 else ids[-(half + (over - 1) % (half + 1)) :]

    (ids,) = generate_ids(decoder(model), PROMPT, GREEDY, never, max_new_tokens=60)
    assert ids == generated_without_cache(model, window)


def test_a_text_outgrows_the_positions_that_it_may_use() -> None:
    model = gpt(positions="rotary")
    assert isinstance(model.objective, CausalLM)
    short = Decoder(model.backbone.eval(), model.objective.head, length=8)
    (ids,) = generate_ids(short, PROMPT, GREEDY, never, max_new_tokens=20)
    expected = gpt(positions="rotary", max_length=8)
    assert [ids] == generate_ids(decoder(expected), PROMPT, GREEDY, never, max_new_tokens=20)


def test_samples_end_one_by_one_and_leave_the_others_as_they_are() -> None:
    model = gpt(seed=2)
    likeliest = Sampling(temperature=1.0, top_k=1)
    (alone,) = generate_ids(decoder(model), PROMPT, GREEDY, never, max_new_tokens=20)
    samples = generate_ids(
        decoder(model),
        PROMPT,
        likeliest,
        lambda sample, ids: len(ids) == (9, 20, 3, 14)[sample],
        max_new_tokens=20,
        num_samples=4,
    )
    assert samples == [alone[:9], alone, alone[:3], alone[:14]]


def test_draws_follow_the_probabilities_and_the_seed() -> None:
    model = gpt(seed=3)
    sampling = Sampling(temperature=1.5, top_k=8)

    def draw(seed: int) -> list[list[int]]:
        return generate_ids(
            decoder(model),
            PROMPT,
            sampling,
            never,
            max_new_tokens=1,
            num_samples=4000,
            seed=seed,
        )

    drawn = draw(1)
    assert drawn == draw(1)
    assert drawn != draw(2)
    wanted = probabilities(next_logits(model, PROMPT.tolist())[None], sampling)[0].numpy()
    seen = np.bincount([ids[0] for ids in drawn], minlength=len(wanted)) / 4000
    assert np.abs(seen - wanted).max() < 5 * np.sqrt(wanted.max() / 4000)
    assert np.count_nonzero(seen) == 8


def test_filters_worked_by_hand() -> None:
    logits = torch.log(torch.tensor([[0.5, 0.3, 0.15, 0.05]]))

    def kept(**settings: object) -> list[float]:
        shares = probabilities(logits, Sampling(**{"temperature": 1.0, **settings}))  # type: ignore[arg-type]
        return [round(share, 4) for share in shares[0].tolist()]

    assert kept() == [0.5, 0.3, 0.15, 0.05]
    assert kept(top_k=2) == [0.625, 0.375, 0, 0]
    assert kept(top_k=9) == [0.5, 0.3, 0.15, 0.05]
    assert kept(top_p=0.4) == [1, 0, 0, 0]
    assert kept(top_p=0.7) == [0.625, 0.375, 0, 0]
    assert kept(top_k=3, top_p=0.5) == [1, 0, 0, 0]  # of 1, 0.526 is the likeliest's
    assert kept(temperature=0.5) == [0.6849, 0.2466, 0.0616, 0.0068]


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"temperature": -1.0}, "greater than or equal to 0"),
        ({"top_p": 0.0}, "greater than 0"),
        ({"temperature": 0.0, "top_p": 0.9}, "would have no effect: at temperature 0"),
        ({"top_q": 3}, "Did you mean 'top_p'"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, object], complaint: str) -> None:
    with pytest.raises(SettingError, match=complaint):
        Sampling.checked(settings, "generation")


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"), [(0.7, None, None), (1.0, 20, None), (1.3, 40, 0.8)]
)
def test_probabilities_are_those_of_transformers(
    temperature: float, top_k: int | None, top_p: float | None
) -> None:
    warpers = pytest.importorskip("transformers.generation.logits_process")
    logits = torch.randn(6, 500, generator=torch.Generator().manual_seed(0)) * 4
    theirs = warpers.TemperatureLogitsWarper(temperature)(None, logits)
    if top_k is not None:
        theirs = warpers.TopKLogitsWarper(top_k)(None, theirs)
    if top_p is not None:
        theirs = warpers.TopPLogitsWarper(top_p)(None, theirs)
    ours = probabilities(logits, Sampling(temperature=temperature, top_k=top_k, top_p=top_p))
    torch.testing.assert_close(ours, theirs.softmax(-1), atol=1e-6, rtol=1e-5)
    assert ((ours > 0) == torch.isfinite(theirs)).all()


def test_greedy_decoding_equals_that_of_transformers(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    model = gpt(seed=4, max_length=64)
    model.save(tmp_path / "gpt")
    peer = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "gpt").eval()
    theirs = peer.generate(PROMPT[None], max_new_tokens=50, do_sample=False, eos_token_id=None)
    (ours,) = generate_ids(decoder(model), PROMPT, GREEDY, never, max_new_tokens=50)
    assert ours == theirs[0, len(PROMPT) :].tolist()


@pytest.mark.parametrize(
    "backbone",
    [
        Transformer(Transformer.Config(num_layers=1, dim=8, num_heads=1), 20),
        Recurrent(Recurrent.Config(bidirectional=False), 20),
        Lookup(Lookup.Config(), 20),
    ],
    ids=lambda backbone: type(backbone).__name__,
)
def test_causal_backbones_with_a_cache_decode(backbone: Backbone) -> None:
    head = torch.nn.Linear(backbone.dim, 20)
    (ids,) = generate_ids(
        Decoder(backbone.eval(), head), PROMPT % 20, GREEDY, never, max_new_tokens=7
    )
    expected = (PROMPT % 20).tolist()
    for _ in range(7):
        states = backbone(Inputs(torch.tensor([expected]), visibility="causal")).last
        expected.append(int(head(states[0, -1]).argmax()))
    assert ids == expected[len(PROMPT) :]


@pytest.mark.parametrize(
    "backbone",
    [
        TextCNN(TextCNN.Config(), 20),
        Recurrent(Recurrent.Config(), 20),
        Recurrent(Recurrent.Config(bidirectional=False, characters="cnn"), 20, 9),
    ],
    ids=["TextCNN", "bidirectional", "characters"],
)
def test_a_backbone_that_cannot_continue_a_text_is_refused(backbone: Backbone) -> None:
    name = type(backbone).__name__
    with pytest.raises(SettingError, match=rf"\[backbone\] {name} cannot continue a text"):
        Decoder(backbone, torch.nn.Identity())


def test_a_recurrent_text_that_outgrows_the_model_goes_on_from_its_newest_half() -> None:
    torch.manual_seed(0)
    backbone = Recurrent(Recurrent.Config(bidirectional=False, dim=12), 20).eval()
    backbone.max_length = 8
    decoder = Decoder(backbone, torch.nn.Linear(12, 20))
    ids = torch.arange(9)[None]
    for position in range(8):
        decoder.read(ids[:, position : position + 1])
    with torch.no_grad():
        newest = backbone(Inputs(ids[:, 5:], visibility="causal")).last[:, -1]
        torch.testing.assert_close(decoder.read(ids[:, 8:]), decoder.head(newest))


def test_many_ids_at_once_after_few() -> None:
    """Room for the ids grows by what is read, more than double at a time."""
    model = gpt(max_length=400)
    ids = torch.arange(300)[None] % 70
    with torch.inference_mode():
        by_pieces = decoder(model)
        by_pieces.read(ids[:, :3])
        torch.testing.assert_close(by_pieces.read(ids[:, 3:]), decoder(model).read(ids))


def filled(model: LanguageModel, opening: tuple[int, ...], ids: list[int]) -> list[int]:
    """Continue ids by a mask at their end, where opening and ids are read at once each time."""
    assert model.objective is not None
    assert model.objective.token_head is not None
    mask = model.tokenizer.special.required("mask")
    new: list[int] = []
    for _ in range(8):
        row = torch.tensor([[*opening, *ids, *new, mask]])
        T, S = row.shape[1], len(opening)
        visible = torch.ones(T, T, dtype=torch.bool).tril() | (torch.arange(T) < S)
        first, second = (4, 5) if S > 1 else (2, 2)
        segments = torch.where(torch.arange(T) < S, first, second)[None]
        inputs = Inputs(row, visibility="matrix", visible=visible[None], segments=segments)
        with torch.inference_mode():
            states = model.backbone.eval()(inputs)
            new.append(int(model.objective.token_head(states.last[0, -1]).argmax()))
    return new


@pytest.mark.parametrize("source", [None, [20, 31, 42]])
@pytest.mark.parametrize("prompt", [[], [25, 34, 43]])
def test_a_model_that_fills_masks_continues_by_masks(
    source: list[int] | None, prompt: list[int]
) -> None:
    model = unilm()
    assert model.objective is not None
    assert model.objective.token_head is not None
    reading = model.objective.reading(source)
    by_masks = Decoder(model.backbone.eval(), model.objective.token_head, [reading])
    ids = torch.tensor(prompt, dtype=torch.int64)
    (new,) = generate_ids(by_masks, ids, GREEDY, never, max_new_tokens=8)
    assert new == filled(model, reading.opening, prompt)
    assert len(set(new)) > 1


def test_a_text_after_a_source_can_be_longer_than_the_model() -> None:
    """The source stays, and the newest half of the text is read again."""
    model = unilm()
    assert model.objective is not None
    assert model.objective.token_head is not None
    reading = model.objective.reading([20, 31, 42])
    long = Decoder(model.backbone.eval(), model.objective.token_head, [reading])
    ids = [25 + number % 30 for number in range(long.room + 1)]
    assert long.room == MAX_LENGTH - 6  # [CLS] and three tokens and [SEP], and a mask
    with torch.inference_mode():
        long.read(torch.tensor([ids[:-1]]))
        found = long.read(torch.tensor([ids[-1:]]))
        kept = ids[-(long.room // 2) :]
        fresh = Decoder(model.backbone, model.objective.token_head, [reading])
        expected = fresh.read(torch.tensor([kept]))
    assert torch.allclose(found, expected, atol=1e-5)


def test_samples_after_a_source_are_those_of_their_rows() -> None:
    model = unilm()
    drawn = model.generate(source="the ship", num_samples=3, max_new_tokens=6, seed=2)
    assert len({tuple(sample.ids) for sample in drawn}) > 1
    assert drawn == model.generate(source="the ship", num_samples=3, max_new_tokens=6, seed=2)
