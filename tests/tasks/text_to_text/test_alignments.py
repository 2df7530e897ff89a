"""Pictures of attention: words on both axes, whatever the tokens are."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.base.errors import SettingError
from foretext.data.rows import ParallelText
from foretext.report.task_files import Examination
from foretext.tasks.examining import examine
from foretext.tasks.text_to_text.alignments import TokenWords, merged, text_alignments
from foretext.tasks.text_to_text.network import TextWriter
from tests.tasks.text_to_text.test_network import PAIRS, rows_of

NAMES = ["gru-attention", "transformer-2017"]
SMALL: dict[str, dict[str, Any]] = {
    "tokenizer": {"vocab_size": 290},
    "training": {"steps": 2, "batch_tokens": 200},
    "task": {"max_length": 24, "judged_by": "loss"},
}
SHAPES = {
    "gru-attention": {"dim": 16, "vector_size": 16},
    "transformer-2017": {"dim": 16, "num_heads": 2, "num_layers": 2},
}


def words(text: str, *owners: int) -> TokenWords:
    return TokenWords(text.split(), np.array(owners), list(range(len(owners))))


def test_tokens_of_a_word_are_one_row_and_one_column() -> None:
    maps = np.array([[[0.1, 0.2, 0.3, 0.4], [0.3, 0.4, 0.1, 0.2], [0.0, 0.0, 1.0, 0.0]]])
    source = words("a b", 0, 0, 1, -1)  # the last token is no word
    output = words("x y", 0, 0, 1)
    found = merged(maps.astype(np.float32), source, output)
    np.testing.assert_allclose(found, [[[(0.3 + 0.7) / 2, (0.3 + 0.1) / 2], [0.0, 1.0]]])


def test_an_output_that_was_cut_gives_nothing_at_its_end() -> None:
    maps = np.full((1, 2, 2), 0.5, np.float32)
    found = merged(maps, words("a b", 0, 1), words("x y z", 0, 1, 2))
    assert found[0, 2].tolist() == [0, 0]


@pytest.fixture(scope="module", params=NAMES)
def writer(request: pytest.FixtureRequest) -> TextWriter:
    settings = {**SMALL, "backbone": SHAPES[request.param]}
    found = ft.finetune("text_to_text", request.param, PAIRS, settings=settings, quiet=True)
    assert isinstance(found, TextWriter)
    return found


def test_every_token_belongs_to_the_word_that_it_spells(writer: TextWriter) -> None:
    tokenizer = writer.base.tokenizer
    found = TokenWords.of(tokenizer, "Zwei Männer, 狗 eins.")
    assert found.words == ["Zwei", "Männer", ",", "狗", "eins", "."]
    owners = [owner for owner in found.owners.tolist() if owner >= 0]  # a blank has none
    assert owners == sorted(owners)
    assert set(owners) == set(range(6))
    assert found.ids == tokenizer.encode("Zwei Männer, 狗 eins.")
    assert TokenWords.of(tokenizer, "").words == []


def test_pictures_are_those_of_the_attention(writer: TextWriter) -> None:
    rows = rows_of(PAIRS[:3])
    outputs = ["one two two one", "", "three, two"]
    backbone = writer.network().backbone
    first, second = text_alignments(backbone, writer.base, writer.head, rows, outputs)
    assert first["source"] == ["eins"] * 4
    assert first["output"] == outputs[0].split()
    assert second["output"] == ["three", ",", "two"]
    for picture in (first, second):
        weights = np.array(picture["weights"])
        assert weights.shape == (len(picture["output"]), len(picture["source"]))
        assert (weights.sum(axis=1) <= 1.01).all()
        assert weights.sum() > 0
        assert 1 <= picture["layer"] <= 2
    examined = {"part": "test", "rows": 3, "alignments": [first, second]}
    assert Examination.model_validate(json.loads(json.dumps(examined)))


def test_the_row_of_a_token_is_that_which_predicts_it(
    writer: TextWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Position t of the inputs predicts token t of the target, and looks at column t here."""
    backbone = writer.network().backbone

    def diagonal(inputs: Any) -> tuple[torch.Tensor, ...]:
        assert inputs.source is not None
        return (torch.eye(inputs.ids.shape[1], inputs.source.ids.shape[1])[None, None],)

    monkeypatch.setattr(backbone, "cross_attention_maps", diagonal)
    row = ParallelText("eins zwei drei", "", "a:1")
    task = writer.head
    [found] = text_alignments(backbone, writer.base, task, [row], ["eins zwei drei"])
    start = len(task.reading(()).opening) - 1
    frame = task.reading([7] * 3).source
    assert frame is not None
    assert start == frame.index(7) == 0
    np.testing.assert_allclose(found["weights"], np.eye(3), atol=1e-4)


def test_long_and_short_texts_have_no_picture(writer: TextWriter) -> None:
    rows = rows_of([("eins", "one"), ("eins " * 30, "one")])
    outputs = ["one two three"] * 2
    backbone = writer.network().backbone
    assert text_alignments(backbone, writer.base, writer.head, rows, outputs) == []


def test_a_run_has_all_blocks(writer: TextWriter) -> None:
    rows = rows_of(PAIRS)
    baseline = writer.task.baseline(rows)
    found = examine(writer, rows, beside={"baseline": baseline})
    assert found["samples"][0]["baseline"] == baseline.answers(rows).texts[0]
    assert found["alignments"] == [] or found["alignments"][0]["source"]
    assert found["beside"]["baseline"]["difference"]["p_value"] < 0.05
    assert Examination.model_validate({"part": "test", **found})


def test_one_output_is_aligned_as_its_picture_is(writer: TextWriter) -> None:
    row, output = rows_of(PAIRS[:1])[0], "one two two one"
    [picture] = text_alignments(
        writer.network().backbone, writer.base, writer.head, [row], [output]
    )
    found = writer.alignment(row.source, output)
    assert (found.source, found.output) == (picture["source"], picture["output"])
    assert found.layer == picture["layer"]
    np.testing.assert_allclose(found.weights, picture["weights"], atol=1e-4)


def test_an_alignment_of_nothing_has_no_weights(writer: TextWriter) -> None:
    assert writer.alignment("eins zwei", "").weights.shape == (0, 2)
    assert writer.alignment(" ", "one").weights.shape == (1, 0)


def test_a_text_of_any_length_is_aligned(writer: TextWriter) -> None:
    assert writer.alignment("eins", "one").weights.shape == (1, 1)


def test_without_attention_there_is_nothing_to_align() -> None:
    """A decoder that reads the end of a source alone: no pictures, and a sentence says so."""
    settings = {**SMALL, "backbone": {"dim": 16, "attention": "none"}}
    found = ft.finetune("text_to_text", "gru-attention", PAIRS, settings=settings, quiet=True)
    assert isinstance(found, TextWriter)
    assert len(found.predict(["eins zwei zwei eins"])) == 1
    assert "alignment" not in found.abilities
    with pytest.raises(SettingError, match=r"backbone\.attention = 'none': use the outputs alone"):
        found.alignment("eins zwei", "one two")
    rows, outputs = rows_of(PAIRS[:2]), ["one two three", "three two one"]
    backbone = found.network().backbone
    assert text_alignments(backbone, found.base, found.head, rows, outputs) == []
