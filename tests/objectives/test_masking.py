"""What is hidden together: tokens, words, phrases and entities."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from foretext.base.errors import CorpusError, MissingExtraError, SettingError
from foretext.data.token_file import ENTITY, NAMED, WORD, TokenFile
from foretext.data.token_stream import TokenStream
from foretext.objectives import masking
from foretext.objectives.corruption import choose_masked, corrupt_masked
from foretext.objectives.electra import Electra
from foretext.objectives.masked_lm import MaskedLM
from foretext.objectives.masked_rows import Masked, MaskedRows, Masking
from foretext.objectives.masking import MaskingConfig
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import bert

V = 50
ORDINARY = np.arange(V) > 4
EACH = np.ones(V, np.bool_)  # each token opens a word, as Chinese characters do


def marked(units: list[int], repeats: int = 40) -> TokenFile:
    """A text of one document with these bits, again and again."""
    bits = np.array(units * repeats, np.uint8)
    ids = (5 + np.arange(len(bits)) % (V - 5)).astype(np.uint16)
    starts = np.array([0, len(ids)])
    return TokenFile(Path("tokens"), ids, starts, starts, V, bits, "marked")


def masked_rows(tokens: TokenFile, way: Masking, *, seed: int = 0) -> tuple[Any, Any]:
    """Which tokens are masked in many rows, and the bits there; both (B, T)."""
    rows = MaskedRows(TokenStream(tokens, 3), 22, 2, way)
    rng = np.random.default_rng(seed)
    keys = np.concatenate([rows.keys(rng) for _ in range(40)])
    chosen = rows.batch(keys, rng).targets["masked"].numpy()[:, 1:-1]
    units = rows.stream.take_units(keys[:, None] + np.arange(rows.width))
    return chosen, units


def are_whole(chosen: np.ndarray, begins: np.ndarray) -> np.ndarray:
    """(B,) bool, the rows in which each unit is masked as a whole or not at all."""
    same = chosen[:, 1:] == chosen[:, :-1]
    whole: np.ndarray = (same | begins[:, 1:]).all(axis=1)
    return whole


UNITS = [3, 0, 3, 7, 5, 4, 3, 0, 0, 3]  # words of 2, 1, 1 + 2, 3 and 1; an entity of 3 tokens


def way(*kinds: Any, max_ngram: int = 1) -> Masking:
    return Masking(0.3, max_ngram, 4, ORDINARY, EACH, kinds=kinds)


def test_words_of_the_text_are_hidden_together_where_ids_do_not_show_them() -> None:
    chosen, units = masked_rows(marked(UNITS), way("word"))
    assert are_whole(chosen, units & WORD > 0).all()
    assert chosen.mean() == pytest.approx(0.3, abs=0.02)
    by_ids, _ = masked_rows(marked(UNITS), Masking(0.3, 1, 4, ORDINARY, None))
    assert not are_whole(by_ids, units & WORD > 0).all()


def test_entities_are_hidden_together_and_words_outside_of_them() -> None:
    chosen, units = masked_rows(marked(UNITS), way("entity"))
    assert are_whole(chosen, units & ENTITY > 0).all()
    entities = (units & NAMED > 0) & (units & ENTITY > 0)
    assert chosen[entities].mean() == pytest.approx(0.3, abs=0.05)


def test_phrases_are_several_words() -> None:
    chosen, units = masked_rows(marked(UNITS), way("phrase", max_ngram=3))
    assert are_whole(chosen, units & WORD > 0).all()
    words, _ = masked_rows(marked(UNITS), way("word"))
    edges = [(c[:, 1:] != c[:, :-1]).mean() for c in (chosen, words)]
    assert edges[0] < 0.8 * edges[1]  # longer runs change less often


def test_each_row_draws_a_kind() -> None:
    chosen, units = masked_rows(marked(UNITS), way("token", "entity"))
    whole = are_whole(chosen, units & ENTITY > 0)
    assert whole.mean() == pytest.approx(0.505, abs=0.05)  # half, and a few others by chance
    assert chosen.mean() == pytest.approx(0.3, abs=0.02)
    again, _ = masked_rows(marked(UNITS), way("token", "entity"))
    assert np.array_equal(chosen, again)


def test_a_batch_says_in_one_number_what_each_row_hides() -> None:
    rows = MaskedRows(TokenStream(marked(UNITS), 3), 22, 2, way("token", "entity"))
    rng = np.random.default_rng(0)
    batch = rows.batch(rows.keys(rng), rng)
    unit = batch.targets["unit"]
    assert (unit.dtype, unit.shape) == (torch.int8, (len(batch),))
    assert batch.by_example == {"unit"}
    assert set(unit.tolist()) == {1, 2}
    assert batch.rows(1, 3).targets["unit"].tolist() == unit[1:3].tolist()
    assert batch.cut(11).targets["unit"].tolist() == unit.repeat_interleave(11).tolist()
    one = MaskedRows(TokenStream(marked(UNITS), 3), 22, 2, way("entity"))
    assert one.batch(one.keys(rng), rng).by_example == frozenset()


def test_a_row_without_a_mask_hides_nothing() -> None:
    kinds = way("token", "word", "entity")
    ids = np.array([[2, 7, 8, 3], [2, 3, 3, 3], [2, 7, 3, 3]])
    chosen = np.array([[0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]], np.bool_)
    found = kinds.targets(ids, Masked(ids, chosen, np.array([0, 1, 2])))["unit"]
    assert found.tolist() == [1, 0, 3]


def test_special_tokens_and_separators_are_never_hidden() -> None:
    tokens = marked(UNITS)
    starts = np.array([0, 7, len(tokens.ids)])
    documents = TokenFile(Path(), tokens.ids, starts, starts, V, tokens.units)
    rows = MaskedRows(TokenStream(documents, 3), 22, 2, way("token", "entity"))
    rng = np.random.default_rng(0)
    batch = rows.batch(rows.keys(rng), rng)
    masked = batch.targets["masked"].numpy()
    assert ORDINARY[batch.targets["original"].numpy()[masked]].all()
    assert masked.any(axis=1).all()


def test_a_text_without_units_is_masked_as_before() -> None:
    ids = np.random.default_rng(1).integers(0, V, (6, 30))
    opens = np.random.default_rng(2).random(V) < 0.6
    for starts, max_ngram in ((None, 1), (opens, 1), (opens, 3)):
        found = Masking(0.15, max_ngram, 4, ORDINARY, starts).apply(ids, np.random.default_rng(3))
        rng = np.random.default_rng(3)
        words = None if starts is None else starts[ids]
        masked = choose_masked(ORDINARY[ids], words, 0.15, rng, max_ngram)
        corrupted = corrupt_masked(ids, masked, rng, 4, np.flatnonzero(ORDINARY))
        assert np.array_equal(found[0], corrupted)
        assert np.array_equal(found[1], masked)


@pytest.mark.parametrize(
    ("settings", "kinds"),
    [
        ({}, ("token",)),
        ({"whole_words": True}, ("word",)),
        ({"whole_words": True, "max_ngram": 3}, ("phrase",)),
        ({"units": ["token", "phrase"], "max_ngram": 3}, ("token", "phrase")),
        ({"entities": "names.txt"}, ("token", "entity")),
        ({"entities": "names.txt", "whole_words": True}, ("word", "entity")),
        ({"units": ["word"], "entities": "names.txt"}, ("word", "entity")),
    ],
    ids=str,
)
def test_kinds(settings: dict[str, Any], kinds: tuple[str, ...]) -> None:
    assert MaskingConfig(**settings).kinds == kinds


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"units": ["word"], "whole_words": True}, "whole_words would have no effect beside units"),
        ({"max_ngram": 2}, "max_ngram counts words: set whole_words"),
        ({"max_ngram": 2, "units": ["word"]}, "max_ngram counts words"),
        ({"units": ["phrase"]}, "a phrase has several words: set max_ngram"),
        ({"words": "jieba"}, "words would have no effect"),
        ({"units": []}, "at least 1 item"),
        ({"units": ["sentence"]}, "'token', 'word' or 'phrase'"),
        ({"entities": ""}, "at least 1 character"),
    ],
    ids=str,
)
def test_settings_without_effect_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        MaskingConfig(**settings)


class Text:
    bytes_read = 0
    fingerprint = ""

    def __init__(self, text: str) -> None:
        self.text = text

    def blocks(self, size: int = 0) -> Iterator[str]:
        yield self.text


def test_the_text_decides_what_finds_words(monkeypatch: pytest.MonkeyPatch) -> None:
    chinese, english = Text("我们喜欢自然语言处理\n\n"), Text("we like it\n\n")
    monkeypatch.setattr(masking, "jieba_version", lambda: "1")
    whole = MaskingConfig(whole_words=True)
    assert whole.resolved(chinese).words == "jieba"
    assert whole.resolved(english).words == "tokens"
    assert MaskingConfig().resolved(chinese).words == "auto"
    chosen = MaskingConfig(whole_words=True, words="tokens")
    assert chosen.resolved(chinese) == chosen

    def missing() -> str:
        raise MissingExtraError("jieba", "chinese", "This")

    monkeypatch.setattr(masking, "jieba_version", missing)
    assert whole.resolved(english).words == "tokens"
    with pytest.raises(MissingExtraError):
        whole.resolved(chinese)


def test_a_bad_list_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is missing"):
        MaskingConfig(entities=str(tmp_path / "names.txt")).resolved(Text("a"))


def test_what_has_to_mark_a_text(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("happy dog\n")
    assert MaskingConfig(whole_words=True, words="tokens").segmenter(wordpiece) is None
    assert MaskingConfig(units=["token"]).segmenter(wordpiece) is None
    with_names = MaskingConfig(entities=str(path), words="tokens")
    found = with_names.segmenter(wordpiece)
    assert found is not None
    assert (found.words, found.entities) == ("tokens", str(path))
    # the held-out loss is that of single tokens, unless whole words are all that is hidden
    assert with_names.segmenter(wordpiece, held_out=True) is None
    assert with_names.masking(wordpiece, marked([3]), held_out=True).kinds == ("token",)
    pytest.importorskip("jieba")
    words = MaskingConfig(whole_words=True, words="jieba").segmenter(wordpiece, held_out=True)
    assert words is not None
    assert words.words == "jieba"


def test_cautions(wordpiece: SubwordTokenizer, bert_tokens: Any) -> None:
    plain, whole = MaskingConfig(), MaskingConfig(whole_words=True)
    assert plain.cautions(bert_tokens.train, wordpiece) == []
    characters = marked([3])
    (found,) = whole.cautions(characters, wordpiece)
    assert found.startswith("hiding whole words (whole_words) has next to no effect on this text")
    assert "0.0% of the tokens continue a word" in found
    assert whole.cautions(marked(UNITS), wordpiece) == []
    phrases = MaskingConfig(whole_words=True, max_ngram=2)
    assert phrases.cautions(characters, wordpiece) == []
    entities = MaskingConfig(entities="names.txt")
    assert entities.cautions(marked(UNITS), wordpiece) == []
    (found,) = entities.cautions(marked([3, 0]), wordpiece)
    assert found.startswith("no entity of names.txt occurs in the text")


def test_whole_words_of_a_tokenizer_whose_tokens_are_words_are_warned_of(
    animal_text: Path, wordpiece: SubwordTokenizer, bert_tokens: Any
) -> None:
    train = bert_tokens.train
    opening = np.isin(train.ids, np.flatnonzero(wordpiece.word_starts))
    config = MaskingConfig(whole_words=True)
    words = TokenFile(
        train.folder,
        train.ids[opening],
        np.array([0, opening.sum()]),
        np.array([0, opening.sum()]),
        train.vocab_size,
    )
    assert len(config.cautions(words, wordpiece)) == 1


def test_a_text_without_the_marks_that_rows_need_is_refused(
    wordpiece: SubwordTokenizer, bert_tokens: Any
) -> None:
    objective = bert(wordpiece, entities="names.txt").objective
    with pytest.raises(SettingError, match="encoded without marks of words and entities"):
        objective.examples(bert_tokens.train)
    objective.examples(bert_tokens.train, held_out=True)
    by_jieba = bert(wordpiece, whole_words=True, words="jieba").objective
    with pytest.raises(SettingError, match="encoded without marks"):
        by_jieba.examples(bert_tokens.train, held_out=True)


def test_next_sentences_and_units_go_together(
    wordpiece: SubwordTokenizer, bert_tokens: Any
) -> None:
    train = bert_tokens.train
    units = np.where(np.arange(train.num_tokens) % 4 == 0, 3, 0).astype(np.uint8)
    tokens = TokenFile(
        train.folder, train.ids, train.sentence_starts, train.document_starts, V, units
    )
    model = bert(wordpiece, next_sentence=True, whole_words=True, mask_rate=0.3)
    assert isinstance(model.objective, MaskedLM)
    examples, rng = model.objective.examples(tokens), np.random.default_rng(0)
    batch = examples.batch(examples.keys(rng), rng)
    ends = np.diff(np.pad(batch.targets["masked"].numpy(), ((0, 0), (1, 1))).astype(int))
    lengths = np.flatnonzero(ends < 0) - np.flatnonzero(ends > 0)  # of runs of masked tokens
    assert lengths.max() >= 4  # the units have four tokens
    assert lengths.mean() > 2


def test_electra_hides_units_too(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("happy dog\n")
    config = Electra.Config(whole_words=True, entities=str(path))
    assert config.kinds == ("word", "entity")
    assert Electra.text_rules.segmenter(config, wordpiece) is not None
    assert (
        Electra.text_rules.resolved(config, Text("we like it\n\n")).model_dump()["words"]
        == "tokens"
    )
