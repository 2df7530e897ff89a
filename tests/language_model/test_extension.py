"""A model with further tokens: equal on old texts, equal to transformers, trained further."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from foretext.language_model import LanguageModel
from foretext.language_model.extension import extend_vocabulary
from foretext.tokenizers.added_words import add_words, pieces_of
from foretext.tokenizers.subwords import learn_subwords
from tests.cli.conftest import Command, command  # noqa: F401  a fixture
from tests.language_model.models import SENTENCES, Lines, bert, gpt, learned_tokenizer, lstm

NEW = ["lighthouse", "seagull", "queenly"]
OLD_TEXTS = [*SENTENCES, "seagulls queenly2 lighthouses ship's x-seagulled", "é ß 12"]
MODELS = {"bert": bert, "bert with next sentences": lambda: bert(next_sentence=True), "gpt": gpt}


@pytest.mark.parametrize("name", MODELS)
def test_old_texts_have_the_same_tokens_states_and_scores(name: str) -> None:
    model = MODELS[name]()
    larger, words = extend_vocabulary(model, NEW)
    assert words == NEW
    before, after = (each.tokenizer.encode_batch(OLD_TEXTS) for each in (model, larger))
    assert before == after
    assert larger.tokenizer.vocab_size == model.tokenizer.vocab_size + 3
    np.testing.assert_allclose(larger.embed(SENTENCES), model.embed(SENTENCES), atol=1e-6)
    old, new = (_logits(each, before[0]) for each in (model, larger))
    np.testing.assert_allclose(new[:, : old.shape[1]], old, atol=1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_new_tokens_begin_as_the_mean_of_their_pieces(name: str) -> None:
    model = MODELS[name]()
    larger, words = extend_vocabulary(model, NEW)
    pieces = pieces_of(model.tokenizer, words)
    assert all(len(each) > 1 for each in pieces)
    old, new = model.backbone.embedding, larger.backbone.embedding
    for word, each in zip(words, pieces, strict=True):
        (row,) = larger.tokenizer.encode(f" {word}")
        torch.testing.assert_close(new[row], old[each].mean(dim=0))
        text = f"the {word} in the sea"
        assert row in larger.tokenizer.encode(text)
        assert (
            len(larger.tokenizer.encode(text)) == len(model.tokenizer.encode(text)) - len(each) + 1
        )


def test_capitals_are_read_as_the_tokenizer_reads_them() -> None:
    tokenizer = add_words(learned_tokenizer("wordpiece"), ["Seagull", "seagull"]).tokenizer
    (row,) = tokenizer.encode("seagull")
    assert tokenizer.encode("SEAGULL") == [row]
    block = tokenizer.encode_block("The Seagull. \n\n" * 3000)
    assert (block.ids == row).sum() == 3000


def test_chinese_words_need_no_blanks() -> None:
    tokenizer = add_words(learned_tokenizer("wordpiece"), ["灯塔"]).tokenizer
    assert tokenizer.library.token_to_id("灯塔") in tokenizer.encode("看灯塔了")


def test_words_that_are_tokens_already_are_left_out() -> None:
    model = bert()
    assert extend_vocabulary(model, ["the", "seagull", "seagull"]).words == ["seagull"]
    with pytest.raises(SettingError, match="None of the 1 words is cut"):
        extend_vocabulary(model, ["the"])
    with pytest.raises(SettingError, match="has a blank in it"):
        extend_vocabulary(model, ["two words"])
    with pytest.raises(SettingError, match="Tokens cannot be added"):
        extend_vocabulary(lstm(), ["seagull"])


def test_unigram_takes_the_blank_before_a_word() -> None:
    tokenizer = learn_subwords("unigram", {"vocab_size": 60}, Lines())
    larger = add_words(tokenizer, ["lighthouse"]).tokenizer
    row = larger.library.token_to_id("lighthouse")
    before, after = tokenizer.encode("the"), larger.encode("the lighthouse")
    assert after == [*before, row]
    assert larger.encode_batch(SENTENCES) == tokenizer.encode_batch(SENTENCES)


@pytest.mark.parametrize("name", ["bert", "gpt"])
def test_transformers_extends_and_reads_them_equally(name: str, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    model = MODELS[name]()
    model.save(tmp_path / "old")
    larger, words = extend_vocabulary(model, NEW)
    larger.save(tmp_path / "new")
    kind = (
        transformers.AutoModelForMaskedLM if name == "bert" else transformers.AutoModelForCausalLM
    )
    theirs = kind.from_pretrained(tmp_path / "old").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "old")
    pieces = [tokenizer(f" {word}", add_special_tokens=False)["input_ids"] for word in words]
    tokenizer.add_tokens([transformers.AddedToken(word, single_word=True) for word in words])
    theirs.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    layers = {theirs.get_input_embeddings().weight, theirs.get_output_embeddings().weight}
    bias = getattr(theirs.get_output_embeddings(), "bias", None)
    with torch.no_grad():
        for number, each in enumerate(pieces):
            row = len(tokenizer) - len(words) + number
            for weight in [*layers, *([] if bias is None else [bias])]:
                weight[row] = weight[each].mean(dim=0)
    ours = kind.from_pretrained(tmp_path / "new").eval()
    reader = transformers.AutoTokenizer.from_pretrained(tmp_path / "new")
    for text in ("the seagull sees a lighthouse", *SENTENCES):
        assert reader(text, add_special_tokens=False)["input_ids"] == larger.tokenizer.encode(text)
        ids = torch.tensor([larger.tokenizer.encode(text)])
        with torch.inference_mode():
            torch.testing.assert_close(ours(ids).logits, theirs(ids).logits, atol=1e-5, rtol=1e-5)
    np.testing.assert_allclose(
        LanguageModel.load(tmp_path / "new").embed(["a seagull"]), larger.embed(["a seagull"]),
        atol=1e-6,
    )  # fmt: skip


def test_the_verb_finds_words_and_training_goes_on(command: Command, tmp_path: Path) -> None:  # noqa: F811
    bert().save(tmp_path / "bert")
    corpus = tmp_path / "sea.txt"
    corpus.write_text("the seagull and the lighthouse and the seagull in the Sea\n" * 40)
    out = tmp_path / "larger"
    asked = ["extend", tmp_path / "bert", "-o", out, "--corpus", corpus, "--number", 2]
    result: dict[str, Any] = json.loads(command(*asked, "--json").out)
    assert set(result["first_tokens"]) == {"seagull", "lighthouse"}
    assert 0 < result["saved_rate"] < 1
    assert command(*asked).code == 2  # the folder is there
    shown = command(*asked, "--overwrite")
    assert "2 tokens added (" in shown.out
    run = tmp_path / "run"
    done = command(
        "pretrain",
        "bert",
        corpus,
        "--base",
        out,
        "-o",
        run,
        "--no-report",
        "-q",
        "--set",
        "training.steps=2",
    )
    assert done.code == 0, done.err
    assert ft.load(run).tokenizer.vocab_size == result["vocab_size"]


def test_the_verb_refuses_what_has_no_effect(command: Command, tmp_path: Path) -> None:  # noqa: F811
    words = tmp_path / "words.txt"
    words.write_text("seagull\n\nlighthouse\n")
    bert().save(tmp_path / "bert")
    asked = ["extend", tmp_path / "bert", "-o", tmp_path / "out"]
    assert "one of the two" in command(*asked).err
    assert "one of the two" in command(*asked, "--tokens", words, "--corpus", words).err
    assert "no effect" in command(*asked, "--tokens", words, "--number", 3).err
    assert json.loads(command(*asked, "--tokens", words, "--json").out)["tokens"] == 2


@torch.inference_mode()
def _logits(model: LanguageModel, ids: list[int]) -> np.ndarray:
    assert model.objective is not None
    states = model.backbone(Inputs(torch.tensor([ids]), visibility=model.visibility))
    return model.objective.head(states.last)[0].numpy()
