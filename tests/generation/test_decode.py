"""Many texts at once: each as if it stood alone, in the order in which they were given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.base.errors import SettingError
from foretext.generation import Decoder, Decoding, Sampling, decode, generate_ids
from foretext.generation.decode import MANY_TEXTS
from foretext.objectives.reading import Reading
from tests.language_model.models import MAX_LENGTH, gpt
from tests.sequence_networks import in_use

OPENINGS = [(5, 70, 12), (33, 8), (9, 10, 11), (40,), (7, 7)]


def never(sample: int, ids: list[int]) -> bool:
    return False


def test_texts_of_a_batch_are_those_of_each_alone() -> None:
    model = gpt(seed=1)
    readings = [Reading(opening) for opening in OPENINGS]
    backbone, head = model.backbone.eval(), model.objective.token_head
    settings = Decoding(max_new_tokens=20, batch_texts=2)
    found = decode(backbone, head, readings, settings, end=None)
    for opening, outputs in zip(OPENINGS, found, strict=True):
        (ids,) = generate_ids(
            Decoder(backbone, head),
            torch.tensor(opening),
            Sampling(temperature=0),
            never,
            max_new_tokens=20,
        )
        assert [output.ids for output in outputs] == [ids]
        assert not outputs[0].ended


@pytest.mark.parametrize("num_beams", [1, 3])
def test_many_texts_are_read_by_packed_weights(num_beams: int) -> None:
    model = gpt(seed=1)
    torch.nn.init.normal_(model.objective.token_head.weight, std=0.5)
    parts = model.backbone.eval(), model.objective.token_head
    readings = [Reading((5 + number, 40, 12)) for number in range(MANY_TEXTS)]
    settings = Decoding(max_new_tokens=6, num_beams=num_beams, batch_texts=5)
    done: list[int] = []
    found = decode(*parts, readings, settings, end=0, advance=done.append)
    assert done == [5, 5, 5, 1]
    few = [decode(*parts, [reading], settings, end=0)[0] for reading in readings]
    assert [best.ids for (best, *_) in found] == [best.ids for (best, *_) in few]


def test_draws_are_those_of_the_number_of_a_text() -> None:
    model = gpt(seed=3)
    parts = model.backbone.eval(), model.objective.token_head
    readings = [Reading(opening) for opening in OPENINGS]

    def drawn(**settings: Any) -> list[list[list[int]]]:
        chosen = {"temperature": 1.5, "max_new_tokens": 8, "num_best": 3, **settings}
        found = decode(*parts, readings, Decoding(**chosen), end=0)
        return [[output.ids for output in outputs] for outputs in found]

    assert drawn() == drawn(batch_texts=1)
    assert drawn() != drawn(seed=1)
    assert all(len({*map(tuple, texts)}) == 3 for texts in drawn())


def test_an_output_that_never_ends_says_so() -> None:
    model = gpt(seed=1)
    parts = model.backbone.eval(), model.objective.token_head
    long = Decoding(max_new_tokens=10_000, num_beams=2)
    ((output,),) = decode(*parts, [Reading((5, 70))], long, end=None)
    assert not output.ended
    assert len(output.ids) == MAX_LENGTH - 2  # as many as the model has positions for


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"num_beams": 2, "temperature": 0.5}, "take one of the two"),
        ({"top_k": 3}, "top_k and top_p would have no effect"),
        ({"num_best": 3}, "num_best = 3 and num_beams = 1"),
        ({"min_new_tokens": 300}, "min_new_tokens = 300 is more than max_new_tokens = 256"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SettingError, match=complaint):
        Decoding.checked(settings, "decoding")


def test_more_beams_than_a_vocabulary_allows_are_refused() -> None:
    model = gpt()
    parts = model.backbone.eval(), model.objective.token_head
    with pytest.raises(SettingError, match="num_beams = 300 needs a vocabulary of 600 tokens"):
        decode(*parts, [Reading((5,))], Decoding(num_beams=300), end=0)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("objective", ["span_corruption", "text_infilling"])
@pytest.mark.parametrize("num_beams", [1, 4])
def test_texts_leave_a_batch_when_they_have_ended(
    objective: str, num_beams: int, animal_text: Path
) -> None:
    """Sources of several lengths, heads wide enough for the kernels, and ends at several steps."""
    model = in_use(objective, animal_text)
    assert model.objective is not None
    head = model.objective.token_head
    with torch.no_grad():
        for name, weight in model.backbone.named_parameters():
            if "cross.attention" in name:
                weight *= 6.0  # so that a text depends on its source
    parts = model.backbone.eval(), head
    sources = [
        [20 + (7 * text + place) % 30 for place in range(2 + text % 9)] for text in range(14)
    ]
    readings = [model.objective.reading(source) for source in sources]
    settings = Decoding(max_new_tokens=12, num_beams=num_beams, num_best=num_beams)
    first = decode(*parts, readings, settings, end=None)
    varied = max((best.ids for best, *_ in first), key=lambda ids: len({*ids}))
    end = varied[5]
    found = decode(*parts, readings, settings, end=end)
    alone = [decode(*parts, [reading], settings, end=end)[0] for reading in readings]
    assert [[best.ids for best in texts] for texts in found] == [
        [best.ids for best in texts] for texts in alone
    ]
    assert len({len(texts[0].ids) for texts in found}) > 1
