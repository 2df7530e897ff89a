"""Vectors of windows, which other programs join as `embed` does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from foretext.artifact import kind_named
from foretext.backbones.recurrent import Recurrent
from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.heads.base import TaskBase
from foretext.interop.text_windows import WINDOW_VECTOR, TextWindows
from foretext.language_model import LanguageModel
from foretext.nn.pooling import Dense
from foretext.tasks.sentence_vectors.network import SentenceEncoder
from foretext.tokenizers.word_tokenizer import WordTokenizer
from tests.language_model import models
from tests.networks import sentences

TEXTS = ["the king", "a ship sails to an island " * 20, "", "the dog", "a ship sails " * 9]


def encoder(**options: Any) -> LanguageModel:
    bert = models.bert()
    given: dict[str, Any] = {"text_length": 24, "is_sentence_encoder": True, **options}
    return LanguageModel(bert.tokenizer, bert.backbone, None, **given)


def layers(dim: int) -> list[Dense]:
    torch.manual_seed(1)
    first = Dense(torch.randn(dim + 3, dim), torch.randn(dim + 3), "gelu")
    return [first, Dense(torch.randn(dim, dim + 3), None, "tanh")]


def over_words(folder: Path) -> SentenceEncoder:
    """A BiLSTM that embeds texts."""
    text = folder / "words.txt"
    text.write_text(sentences(100), encoding="utf-8")
    words = WordTokenizer.learn(WordTokenizer.Config(min_count=1), Corpus(text))
    torch.manual_seed(0)
    backbone = Recurrent.build(Recurrent.Config(dim=6, vector_size=8), words.vocab_size)
    base = TaskBase(words, backbone, "full")
    config = SentenceEncoder.task.head_config(max_length=16)
    return SentenceEncoder(base, SentenceEncoder.task.head(config, base, kind="pairs"))


def windows_of(model: Any, *options: Any) -> TextWindows:
    found: TextWindows = kind_named(model.kind, Path()).code("windows")(model, *options)
    return found


def vector(windows: TextWindows, text: str) -> Any:
    """What a program without foretext makes of a text: the network window by window, then sums."""
    rows = windows.rows(text)
    network = windows.graph.network.eval()
    found: list[Any] = []
    for row in rows:
        ids = torch.tensor([row])
        more = {"token_type_ids": torch.zeros_like(ids)} if network.has_segments else {}
        with torch.inference_mode():
            (one,) = network(ids, torch.ones_like(ids), **more)
        found.append(one[0].numpy())
    return windows.vector(rows, np.stack(found)) if found else None


def compare(windows: TextWindows, wanted: Sequence[Any]) -> None:
    assert len(windows.rows(TEXTS[1])) > 2
    for text, theirs in zip(TEXTS, wanted, strict=True):
        ours = vector(windows, text)
        if ours is None:
            assert not theirs.any()
        else:
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("pooling", ["mean", "max", "cls"])
def test_vectors_are_those_of_a_language_model(pooling: Any) -> None:
    model = encoder(pooling="mean")
    chosen = (0, -1) if pooling == "max" else None
    wanted = model.embed(TEXTS, pooling, chosen or -1)
    compare(windows_of(model, pooling, chosen), wanted)


def test_vectors_go_through_the_layers_of_a_folder() -> None:
    dim = models.bert().backbone.dim
    model = encoder(dense=layers(dim))
    windows = windows_of(model, None, None)
    assert len(windows.dense) == 2
    compare(windows, model.embed(TEXTS, normalize=False))
    assert windows_of(model, "max", None).dense == ()


def test_vectors_are_those_of_a_sentence_encoder_over_words(tmp_path: Path) -> None:
    model = over_words(tmp_path)
    compare(windows_of(model, None, None), model.embed(TEXTS, normalize=False))


def test_a_window_is_read_as_foretext_reads_it() -> None:
    model = encoder()
    windows = windows_of(model, None, None)
    read = windows.graph.read((TEXTS[0],))
    assert read.ids == windows.rows(TEXTS[0])[0]
    np.testing.assert_allclose(read.outputs[WINDOW_VECTOR], model.embed(TEXTS[0]), atol=1e-5)


def test_a_network_that_reads_two_directions_apart_is_refused() -> None:
    bert = models.bert()
    model = LanguageModel(bert.tokenizer, bert.backbone, None, visibility="split")
    with pytest.raises(SettingError, match=r"reads its two directions apart.*a BERT or a GPT can"):
        windows_of(model, None, None)
