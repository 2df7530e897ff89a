"""Models that write texts: saved as their classes, and theirs opened as such models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

import foretext as ft
from foretext.backbones.encoder_decoder import EncoderDecoder
from foretext.base.errors import ModelFileError
from foretext.heads.base import TaskBase
from foretext.heads.text_to_text import TextToTextHead
from foretext.language_model import LanguageModel
from foretext.tasks.model import TaskModel
from foretext.tasks.text_to_text.network import TextWriter
from tests.interop.conftest import D, shaken, transformers
from tests.interop.sequence_folders import fairseq_bpe, opened, t5_unigram, their_folder
from tests.interop.test_marian import SHAPE as TRANSFORMER_2017
from tests.interop.test_older_folders import edit_config
from tests.interop.test_t5 import SHAPE as SHAPE_OF_T5
from tests.interop.test_tasks_there import class_of
from tests.tokenizers.test_marian import marian_folder

TEXTS = ["the dog barks in the morning .", "a cat", "every night the owl hoots again ."]
WRITERS = [
    ("T5", "ForConditionalGeneration", "T5ForConditionalGeneration"),
    ("Bart", "ForConditionalGeneration", "BartForConditionalGeneration"),
    ("Marian", "MTModel", "MarianMTModel"),
]
SEARCH = {"num_beams": 3, "max_new_tokens": 9, "length_penalty": 0.5, "no_repeat_ngram_size": 2}


def load(folder: Path) -> Any:
    return TaskModel.load(folder, device="cpu", precision="fp32")


def their_texts(folder: Path, model: Any, texts: list[str], **asked: Any) -> list[str]:
    """Of each text by itself, by the settings of the folder."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    found = []
    for text in texts:
        (ids,) = model.generate(**tokenizer(text, return_tensors="pt"), **asked)
        found.append(tokenizer.decode(ids, skip_special_tokens=True).strip())
    return found


def texts_of(model: Any) -> list[str]:
    """What ours writes, without unknown tokens, which theirs leave out."""
    return [text.replace("[UNK]", "").strip() for text in model.predict(TEXTS)]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("kind", "head", "name"), WRITERS)
def test_their_models_write_here_and_there_again(
    kind: str, head: str, name: str, tmp_path: Path
) -> None:
    theirs = their_folder(tmp_path, kind, head)
    for setting, value in SEARCH.items():
        setattr(theirs.generation_config, setting, value)
    theirs.generation_config.save_pretrained(tmp_path)
    model = load(tmp_path)
    assert type(model) is TextWriter
    assert model.decoding.num_beams == 3
    written = texts_of(model)
    assert any(written)
    assert written == their_texts(tmp_path, theirs, TEXTS)
    model.save(tmp_path / "again")
    assert class_of(tmp_path / "again") == name
    again = opened(name, tmp_path / "again")
    assert written == their_texts(tmp_path / "again", again, TEXTS)
    assert type(ft.load(tmp_path / "again")) is TextWriter
    same = load(tmp_path / "again")
    assert texts_of(same) == written
    assert same.head.found == model.head.found


def test_what_a_folder_opens_as_by_itself(tmp_path: Path) -> None:
    """Marian's models translate; T5 and BART were pretrained, and fill."""
    kinds = {"T5": LanguageModel, "Bart": LanguageModel, "Marian": TextWriter}
    for kind, head, _ in WRITERS:
        their_folder(tmp_path / kind, kind, head)
        assert type(ft.load(tmp_path / kind)) is kinds[kind]


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    ("shape", "model_type"),
    [(TRANSFORMER_2017, "marian"), (SHAPE_OF_T5, "t5"), ({"dim": D, "num_layers": 2}, "foretext")],
)
@pytest.mark.parametrize("apart", [False, True])
def test_ours_from_scratch(
    shape: dict[str, Any], model_type: str, apart: bool, tmp_path: Path
) -> None:
    """With one vocabulary or two; only Marian's models have two."""
    tokenizer, target = t5_unigram(), fairseq_bpe() if apart else None
    torch.manual_seed(0)
    sizes = (target.vocab_size, tokenizer.vocab_size) if target else (tokenizer.vocab_size,)
    backbone = shaken(EncoderDecoder(EncoderDecoder.Config(**shape), *sizes))
    base = TaskBase(tokenizer, backbone, "causal", target_tokenizer=target)
    task = TextToTextHead(TextToTextHead.Config(num_beams=2), base, longest=6).eval()
    model = TextWriter(base, task, device="cpu", precision="fp32")
    model.save(tmp_path)
    settings = json.loads((tmp_path / "config.json").read_text())
    expected = "foretext" if apart and model_type == "t5" else model_type
    assert settings["model_type"] == expected
    assert (tmp_path / "target_tokenizer.json").is_file() is apart
    again = load(tmp_path)
    assert again.predict(TEXTS) == model.predict(TEXTS)
    assert again.head.config == task.config
    assert again.head.found == task.found
    assert again.decoding == model.decoding
    if expected != "foretext" and not apart:
        theirs = opened(settings["architectures"][0], tmp_path)
        assert their_texts(tmp_path, theirs, TEXTS) == texts_of(model)


def test_a_causal_model_that_writes_is_saved_as_one(tmp_path: Path, make_folder: Any) -> None:
    folder, _ = make_folder("gpt2", "LMHeadModel")
    base = ft.load(folder).as_base()
    model = TextWriter(base, TextToTextHead(TextToTextHead.Config(), base, longest=6).eval())
    model.save(tmp_path / "writer")
    assert class_of(tmp_path / "writer") == "GPT2LMHeadModel"
    assert type(ft.load(tmp_path / "writer")) is TextWriter
    assert load(tmp_path / "writer").predict(TEXTS) == model.predict(TEXTS)
    transformers.GPT2LMHeadModel.from_pretrained(tmp_path / "writer")


@pytest.mark.quick_cases(1)
@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
@pytest.mark.parametrize("separate", [False, True])
def test_marian_with_its_own_files(separate: bool, tmp_path: Path) -> None:
    """Sources are cut by one file of SentencePiece, and outputs read by the other."""
    pytest.importorskip("sentencepiece")
    marian_folder(tmp_path, separate=separate)
    names = ("vocab.json", "target_vocab.json") if separate else ("vocab.json", "vocab.json")
    sizes = [len(json.loads((tmp_path / name).read_text())) for name in names]
    kept = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    pad = 2 if separate else sizes[1] - 1
    ids = {"pad_token_id": pad, "eos_token_id": 0, "decoder_start_token_id": pad}
    theirs = their_folder(
        tmp_path, "Marian", "MTModel", vocab_size=sizes[0], decoder_vocab_size=sizes[1],
        share_encoder_decoder_embeddings=not separate, forced_eos_token_id=0, **ids,
    )  # fmt: skip
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        (tmp_path / name).unlink()
    for name, content in kept.items():
        (tmp_path / name).write_bytes(content)
    model = load(tmp_path)
    tokenizer = transformers.MarianTokenizer.from_pretrained(tmp_path)
    for text in ("the cat sat", "a cat, the cat"):
        encoded = tokenizer(text, return_tensors="pt")
        (ids_there,) = theirs.generate(**encoded, max_new_tokens=8, num_beams=2)
        expected = tokenizer.decode(ids_there, skip_special_tokens=True)
        (found,) = model.predict([text], max_new_tokens=8, num_beams=2)
        assert found == expected
    model.save(tmp_path / "again")
    assert load(tmp_path / "again").predict(["the cat sat"]) == model.predict(["the cat sat"])
    for base in (model.as_base(), LanguageModel.load(tmp_path, device="cpu").as_base()):
        assert base.target_tokenizer == model.base.target_tokenizer
        begun = TextWriter(base, TextToTextHead(TextToTextHead.Config(), base), precision="fp32")
        asked = {"max_new_tokens": 8, "num_beams": 2}
        assert begun.predict(["the cat sat"], **asked) == model.predict(["the cat sat"], **asked)


def test_a_language_model_keeps_its_search(tmp_path: Path) -> None:
    theirs = their_folder(tmp_path, "Bart", "ForConditionalGeneration")
    theirs.generation_config.num_beams = 5
    theirs.generation_config.save_pretrained(tmp_path)
    model = LanguageModel.load(tmp_path)
    model.save(tmp_path / "again")
    again = transformers.BartForConditionalGeneration.from_pretrained(tmp_path / "again")
    assert again.generation_config.num_beams == 5


def test_a_body_writes_nothing(tmp_path: Path) -> None:
    their_folder(tmp_path, "T5", "Model")
    with pytest.raises(ModelFileError, match=r"config\.json: T5Model has no head that predicts"):
        load(tmp_path)


def test_hostile_settings_of_a_task(tmp_path: Path) -> None:
    their_folder(tmp_path, "T5", "ForConditionalGeneration")
    load(tmp_path).save(tmp_path / "again")
    own = json.loads((tmp_path / "again" / "config.json").read_text())["foretext"]
    for found in ({"longest": -(10**30)}, {"longest": "x"}, {"objective": 5}, {"else": 1}):
        edit_config(tmp_path / "again", foretext={**own, "found": found})
        with pytest.raises(ModelFileError):
            load(tmp_path / "again")
