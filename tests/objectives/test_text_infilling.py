"""BART's objective: frames, gaps, and texts without sentences to permute."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.corpus import Corpus, CorpusConfig
from foretext.data.token_writer import write_tokens
from foretext.objectives.text_infilling import TextInfilling
from foretext.training.model import Model
from tests.networks import encode
from tests.sequence_networks import model_of, tokenizer_of


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
    assert TextInfilling.possible(config, [tokens.train]) == (config, None)
    (tmp_path / "lines.txt").write_text("the dog barks .\na cat .\n", encoding="utf-8")
    lines = Corpus(tmp_path / "lines.txt", CorpusConfig(documents="line"))
    single = write_tokens(lines, tokenizer, tmp_path / "ids")
    found, note = TextInfilling.possible(config, [single.train])
    assert not found.permute_sentences
    assert note == (
        "sentences are not permuted, as no document of this text has two; set corpus.sentences = "
        "'punctuation', or corpus.documents to what ends a document"
    )
    assert TextInfilling.possible(found, [single.train]) == (found, None)
