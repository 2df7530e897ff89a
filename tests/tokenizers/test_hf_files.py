from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import CorpusError, SettingError
from foretext.corpus import Corpus
from foretext.data.framing import Framing
from foretext.tokenizers.hf_files import load_hf_tokenizer, save_hf_tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords

VOCABULARY = """
[PAD] [unused0] [UNK] [CLS] [SEP] [MASK] the cat ##s sat on ma ##t . , ! ' ¿ 猫 東 京 在
cafe café Cat Café é ##é de ##ja vu i ##stan ##bul ß σ ##α ##σ ##\u0301 한 ##국 가
"""
BERT_LINES = VOCABULARY.split()
BYTES = [chr(n) for n in [*range(33, 127), *range(161, 173), *range(174, 256), *range(256, 324)]]
MERGES = ["Ġ t", "h e", "Ġt he", "c a", "ca t", "Ġ cat", "a t", "Ã ©", "Ġ 1"]
TEXTS = [
    "The cats sat on the mat.",
    "Café Déjà vu, İstanbul! 猫在東京 ΣΑΣ",
    "a [MASK] [SEP] <|endoftext|> cat\u0301s\u00ad\t\n x",
    "",
    "한국어 (unknown) words\u2028here 11th",
]


@pytest.fixture(scope="module")
def transformers() -> ModuleType:
    return pytest.importorskip("transformers")


def bert_folder(folder: Path, config: dict[str, Any] | None = None) -> Path:
    (folder / "vocab.txt").write_text("\n".join(BERT_LINES) + "\n", encoding="utf-8")
    if config is not None:
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


def gpt_folder(folder: Path) -> Path:
    tokens = [*BYTES, *(merge.replace(" ", "") for merge in MERGES), "<|endoftext|>"]
    ids = {token: index for index, token in enumerate(tokens)}
    (folder / "vocab.json").write_text(json.dumps(ids), encoding="utf-8")
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *MERGES, ""]), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    path = tmp_path_factory.mktemp("corpus") / "text.txt"
    path.write_text("\n".join(TEXTS * 5), encoding="utf-8")
    return Corpus(path)


@pytest.mark.parametrize(
    "config",
    [
        None,
        {"do_lower_case": False},
        {"do_lower_case": False, "strip_accents": True, "tokenize_chinese_chars": False},
        {"unk_token": {"content": "[UNK]", "__type": "AddedToken"}, "cls_token": None},
    ],
)
def test_a_vocabulary_of_bert(
    config: dict[str, Any] | None, tmp_path: Path, transformers: ModuleType
) -> None:
    tokenizer = load_hf_tokenizer(bert_folder(tmp_path, config))
    settings = {k: v for k, v in (config or {}).items() if isinstance(v, bool)}
    ids = {token: index for index, token in enumerate(BERT_LINES)}
    reference = transformers.BertTokenizer(vocab=ids, **settings)
    for text in TEXTS:
        assert tokenizer.encode(text) == reference.encode(text, add_special_tokens=False)
        assert tokenizer.library.encode(text, "the cat").ids == reference.encode(text, "the cat")
    assert tokenizer.special[:5] == (0, 2, 3, 4, 5)
    assert not tokenizer.ordinary[:6].any()
    assert tokenizer.ordinary[6:].all()


def test_files_of_gpt_2(tmp_path: Path, transformers: ModuleType) -> None:
    tokenizer = load_hf_tokenizer(gpt_folder(tmp_path))
    reference = transformers.GPT2Tokenizer(
        vocab=str(tmp_path / "vocab.json"), merges=str(tmp_path / "merges.txt")
    )
    for text in TEXTS:
        assert tokenizer.encode(text) == reference.encode(text)
        assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.special.end == reference.eos_token_id == tokenizer.vocab_size - 1
    assert tokenizer.special.start == tokenizer.special.end


def roberta_folder(folder: Path, *, described: bool) -> Path:
    """Files of RoBERTa; `described`: special tokens are objects in special_tokens_map.json."""
    first = ["<s>", "<pad>", "</s>", "<unk>"]
    tokens = [*first, *BYTES, *(merge.replace(" ", "") for merge in MERGES), "<mask>"]
    ids = {token: index for index, token in enumerate(tokens)}
    (folder / "vocab.json").write_text(json.dumps(ids), encoding="utf-8")
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *MERGES, ""]), encoding="utf-8")
    if described:
        plain = {"lstrip": False, "normalized": True, "rstrip": False, "single_word": False}
        named = {"bos": "<s>", "cls": "<s>", "eos": "</s>", "sep": "</s>", "pad": "<pad>"}
        named |= {"unk": "<unk>", "mask": "<mask>"}
        described_tokens = {
            f"{task}_token": {"content": token, **plain, "lstrip": token == "<mask>"}
            for task, token in named.items()
        }
        (folder / "special_tokens_map.json").write_text(json.dumps(described_tokens))
    return folder


@pytest.mark.parametrize("described", [True, False])
def test_files_of_roberta(tmp_path: Path, transformers: ModuleType, described: bool) -> None:
    """Two separators stand between two texts, and the mask takes the blank before it."""
    tokenizer = load_hf_tokenizer(roberta_folder(tmp_path, described=described))
    reference = transformers.RobertaTokenizer.from_pretrained(tmp_path)
    texts = [text for text in TEXTS if "endoftext" not in text]
    if described:  # else release 5 no longer knows that the mask takes the blank, as it always did
        texts.append("the <mask> sat</s> the")
    assert tokenizer.encode("the <mask>") == tokenizer.encode("the<mask>")
    for text in texts:
        ids = tokenizer.encode(text)
        assert ids == reference.encode(text, add_special_tokens=False)
        framing = Framing.of(tokenizer, "full", 64)
        assert framing.around(ids) == reference(text)["input_ids"]
        second = tokenizer.encode("the cat")
        assert framing.around_pair(ids, second) == reference(text, "the cat")["input_ids"]
    pad, unknown, cls, sep, mask, *_ = tokenizer.special
    assert (cls, pad, sep, unknown) == (0, 1, 2, 3)
    assert mask == reference.mask_token_id
    save_hf_tokenizer(tokenizer, tmp_path, 64, "bert", has_segments=False)
    again = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert again("the cat", "the")["input_ids"] == reference("the cat", "the")["input_ids"]
    assert "token_type_ids" not in again("the cat", "the")


def test_special_tokens_are_those_that_a_folder_names(tmp_path: Path) -> None:
    folder = gpt_folder(tmp_path)
    (folder / "special_tokens_map.json").write_text('{"eos_token": "the", "pad_token": "nowhere"}')
    tokenizer = load_hf_tokenizer(folder)
    assert tokenizer.encode("<|endoftext|>") != [tokenizer.vocab_size - 1]
    assert tokenizer.special.end is None


@pytest.mark.parametrize("max_length", [128, None])
def test_auto_tokenizer_opens_what_bert_needs(
    max_length: int | None, corpus: Corpus, tmp_path: Path, transformers: ModuleType
) -> None:
    for kind, settings in (("wordpiece", {"vocab_size": 120}), ("bpe", {"vocab_size": 300})):
        tokenizer = learn_subwords(kind, settings, corpus)
        save_hf_tokenizer(tokenizer, tmp_path, max_length, "bert")
        theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
        pad, _, cls, sep, mask, *_ = tokenizer.special
        for text in TEXTS:
            first, second = tokenizer.encode(text), tokenizer.encode("the cat")
            encoded = theirs(text, "the cat")
            assert encoded["input_ids"] == [cls, *first, sep, *second, sep]
            types = [0] * (len(first) + 2) + [1] * (len(second) + 1)
            assert encoded["token_type_ids"] == types
            assert theirs(text)["input_ids"] == [cls, *first, sep]
        assert (theirs.pad_token_id, theirs.mask_token_id) == (pad, mask)
        assert len(theirs) == tokenizer.vocab_size
        assert theirs.model_max_length == (max_length or theirs.model_max_length)
        assert load_hf_tokenizer(tmp_path).fingerprint == tokenizer.fingerprint


def test_auto_tokenizer_opens_what_gpt_needs(
    corpus: Corpus, tmp_path: Path, transformers: ModuleType
) -> None:
    settings = {"vocab_size": 300, "special_tokens": ["<|endoftext|>"]}
    for kind in ("bpe", "wordpiece"):
        tokenizer = learn_subwords(kind, {} if kind == "wordpiece" else settings, corpus)
        save_hf_tokenizer(tokenizer, tmp_path, 64, "gpt")
        theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
        for text in TEXTS:
            encoded = theirs(text)
            assert encoded["input_ids"] == tokenizer.encode(text)
            assert set(encoded) == {"input_ids", "attention_mask"}
        assert theirs.eos_token_id == tokenizer.special.end
        assert len(theirs) == tokenizer.vocab_size


@given(text=st.text(max_size=40))
def test_bert_s_ids_of_any_text(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    transformers = pytest.importorskip("transformers")
    text = text.encode("utf-8", "replace").decode()
    folder = tmp_path_factory.getbasetemp() / "bert"
    if not folder.is_dir():
        folder.mkdir()
        bert_folder(folder)
    reference = transformers.BertTokenizer(vocab=dict(zip(BERT_LINES, range(99), strict=False)))
    assert load_hf_tokenizer(folder).library.encode(text).ids == reference.encode(text)


def test_a_frame_needs_its_tokens(corpus: Corpus, tmp_path: Path) -> None:
    tokenizer = learn_subwords("bpe", {"vocab_size": 300, "special_tokens": []}, corpus)
    with pytest.raises(SettingError, match=r"^The tokenizer has no cls token \(\[CLS\] or <cls>"):
        save_hf_tokenizer(tokenizer, tmp_path, None, "bert")
    assert not list(tmp_path.iterdir())


def test_an_id_without_a_token(tmp_path: Path) -> None:
    lines = [*BERT_LINES[:8], "the", "sat"]  # `the` has two, and the last one counts
    (tmp_path / "vocab.txt").write_text("\n".join(lines))
    tokenizer = load_hf_tokenizer(tmp_path)
    assert tokenizer.vocab_size == 10
    assert tokenizer.tokens[6:] == ["", "cat", "the", "sat"]
    assert tokenizer.ordinary.tolist() == [False] * 7 + [True] * 3
    assert tokenizer.encode("the sat") == [8, 9]


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (
            {},
            "{folder} contains no tokenizer; give a folder with tokenizer.json, vocab.txt, "
            "vocab.json and merges.txt, spm.model, spiece.model or sentencepiece.bpe.model.",
        ),
        (
            {"vocab.txt": "[PAD]\n[UNK]\n[CLS]\n[SEP]\ncat\n"},
            "{folder}/vocab.txt has no line '[MASK]'; give a vocabulary of BERT, or name its "
            "special tokens in a tokenizer_config.json beside it.",
        ),
        (
            {"vocab.txt": "", "tokenizer_config.json": "[]"},
            "{folder}/tokenizer_config.json is damaged: should be an object; fetch or write it "
            "again.",
        ),
        (
            {"vocab.txt": "", "tokenizer_config.json": "{"},
            "{folder}/tokenizer_config.json is damaged: invalid JSON: EOF while parsing an object "
            "at line 1 column 1; fetch or write it again.",
        ),
        (
            {"vocab.txt": "", "special_tokens_map.json": '{"sep_token": ["[SEP]"]}'},
            "{folder}/special_tokens_map.json is damaged: 'sep_token.str' = ['[SEP]'] should be a "
            "valid string; fetch or write it again.",
        ),
        (
            {"vocab.txt": "\n".join(BERT_LINES), "added_tokens.json": '{"<new>": 1000}'},
            "{folder}/added_tokens.json: '<new>' has the id 1000, which does not follow those of "
            "the vocabulary beside it; take the files that belong together.",
        ),
    ],
)
def test_what_cannot_be_read(files: dict[str, str], sentence: str, tmp_path: Path) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(CorpusError) as error:
        load_hf_tokenizer(tmp_path)
    assert str(error.value) == sentence.format(folder=tmp_path)


def test_damaged_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(CorpusError, match=r"vocab\.txt is damaged: it is not UTF-8 \("):
        load_hf_tokenizer(tmp_path)
    (tmp_path / "vocab.txt").unlink()
    (tmp_path / "vocab.json").write_text("{")
    (tmp_path / "merges.txt").write_text("")
    with pytest.raises(CorpusError, match=r"vocab\.json and merges\.txt cannot be read as BPE \("):
        load_hf_tokenizer(tmp_path)


def test_a_tokenizer_json_goes_first(corpus: Corpus, tmp_path: Path) -> None:
    tokenizer = learn_subwords("wordpiece", {"vocab_size": 120}, corpus)
    tokenizer.save(bert_folder(tmp_path) / "tokenizer.json")
    assert load_hf_tokenizer(tmp_path) == SubwordTokenizer.load(tmp_path / "tokenizer.json")


def test_added_tokens(tmp_path: Path, transformers: ModuleType) -> None:
    """As older releases kept them: behind the vocabulary, in a file of their own."""
    folder = bert_folder(tmp_path, {"do_lower_case": True})
    added = {"<new>": len(BERT_LINES), "<newer>": len(BERT_LINES) + 1}
    (folder / "added_tokens.json").write_text(json.dumps(added))
    tokenizer = load_hf_tokenizer(folder)
    assert tokenizer.tokens[-2:] == ["<new>", "<newer>"]
    reference = transformers.BertTokenizer.from_pretrained(folder)
    text = "the <new> cats <newer>sat"
    assert tokenizer.encode(text) == reference.encode(text, add_special_tokens=False)


def test_a_byte_order_mark_is_no_part_of_a_token(tmp_path: Path) -> None:
    plain = load_hf_tokenizer(bert_folder(tmp_path))
    (tmp_path / "vocab.txt").write_text("\n".join(BERT_LINES) + "\n", encoding="utf-8-sig")
    assert load_hf_tokenizer(tmp_path) == plain
