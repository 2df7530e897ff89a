from __future__ import annotations

import json
from pathlib import Path

import pytest

from foretext.corpus import Corpus
from foretext.tokenizers.hf_files import save_hf_tokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.tokenizers.wordpiece import WordPiece

GERMAN = "Der grüne Präsident grüßte schon das schöne Mädchen.\n" * 60
ENGLISH = "The green president had already greeted the pretty girl at the café.\n" * 60
TEXTS = ["schon schön", "Grüne Präsidenten grüßen Mädchen!", "GRÜN grün grun", "Café, naïve 東京"]


def corpus_of(folder: Path, text: str) -> Corpus:
    (folder / "text.txt").write_text(text, encoding="utf-8")
    return Corpus(folder / "text.txt")


def test_accents_stay_unless_asked(tmp_path: Path) -> None:
    text = corpus_of(tmp_path, GERMAN)
    kept = learn_subwords("wordpiece", {"vocab_size": 120}, text)
    assert kept.encode("schon") != kept.encode("schön")
    assert "schöne" in kept.decode(kept.encode("schöne"))
    bare = learn_subwords("wordpiece", {"vocab_size": 120, "strip_accents": True}, text)
    assert bare.encode("schon") == bare.encode("schön")


def test_case_stays_where_nouns_begin_with_a_capital_letter(tmp_path: Path) -> None:
    assert WordPiece.resolved(WordPiece.Config(), corpus_of(tmp_path, GERMAN)).lowercase is False
    assert WordPiece.resolved(WordPiece.Config(), corpus_of(tmp_path, ENGLISH)).lowercase is True
    chosen = WordPiece.Config(lowercase=True)
    assert WordPiece.resolved(chosen, corpus_of(tmp_path, GERMAN)) == chosen


@pytest.mark.parametrize("lowercase", [True, False])
def test_transformers_gives_equal_ids(tmp_path: Path, *, lowercase: bool) -> None:
    transformers = pytest.importorskip("transformers")
    text = corpus_of(tmp_path, GERMAN + ENGLISH)
    tokenizer = learn_subwords("wordpiece", {"vocab_size": 200, "lowercase": lowercase}, text)
    save_hf_tokenizer(tokenizer, tmp_path, 64, "bert")
    config = json.loads((tmp_path / "tokenizer_config.json").read_text())
    assert (config["do_lower_case"], config["strip_accents"]) == (lowercase, False)
    for theirs in (transformers.AutoTokenizer, transformers.BertTokenizerFast):
        opened = theirs.from_pretrained(tmp_path)
        for line in TEXTS:
            assert opened(line, add_special_tokens=False)["input_ids"] == tokenizer.encode(line)
