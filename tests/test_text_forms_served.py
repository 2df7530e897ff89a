"""A server, and a language model, answer a text in every Unicode form alike."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.backbones.transformer import Transformer
from foretext.corpus import Corpus
from foretext.corpus.texts import spooled
from foretext.language_model import LanguageModel
from foretext.objectives.causal_lm import CausalLM
from foretext.objectives.masked_lm import MaskedLM
from foretext.tokenizers.subwords import learn_subwords
from tests.serving.conftest import running
from tests.test_text_forms import FAMILIES, PLAIN, nfd, wide

OBJECTIVES = {"wordpiece": MaskedLM, "bpe": CausalLM}


@pytest.fixture(params=FAMILIES, ids=["korean", "vietnamese"])
def texts(request: pytest.FixtureRequest) -> list[str]:
    found: list[str] = request.param
    assert nfd(found[0]) != found[0]
    return found


def network(kind: str, texts: list[str]) -> LanguageModel:
    """Return a network with random weights, whose tokenizer has learned from texts."""
    settings: dict[str, Any] = {"vocab_size": 60}
    if kind == "bpe":
        settings = {"vocab_size": 300, "special_tokens": ["<|endoftext|>"]}
    lines = spooled((json.dumps({"text": text}) for text in texts * 50), "texts")
    tokenizer = learn_subwords(kind, settings, Corpus(lines))
    torch.manual_seed(0)
    shape: dict[str, Any] = {"num_layers": 1, "dim": 16, "num_heads": 2, "max_length": 64}
    backbone = Transformer(Transformer.Config(**shape), tokenizer.vocab_size)
    objective: Any = OBJECTIVES[kind]
    return LanguageModel(
        tokenizer, backbone, objective(objective.Config(), backbone, tokenizer), device="cpu"
    )


def test_masks_are_filled_alike(texts: list[str]) -> None:
    model = network("wordpiece", texts)
    first, rest = texts[0].split(maxsplit=1)
    asked = f"[MASK] {rest}"
    right, found = model.fill(asked, topn=4), model.fill(nfd(asked), topn=4)
    assert [[(each.token, each.probability) for each in mask] for mask in found] == [
        [(each.token, each.probability) for each in mask] for mask in right
    ]
    assert all(each.text.endswith(nfd(rest)) for mask in found for each in mask)  # as it was given
    assert first not in rest


def test_texts_go_on_alike(texts: list[str]) -> None:
    model = network("bpe", texts)
    right = model.generate(texts[0], max_new_tokens=8, temperature=0)
    found = model.generate(nfd(texts[0]), max_new_tokens=8, temperature=0)
    assert [unicodedata.normalize("NFC", str(each)) for each in found] == [*map(str, right)]


def test_a_server_embeds_and_predicts_alike(texts: list[str]) -> None:
    labels = ["sea", "sea", "court", "court"] * 10
    models: dict[str, Any] = {
        "words": ft.Word2Vec(min_count=1, vector_size=8, epochs=1, workers=1)
        .fit(texts * 20)
        .vectors_,
        "network": network("wordpiece", texts),
        "linear": ft.LinearClassifier().fit(texts * 10, labels),
        "fasttext": ft.FastTextClassifier(workers=1).fit(texts * 10, labels),
    }
    with running(models) as server:
        for route, names in {
            "/embed": ("words", "network"),
            "/predict": ("linear", "fasttext"),
        }.items():
            for name in names:
                right, found = (
                    server.client.post(route, json={"model": name, "inputs": text})
                    for text in (texts[0], nfd(texts[0]))
                )
                assert right.status_code == 200, right.text
                assert found.json() == right.json()


@pytest.mark.parametrize("base", ["linear", "fasttext"])
def test_a_server_predicts_in_the_form_of_the_rows(base: str) -> None:
    rows = [(text, "good" if row % 4 < 2 else "bad") for row, text in enumerate(PLAIN * 10)]
    settings = {"rows": {"normalization": "NFKC"}}
    model = ft.finetune("classification", base, rows, settings=settings, quiet=True)
    with running({"films": model}) as server:
        scores = [
            {
                each["label"]: each["score"]
                for each in server.client.post("/predict", json={"inputs": text}).json()
            }
            for text in (PLAIN[0], wide(PLAIN[0]))
        ]
    assert list(scores[0]) == list(scores[1])
    np.testing.assert_array_equal([*scores[1].values()], [*scores[0].values()])
    assert scores[0]["good"] != 0.5
