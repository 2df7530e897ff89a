"""BART's objective: frames, gaps, and texts without sentences to permute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import CorpusError
from foretext.corpus import Corpus, CorpusConfig
from foretext.data.padded_examples import WIDTHS
from foretext.data.token_file import Tokens
from foretext.data.token_stream import TokenStream
from foretext.data.token_writer import write_tokens
from foretext.objectives.text_infilling import (
    Damage,
    InfilledRows,
    TextInfilling,
    draw_span_lengths,
    infill,
)
from foretext.training.model import Model
from tests.networks import encode
from tests.sequence_networks import model_of, tokenizer_of

FIRST, END, MASK, PAD = 2, 3, 4, 0  # of the animals' tokenizer

INFILLED_MASK, INFILLED_PAD = 1, 0


@pytest.fixture(scope="module")
def bart(animal_text: Path) -> Model[TextInfilling]:
    return model_of("text_infilling", tokenizer_of("text_infilling", animal_text))


def test_gaps_are_masks_and_the_text_is_written_up_to_them(bart: Model[TextInfilling]) -> None:
    special = bart.objective.tokenizer.special
    first, end, mask = special.cls, special.sep, special.mask
    pieces = [[20, 21], [22], []]
    gap = bart.objective.gap(pieces, [])
    assert gap.reading.source == (first, 20, 21, mask, 22, mask, end)
    assert gap.reading.opening == (end, first, 20, 21)
    assert gap.ends == (22,)
    gap = bart.objective.gap(pieces, [[30, 31]])
    assert gap.reading.opening == (end, first, 20, 21, 30, 31, 22)
    assert gap.ends == (end,)


def test_two_masks_side_by_side_are_one(bart: Model[TextInfilling]) -> None:
    with pytest.raises(CorpusError, match="two masks side by side"):
        bart.objective.gap([[20], [], [21]], [])


def test_a_text_is_written_after_its_source(bart: Model[TextInfilling]) -> None:
    special = bart.objective.tokenizer.special
    reading = bart.objective.reading([20, 21])
    assert reading.source == (special.cls, 20, 21, special.sep)
    assert reading.opening == (special.sep,)
    assert reading.first == special.cls


def test_sentences_are_permuted_where_a_document_has_some(
    bart: Model[TextInfilling], animal_text: Path, tmp_path: Path
) -> None:
    tokenizer, config = bart.objective.tokenizer, TextInfilling.Config()
    tokens = encode(animal_text, tokenizer, tmp_path / "animals")
    assert TextInfilling.text_rules.possible(config, [tokens.train]) == (config, None)
    (tmp_path / "lines.txt").write_text("the dog barks .\na cat .\n", encoding="utf-8")
    lines = Corpus(tmp_path / "lines.txt", CorpusConfig(documents="line"))
    single = write_tokens(lines, tokenizer, tmp_path / "ids")
    found, note = TextInfilling.text_rules.possible(config, [single.train])
    assert not found.permute_sentences
    assert note == (
        "sentences are not permuted, as no document of this text has two; set corpus.sentences = "
        "'punctuation', or corpus.documents to what ends a document"
    )
    assert TextInfilling.text_rules.possible(found, [single.train]) == (found, None)


def rows_of(tokens: Tokens, damage: Damage, length: int = 50) -> InfilledRows:
    return InfilledRows(TokenStream(tokens.train, END), length, damage, first=FIRST, pad=PAD)


@pytest.mark.parametrize("permutes", [False, True])
def test_the_target_is_the_text(bert_tokens: Tokens, permutes: bool) -> None:
    rows = rows_of(bert_tokens, Damage(0.3, 3.0, permutes, MASK))
    keys = np.arange(8) * 48
    batch = rows.batch(keys, np.random.default_rng(0))
    text = rows.stream.take(keys[:, None] + np.arange(48))
    target = batch.targets["next"].numpy()
    assert (target[:, 1:-1] == text).all()
    assert (target[:, 0] == FIRST).all()
    assert (target[:, -1] == END).all()
    read = batch.inputs.ids.numpy()
    assert (read[:, 0] == END).all()
    assert (read[:, 1:] == target[:, :-1]).all()


@pytest.mark.parametrize("permutes", [False, True])
def test_the_source_shows_what_is_not_hidden(bert_tokens: Tokens, permutes: bool) -> None:
    rows = rows_of(bert_tokens, Damage(0.3, 3.0, permutes, MASK))
    batch = rows.batch(np.arange(8) * 48, np.random.default_rng(0))
    source, hidden = batch.inputs.source, batch.targets["hidden"].numpy()
    assert source is not None
    assert source.ids.shape[1] % WIDTHS == 0
    assert not hidden[:, [0, -1]].any()
    assert (hidden.sum(1) == round(0.3 * 48)).all()
    assert source.token_mask is not None
    order_kept = True
    for row, real in enumerate(source.token_mask.numpy()):
        read = source.ids[row].numpy()
        assert (read[~real] == PAD).all()
        assert (read[real][0], read[real][-1]) == (FIRST, END)
        shown = read[real][1:-1]
        shown = shown[shown != MASK]
        expected = batch.targets["next"][row].numpy()[1:-1][~hidden[row, 1:-1]]
        assert sorted(shown.tolist()) == sorted(expected.tolist())
        order_kept &= shown.tolist() == expected.tolist()
    assert order_kept != permutes


def test_no_damage_is_a_copy(bert_tokens: Tokens) -> None:
    batch = rows_of(bert_tokens, Damage(0.0, 3.0, permutes=False, mask=MASK)).batch(
        np.arange(2) * 48, np.random.default_rng(0)
    )
    source = batch.inputs.source
    assert source is not None
    assert (source.ids[:, :50] == batch.targets["next"]).all()
    assert not batch.targets["hidden"].any()


@pytest.mark.parametrize(("length", "mean_span"), [(50, 0.2), (11, 0.1), (13, 3.0)])
def test_a_source_has_no_more_positions_than_are_read(
    bert_tokens: Tokens, length: int, mean_span: float
) -> None:
    """Spans of length 0 insert masks, and rows are filled up to a multiple of eight."""
    stream, damage = TokenStream(bert_tokens.train, END), Damage(0.3, mean_span, False, MASK)
    rows = InfilledRows(stream, length, damage, first=FIRST, pad=PAD, longest=length)
    batch = rows.batch(np.arange(16) * 8, np.random.default_rng(0))
    source, hidden = batch.inputs.source, batch.targets["hidden"].numpy()
    assert source is not None
    assert source.ids.shape[1] <= length
    assert length % WIDTHS
    for row in range(16):
        real = (
            source.ids[row]
            if source.token_mask is None
            else source.ids[row][source.token_mask[row]]
        )
        assert real[0] == FIRST
        assert real[-1] == END
        shown = [int(token) for token in real[1:-1] if token != MASK]
        text = batch.targets["next"][row, 1:-1].numpy()
        assert shown == text[~hidden[row, 1:-1]].tolist()


def rows(num_rows: int = 200, length: int = 126) -> np.ndarray:
    return np.arange(10, 10 + length) + 1_000 * np.arange(num_rows)[:, None]


def test_a_source_is_the_text_with_masks_in_place_of_spans() -> None:
    text = rows()
    found = infill(text, 0.3, 3.0, np.random.default_rng(0), mask=INFILLED_MASK, pad=INFILLED_PAD)
    for row in range(len(text)):
        source = found.source[row, : found.lengths[row]]
        assert (found.source[row, found.lengths[row] :] == INFILLED_PAD).all()
        shown = source[source != INFILLED_MASK]
        assert shown.tolist() == text[row, ~found.hidden[row]].tolist()
        # what a mask stands for lies between its neighbours
        at, missing = 0, []
        for token in source:
            if token == INFILLED_MASK:
                missing.append(0)
                continue
            while text[row, at] != token:
                missing[-1] += 1
                at += 1
            at += 1
        assert sum(missing) + len(text[row]) - at == found.hidden[row].sum()


def test_exactly_the_share_is_hidden() -> None:
    found = infill(rows(), 0.3, 3.0, np.random.default_rng(1), mask=INFILLED_MASK, pad=INFILLED_PAD)
    assert (found.hidden.sum(1) == round(0.3 * 126)).all()
    assert len({tuple(row) for row in found.hidden.tolist()}) == 200


def test_no_place_is_preferred() -> None:
    found = infill(
        rows(3_000),
        0.3,
        3.0,
        np.random.default_rng(2),
        mask=INFILLED_MASK,
        pad=INFILLED_PAD,
    )
    by_place = found.hidden.mean(0)[5:-5]  # few spans reach the first and the last tokens
    assert by_place.min() > 0.26
    assert by_place.max() < 0.34


def test_lengths_are_poissons() -> None:
    drawn = draw_span_lengths(3_000, 3.0, 20, np.random.default_rng(3))
    assert (np.where(drawn > 0, drawn, 0).sum(1) == 3_000).all()
    lengths = drawn[drawn >= 0]
    assert lengths.mean() == pytest.approx(3.0, rel=0.03)
    assert lengths.var() == pytest.approx(3.0, rel=0.06)
    assert (lengths == 0).mean() == pytest.approx(np.exp(-3), rel=0.1)


def test_a_span_of_no_tokens_inserts_a_mask() -> None:
    found = infill(
        rows(50, 20),
        0.2,
        0.5,
        np.random.default_rng(4),
        mask=INFILLED_MASK,
        pad=INFILLED_PAD,
    )
    masks = (found.source == INFILLED_MASK).sum(1)
    assert (masks > found.hidden.sum(1)).any()


@pytest.mark.parametrize(("length", "rate"), [(1, 0.3), (2, 0.3), (5, 0.0), (5, 0.99), (40, 0.9)])
def test_rows_of_any_length(length: int, rate: float) -> None:
    text = rows(30, length)
    found = infill(text, rate, 3.0, np.random.default_rng(5), mask=INFILLED_MASK, pad=INFILLED_PAD)
    assert (found.hidden.sum(1) == round(length * rate)).all()
    assert ((found.source > INFILLED_MASK).sum(1) == (~found.hidden).sum(1)).all()
