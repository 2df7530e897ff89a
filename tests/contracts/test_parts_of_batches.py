"""Every objective makes some rows of a batch as they are in the whole one, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from foretext.corpus import Corpus
from foretext.data.batch import Batch, Inputs
from foretext.data.examples import Examples
from foretext.data.token_file import Tokens
from foretext.data.token_stream import TokenStream
from foretext.pretraining.building import build_model
from foretext.tokenizers.subwords import learn_subwords
from tests.contracts.pairs import LAWFUL, small_recipe
from tests.networks import encode
from tests.outside.replaced_tokens import Rows

PAIRS = {pair.objective: pair for pair in LAWFUL}
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    **{objective: (objective, {}) for objective in PAIRS},
    "next sentences": ("masked_lm", {"next_sentence": True}),
    "next sentences, short": ("masked_lm", {"next_sentence": True, "pair_sentences": 1}),
    "words": ("masked_lm", {"next_sentence": False, "whole_words": True}),
    "kinds": ("masked_lm", {"units": ["token", "word", "phrase"], "max_ngram": 3}),
    "kinds of pairs": (
        "masked_lm",
        {"units": ["token", "word", "phrase"], "max_ngram": 3, "next_sentence": True},
    ),
}
SHARES = [range(11), range(3), range(3, 7), range(7, 11), range(10, 11)]


def examples_of(way: str, text: Path, folder: Path) -> Examples:
    """What an objective learns from, with the words of the text."""
    objective, settings = WAYS[way]
    kind, config = small_recipe(PAIRS[objective]).parts["tokenizer"]
    tokenizer = learn_subwords(str(kind), config.model_dump(), Corpus(text))
    recipe = small_recipe(PAIRS[objective]).with_settings("objective", **settings)
    objective_of = build_model(recipe, tokenizer).objective
    return objective_of.examples(encode(text, tokenizer, folder).train)


def same(ours: Batch, theirs: Batch) -> None:
    """Compare all that a backbone may see, and the targets."""
    same_inputs(ours.inputs, theirs.inputs)
    assert ours.targets.keys() == theirs.targets.keys()
    for name, target in ours.targets.items():
        assert torch.equal(target, theirs.targets[name]), name


def same_inputs(ours: Inputs, theirs: Inputs) -> None:
    for name, value in vars(ours).items():
        other = getattr(theirs, name)
        if isinstance(value, Inputs):
            same_inputs(value, other)
        elif isinstance(value, torch.Tensor):
            assert torch.equal(value, other), name
        else:
            assert value == other, name


@pytest.mark.parametrize("way", WAYS)
def test_rows_are_those_of_the_whole_batch(
    way: str, animal_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = examples_of(way, animal_text, tmp_path / "tokens")
    keys = examples.keys(np.random.default_rng(0))[:11]
    assert len(keys) == 11
    for seed in range(3):
        whole = examples.batch(keys, np.random.default_rng((1, seed)))
        for rows in SHARES:
            with monkeypatch.context() as patched:
                patched.setattr(examples, "batch", None)  # the whole batch is not made
                part = examples.part(keys, rows, np.random.default_rng((1, seed)))
            assert len(part) == len(rows)
            same(part.rows(0, len(rows)), whole.rows(rows.start, rows.stop))


def test_examples_from_outside_are_made_whole_and_cut(
    bert_tokens: Tokens,
) -> None:
    rows = Rows(TokenStream(bert_tokens.train, 3), 16, 0.5)
    keys = rows.keys(np.random.default_rng(0))[:11]
    whole = rows.batch(keys, np.random.default_rng(1))
    for share in SHARES:
        part = rows.part(keys, share, np.random.default_rng(1))
        same(part, whole.rows(share.start, share.stop))
