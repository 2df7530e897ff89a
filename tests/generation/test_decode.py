"""Many texts at once: each as if it stood alone, in the order in which they were given."""

from __future__ import annotations

import torch

from foretext.generation import Decoder, Decoding, Sampling, decode, generate_ids
from foretext.objectives.reading import Reading
from tests.language_model.models import gpt

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
