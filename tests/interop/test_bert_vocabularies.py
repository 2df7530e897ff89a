"""Models that write, with BERT's vocabulary: ids, frames and ends as `transformers` has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.artifact import load_language_model
from foretext.base.errors import CorpusError
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.tokenizers.published_classes import BY_FILE, PROGRAMS
from tests.interop.conftest import MakeFolder, shaken, transformers
from tests.interop.sequence_folders import BART, T5

TOKENS = ["[PAD]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SENTINELS = [f"extra{number}" for number in range(20)]
WORDS = [*"古船は夜港に戻った我爱北京天安门的猫狗", "ship", "##s", "harbour", "戻っ", "。"]
VOCABULARY = [*TOKENS, *SENTINELS, *WORDS]
TEXTS = ["我爱北京的 Ships。", "the harbour ship", "古い船は夜遅く港に戻った。"]
GPT2 = {"n_layer": 2, "n_head": 2, "n_embd": 16, "n_positions": 40}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "gpt2": ("GPT2LMHeadModel", {**GPT2, "bos_token_id": 50256, "eos_token_id": 50256}),
    "gpt2 ends": ("GPT2LMHeadModel", {**GPT2, "bos_token_id": 3, "eos_token_id": 4}),
    "bart": (
        "BartForConditionalGeneration",
        {
            **BART,
            "pad_token_id": 0,
            "bos_token_id": 3,
            "eos_token_id": 4,
            "decoder_start_token_id": 3,
            "forced_eos_token_id": 4,
        },
    ),
    "t5": (
        "T5ForConditionalGeneration",
        {**T5, "pad_token_id": 0, "eos_token_id": 4, "decoder_start_token_id": 3},
    ),
}


def write_vocabulary(folder: Path, **config: Any) -> None:
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(config))


def their_folder(folder: Path, kind: str) -> Any:
    name, settings = KINDS[kind]
    their_class = getattr(transformers, name)
    torch.manual_seed(1)
    model = shaken(their_class(their_class.config_class(vocab_size=len(VOCABULARY), **settings)))
    model.save_pretrained(folder)
    write_vocabulary(folder, tokenizer_class="BertTokenizer")
    return model


@pytest.mark.parametrize("kind", KINDS)
def test_ids_and_ends_are_theirs(tmp_path: Path, kind: str) -> None:
    their_folder(tmp_path, kind)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    for folder in (tmp_path, tmp_path / "again"):
        loaded = load_hugging_face(folder)
        for text in TEXTS:
            bare = theirs(text, add_special_tokens=False)["input_ids"]
            assert loaded.tokenizer.encode(text) == bare
            assert loaded.tokenizer.library.encode(text).ids == theirs(text)["input_ids"]
        assert loaded.objective is not None
        assert loaded.objective.end == theirs.sep_token_id
        assert loaded.tokenizer.special.start == theirs.cls_token_id
        save_hugging_face(
            tmp_path / "again", loaded.tokenizer, loaded.backbone, loaded.objective, {}
        )


@pytest.mark.parametrize("kind", ["bart", "t5"])
def test_sources_are_framed_as_theirs(tmp_path: Path, kind: str) -> None:
    their_folder(tmp_path, kind)
    loaded = load_hugging_face(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert loaded.objective is not None
    source = loaded.objective.reading(loaded.tokenizer.encode(TEXTS[0])).source
    assert [*source] == theirs(TEXTS[0])["input_ids"]


@pytest.mark.parametrize("kind", ["gpt2", "gpt2 ends"])
def test_a_text_ends_with_its_separator(tmp_path: Path, kind: str) -> None:
    """Greedy text of a model whose last token is made to be `[SEP]`."""
    model = their_folder(tmp_path, kind)
    ours = load_language_model(tmp_path)
    prompt = [3, *ours.tokenizer.encode("我爱")]
    options = {"do_sample": False, "eos_token_id": 4, "pad_token_id": 0}
    theirs = model.generate(torch.tensor([prompt]), max_new_tokens=8, **options)[0].tolist()
    written = ours.generate("我爱", max_new_tokens=8, temperature=0)
    assert written[0].ids == theirs[len(prompt) :]
    assert written[0].ended_by == "length"
    last = theirs[-1]
    before = theirs[: theirs.index(last, len(prompt))]
    with torch.no_grad():  # that token and the separator exchange their vectors
        weight = model.transformer.wte.weight
        weight[[4, last]] = weight[[last, 4]]
    model.save_pretrained(tmp_path)
    theirs = model.generate(torch.tensor([prompt]), max_new_tokens=8, **options)[0].tolist()
    assert theirs == [*before, 4]
    written = load_language_model(tmp_path).generate("我爱", max_new_tokens=8, temperature=0)
    assert [*prompt, *written[0].ids] == theirs
    assert written[0].ended_by == "end"


def test_sentinels_of_a_vocabulary_of_bert(tmp_path: Path) -> None:
    their_folder(tmp_path, "t5")
    loaded = load_hugging_face(tmp_path)
    ids = [VOCABULARY.index(name) for name in SENTINELS]
    assert loaded.tokenizer.special.sentinels == tuple(ids)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert loaded.tokenizer.encode("北京extra0猫") == theirs("北京extra0猫")["input_ids"][1:-1]


@pytest.mark.parametrize(
    "config",
    [
        {"tokenizer_class": "BertJapaneseTokenizer", "word_tokenizer_type": "mecab"},
        {"word_tokenizer_type": "sudachi"},
        {"tokenizer_class": "PhobertTokenizer"},
        {"tokenizer_class": "FunnelTokenizer"},
        {"tokenizer_class": "my_module.CharacterTokenizer"},
    ],
)
def test_classes_that_cut_otherwise_are_refused(
    make_folder: MakeFolder, config: dict[str, str]
) -> None:
    folder, _ = make_folder("bert", "ForMaskedLM")
    (folder / "tokenizer.json").unlink()
    write_vocabulary(folder, **config)
    named = config.get("tokenizer_class", "BertJapaneseTokenizer")
    with pytest.raises(CorpusError, match=f"{named}.*no such tokenizer.*vocab.txt alone"):
        load_hugging_face(folder)


def test_config_json_may_name_the_class(make_folder: MakeFolder) -> None:
    """As the folders of cl-tohoku and of vinai do."""
    folder, _ = make_folder("roberta", "ForMaskedLM")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(
        json.dumps({**config, "tokenizer_class": "BertweetTokenizer"})
    )
    (folder / "tokenizer_config.json").unlink()
    with pytest.raises(CorpusError, match=r"'BertweetTokenizer'.*tokenizer\.json"):
        load_hugging_face(folder)


@pytest.mark.parametrize("their_class", ["BertTokenizer", "DistilBertTokenizerFast", None])
@pytest.mark.parametrize("family", ["bert", "electra", "distilbert", "ernie"])
def test_classes_of_bert_open(
    make_folder: MakeFolder, family: str, their_class: str | None
) -> None:
    folder, _ = make_folder(family, vocab_size=len(VOCABULARY))
    (folder / "tokenizer.json").unlink()
    write_vocabulary(folder, tokenizer_class=their_class)
    theirs = transformers.BertTokenizer.from_pretrained(folder)
    loaded = load_hugging_face(folder)
    for text in TEXTS:
        assert loaded.tokenizer.encode(text) == theirs(text)["input_ids"][1:-1]


def test_every_class_without_tokenizer_json_is_known() -> None:
    """All that `transformers` has; a class of ours must be one that it reads with its library."""
    names = transformers.models.auto.tokenization_auto.TOKENIZER_MAPPING_NAMES.values()
    fast = transformers.PreTrainedTokenizerFast
    for name in {each for each in names if isinstance(each, str)}:
        found = getattr(transformers, name, None)
        if found is None or "requires the" in (found.__doc__ or ""):
            continue
        if not issubclass(found, fast) and name != "MarianTokenizer":
            assert name in PROGRAMS, name
    assert not PROGRAMS & {name for names in BY_FILE.values() for name in names}
