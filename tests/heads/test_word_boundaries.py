"""Places of characters in jieba's words, and the vectors that mark them."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from foretext.backbones.elmo import Elmo
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from foretext.heads.shared_tokens import mark_shared_tokens
from foretext.heads.task_base import TaskBase
from foretext.heads.word_boundaries import (
    FIRST,
    INSIDE,
    LAST,
    NUM_PLACES,
    SINGLE,
    mark_word_boundaries,
    word_places,
)
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.text_bodies import bert_body, word_body


def test_places_are_those_of_the_words() -> None:
    pytest.importorskip("jieba")
    sentences = [list("北京大学"), [], list("在北京"), ["北京大", "学"], ["在北", "京"], ["在"]]
    assert [places.tolist() for places in word_places(sentences)] == [
        [FIRST, INSIDE, INSIDE, LAST],
        [],
        [SINGLE, FIRST, LAST],
        [FIRST, LAST],
        [FIRST, LAST],
        [SINGLE],
    ]
    assert word_places([]) == []


@pytest.mark.parametrize("kind", ["bert", "lookup", "textcnn", "recurrent"])
def test_a_single_character_is_read_as_before(kind: str, wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece) if kind == "bert" else word_body(kind)
    inputs = Inputs(torch.tensor([[5, 6, 7]]))
    places = replace(inputs, segments=torch.tensor([[SINGLE, FIRST, LAST]]))
    body.backbone.eval()
    before = body.backbone(inputs).last
    mark_word_boundaries(body)
    body.backbone.eval()
    assert body.backbone.num_segments == body.backbone.config.num_segments == NUM_PLACES
    torch.testing.assert_close(body.backbone(inputs).last, before)
    assert not torch.allclose(body.backbone(places).last, before)
    vectors = body.backbone.segment_vectors
    assert vectors is not None
    kept = vectors.detach().clone()
    mark_word_boundaries(body)  # a second task on the same base
    assert torch.equal(body.backbone.segment_vectors, kept)


@pytest.mark.parametrize("mark", [mark_word_boundaries, mark_shared_tokens])
def test_a_base_that_reads_no_segments(mark: object, wordpiece: SubwordTokenizer) -> None:
    body = TaskBase(wordpiece, Elmo(Elmo.Config(), 10), "full")
    with pytest.raises(SettingError, match="and the base is a Elmo, which reads none"):
        mark(body)  # type: ignore[operator]
