"""UniLM against figure 1 of its paper, and against one Transformer under explicit matrices."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import pytest
import torch
from torch import Tensor

from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.data.batch import Batch, Inputs
from foretext.data.token_file import Tokens
from foretext.data.token_stream import TokenStream
from foretext.generation import Decoder
from foretext.language_model import LanguageModel
from foretext.objectives.unilm import KINDS, Segments, UnifiedRows, UniLM, visible_matrix
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.batches import Batches
from foretext.training.model import Model
from foretext.training.records import Tally
from tests.networks import SHAPE

ROWS = 4
LENGTH = 24


def model(tokenizer: SubwordTokenizer, num_segments: int = 6, **settings: object) -> Model[UniLM]:
    """A UniLM with weights so large that every token matters."""
    torch.manual_seed(0)
    shape = Transformer.Config(**SHAPE, num_segments=num_segments, init_std=0.2)
    backbone = Transformer(shape, tokenizer.vocab_size)
    config = UniLM.Config(**{"row_length": LENGTH, **settings})
    return Model(backbone, UniLM(config, backbone, tokenizer)).eval()


def only(kind: str) -> dict[str, float]:
    """Settings by which all batches are of one kind."""
    return {each: float(each == kind) for each in KINDS}


def batch_of(made: Model[UniLM], tokens: Tokens, *, held_out: bool = False, seed: int = 0) -> Batch:
    examples = made.objective.examples(tokens.train, held_out=held_out)
    return examples.batch(np.arange(ROWS) * LENGTH, np.random.default_rng(seed))


def rows_of(*rows: str) -> Tensor:
    return torch.tensor([[letter == "x" for letter in row] for row in rows])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("bidirectional", rows_of("xxxxxx", "xxxxxx", "xxxxxx", "xxxxxx", "xxxxxx", "xxxxxx")),
        ("left_to_right", rows_of("x.....", "xx....", "xxx...", "xxxx..", "xxxxx.", "xxxxxx")),
        ("right_to_left", rows_of("xxxxxx", ".xxxxx", "..xxxx", "...xxx", "....xx", ".....x")),
        (
            "sequence_to_sequence",  # [CLS] a [SEP] b c [SEP]
            rows_of("xxx...", "xxx...", "xxx...", "xxxx..", "xxxxx.", "xxxxxx"),
        ),
    ],
)
def test_what_is_visible_is_figure_1_of_the_paper(kind: str, expected: Tensor) -> None:
    kinds = torch.tensor([KINDS.index(kind)])
    separators = torch.tensor([2])  # of a source of one token
    assert torch.equal(visible_matrix(kinds, separators, 6)[0], expected)


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_of_one_kind_equals_its_matrix(
    kind: str, bert_tokens: Tokens, wordpiece: SubwordTokenizer
) -> None:
    """Twin: the same rows under the matrix, whichever way the batch takes."""
    made = model(wordpiece, **only(kind))
    batch = batch_of(made, bert_tokens)
    T = batch.inputs.ids.shape[1]
    places = torch.arange(T)
    to_left = places[:, None] >= places
    if kind == "sequence_to_sequence":
        second = batch.inputs.segments == Segments.of(6).second[KINDS.index(kind)]  # (B, T)
        sees_left = to_left & second[:, :, None]
        matrix = sees_left | (~second[:, None, :] & torch.ones(T, T, dtype=torch.bool))
    else:
        shown = {"bidirectional": to_left | True, "left_to_right": to_left}
        matrix = shown.get(kind, to_left.T).expand(ROWS, T, T)
    inputs = replace(batch.inputs, visibility="matrix", visible=matrix)
    with torch.inference_mode():
        expected, found = made.backbone(inputs).last, made.backbone(batch.inputs).last
    assert torch.allclose(found, expected, atol=1e-5)


def test_most_batches_need_no_matrix(bert_tokens: Tokens, wordpiece: SubwordTokenizer) -> None:
    for kind, visibility in zip(KINDS, ("full", "causal", "matrix", "matrix"), strict=True):
        batch = batch_of(model(wordpiece, **only(kind)), bert_tokens)
        assert batch.inputs.visibility == visibility
        assert (batch.inputs.visible is None) == (visibility != "matrix")


@pytest.mark.parametrize("kind", KINDS)
def test_a_masked_score_depends_on_what_is_visible_only(
    kind: str, bert_tokens: Tokens, wordpiece: SubwordTokenizer
) -> None:
    made = model(wordpiece, **only(kind))
    batch = batch_of(made, bert_tokens)
    kinds, masked = batch.targets["kind"], batch.targets["masked"]
    separators = (batch.targets["original"] == made.objective.end).int().argmax(1)
    if kind == "sequence_to_sequence":
        segments = batch.inputs.segments
        assert segments is not None
        separators = (segments == Segments.of(6).second[kinds[0]]).int().argmax(1) - 1
    visible = visible_matrix(kinds, separators, masked.shape[1])
    with torch.inference_mode():
        before = made.backbone(batch.inputs).last
        for row, place in masked.nonzero().tolist()[:6]:
            for other in range(masked.shape[1]):
                ids = batch.inputs.ids.clone()
                ids[row, other] = (ids[row, other] + 7) % wordpiece.vocab_size
                after = made.backbone(replace(batch.inputs, ids=ids)).last
                changed = not torch.equal(before[row, place], after[row, place])
                assert changed == bool(visible[row, place, other]), (row, place, other)


def test_rows_hold_the_text_and_the_frame(bert_tokens: Tokens, wordpiece: SubwordTokenizer) -> None:
    special = wordpiece.special
    made = model(wordpiece)
    examples = made.objective.examples(bert_tokens.train)
    assert isinstance(examples, UnifiedRows)
    for seed in range(12):  # of all kinds
        batch = examples.batch(np.arange(ROWS) * LENGTH, np.random.default_rng(seed))
        original, segments = batch.targets["original"], batch.inputs.segments
        assert (original[:, 0] == special.cls).all()
        assert (original[:, -1] == special.sep).all()
        assert not batch.targets["masked"][:, [0, -1]].any()
        for row, start in enumerate(range(0, ROWS * LENGTH, LENGTH)):
            text = original[row, 1:-1].tolist()
            if KINDS[batch.targets["kind"][row]] == "sequence_to_sequence":
                assert segments is not None
                cut = int((segments[row] == 4).sum()) - 2
                assert text.pop(cut) == special.sep
                assert not batch.targets["masked"][row, cut + 1]
            assert text == examples.stream.take(start + np.arange(len(text))).tolist()


def test_hidden_tokens_alone_are_replaced(bert_tokens: Tokens, wordpiece: SubwordTokenizer) -> None:
    batch = batch_of(model(wordpiece), bert_tokens, held_out=True)
    seen, original = batch.inputs.ids, batch.targets["original"]
    masked = batch.targets["masked"]
    assert torch.equal(seen[~masked], original[~masked])
    assert (seen[masked] == wordpiece.special.mask).float().mean() > 0.5


def test_ends_of_documents_are_learned(bert_tokens: Tokens, wordpiece: SubwordTokenizer) -> None:
    made = model(wordpiece, mask_rate=0.5)
    examples, rng = made.objective.examples(bert_tokens.train), np.random.default_rng(0)
    batch = examples.batch(np.arange(60), rng)
    hidden = batch.targets["original"][batch.targets["masked"]]
    assert (hidden == made.objective.end).any()


def test_kinds_come_in_the_shares_of_the_paper(
    bert_tokens: Tokens, wordpiece: SubwordTokenizer
) -> None:
    batches = Batches(model(wordpiece).objective.examples(bert_tokens.train), 2, seed=0)
    kinds = [batches.batch(step).targets["kind"] for step in range(600)]
    assert all(len(each.unique()) == 1 for each in kinds)
    shares = np.bincount([int(each[0]) for each in kinds], minlength=4) / len(kinds)
    assert shares == pytest.approx([1 / 3, 1 / 6, 1 / 6, 1 / 3], abs=0.05)


def test_a_kind_can_be_left_out(bert_tokens: Tokens, wordpiece: SubwordTokenizer) -> None:
    made = model(wordpiece, right_to_left=0, sequence_to_sequence=0)
    batches = Batches(made.objective.examples(bert_tokens.train), 2, seed=0)
    kinds = {int(batches.batch(step).targets["kind"][0]) for step in range(60)}
    assert kinds == {0, 1}


def test_a_held_out_batch_has_every_kind(bert_tokens: Tokens, wordpiece: SubwordTokenizer) -> None:
    examples = model(wordpiece).objective.examples(bert_tokens.train, held_out=True)
    for seed in range(20):
        batch = examples.batch(np.arange(12) * LENGTH, np.random.default_rng(seed))
        assert np.bincount(batch.targets["kind"], minlength=4).tolist() == [4, 2, 2, 4]


def test_the_loss_is_the_mean_of_all_hidden_tokens(
    bert_tokens: Tokens, wordpiece: SubwordTokenizer
) -> None:
    made = model(wordpiece)
    examples = made.objective.examples(bert_tokens.train, held_out=True)
    batch = examples.batch(np.arange(12) * LENGTH, np.random.default_rng(0))
    tally = Tally(made.objective.divisors)
    tally.count(made.objective.counts(batch))
    with torch.inference_mode():
        tally.add(made(batch))
        logits = made.objective.head(made.backbone(batch.inputs).last[batch.targets["masked"]])
    expected = torch.nn.functional.cross_entropy(
        logits, batch.targets["original"][batch.targets["masked"]]
    )
    figures = tally.figures()
    assert figures["loss"] == pytest.approx(expected.item(), rel=1e-5)
    assert {f"{kind}_loss" for kind in KINDS} <= set(figures)


@pytest.mark.parametrize(
    ("num_segments", "first", "second"),
    [
        (0, (0, 0, 0, 0), (0, 0, 0, 0)),
        (1, (0, 0, 0, 0), (0, 0, 0, 0)),
        (2, (0, 0, 0, 0), (0, 0, 0, 1)),
        (6, (0, 2, 3, 4), (1, 2, 3, 5)),
    ],
)
def test_segments_are_those_that_the_backbone_has(
    num_segments: int, first: tuple[int, ...], second: tuple[int, ...]
) -> None:
    assert Segments.of(num_segments) == Segments(first, second)


def test_a_text_of_one_token_has_rows(wordpiece: SubwordTokenizer) -> None:
    made = model(wordpiece)

    class OneToken:
        separator = 3

        def __len__(self) -> int:
            return 2

        def take(self, places: np.ndarray) -> np.ndarray:
            return np.where(places == 1, 3, 9)

    stream, masking = cast(TokenStream, OneToken()), made.objective._masking(held_out=False)
    shares, segments = np.full(4, 0.25), Segments.of(6)
    rows = UnifiedRows(stream, LENGTH, 2, masking, shares, segments, mixed=True)
    batch = rows.batch(np.zeros(8, np.int64), np.random.default_rng(0))
    assert batch.inputs.ids.shape == (8, 4)


def test_settings_without_a_kind_are_refused() -> None:
    with pytest.raises(SettingError, match="are all 0"):
        UniLM.Config.checked(dict.fromkeys(KINDS, 0), "objective")


def test_a_backbone_that_cannot_hide_what_is_right_is_refused(
    wordpiece: SubwordTokenizer,
) -> None:
    made = model(wordpiece)
    made.backbone.visibilities = frozenset({"full"})
    with pytest.raises(SettingError, match="UniLM needs causal, matrix visibility"):
        Model(made.backbone, made.objective)


def test_continuing_equals_one_pass_under_the_matrix(wordpiece: SubwordTokenizer) -> None:
    """The source read at once and the text token by token, or all of it under the matrix."""
    made = model(wordpiece).double()
    source, text = [20, 21, 22], [30, 31, 32, 33]
    reading = made.objective.reading(source)
    decoder = Decoder(made.backbone, made.objective.head, [reading])
    mask = wordpiece.special.required("mask")
    with torch.inference_mode():
        for length in range(len(text) + 1):
            new = torch.tensor([text[max(length - 1, 0) : length]], dtype=torch.int64)
            found = decoder.read(new)
            row = torch.tensor([[*reading.opening, *text[:length], mask]])
            separators = torch.tensor([len(reading.opening) - 1])
            kinds = torch.tensor([KINDS.index("sequence_to_sequence")])
            segments = torch.where(torch.arange(row.shape[1]) > separators[0], 5, 4)[None]
            inputs = Inputs(
                row,
                visibility="matrix",
                visible=visible_matrix(kinds, separators, row.shape[1]),
                segments=segments,
            )
            expected = made.objective.head(made.backbone(inputs).last[:, -1])
            assert torch.allclose(found, expected, atol=1e-6), length


@pytest.mark.parametrize("source", [None, [20, 21, 22]])
@pytest.mark.parametrize("search", [{}, {"num_beams": 3}])
def test_what_no_text_has_is_never_written(
    wordpiece: SubwordTokenizer, source: list[int] | None, search: dict[str, int]
) -> None:
    """Of a model that likes `[MASK]` best, then `[CLS]` and padding."""
    made, special = model(wordpiece), wordpiece.special
    unwritten = [special.required(task) for task in ("mask", "cls", "pad")]
    with torch.no_grad():
        made.objective.head.bias[unwritten] += 100.0
    writer = LanguageModel(wordpiece, made.backbone, made.objective)
    written = writer.generate([30, 31], max_new_tokens=6, source=source, temperature=0, **search)
    assert written[0].ids
    assert not {*written[0].ids} & {*unwritten}
