from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foretext.base.errors import CorpusError, SettingError
from foretext.corpus import Corpus
from foretext.corpus.jieba_words import separate_words
from foretext.corpus.pre_tokenizers import KINDS, PreTokenizerKind
from foretext.tokenizers import WordTokenizer
from tokenizers import Tokenizer

TEXT = """\
The cat's "hat", (so) it is: 3.14 <br /> No! Why? <BR/> the THE İstanbul ΑΣΟΣ ß ẞ Ⱥ
naïve naïve café na_ïve x² Ⓐⓐ नमस्ते カナ 我爱北京天安门。我爱 Python, C++

The [UNK] is \x1c odd\x85and\u3000wide\u200band 𝔘 é e\u0301 '' <"br" />
"""
ALPHABET = st.one_of(st.sampled_from(TEXT), st.characters(exclude_categories=["Cs"]))
PIECES = st.one_of(st.sampled_from(TEXT.split()), st.text(ALPHABET, max_size=4))


def corpus_of(folder: Path, text: str = TEXT) -> Corpus:
    path = folder / "corpus.txt"
    path.write_bytes(text.encode())
    return Corpus(path)


def learn(folder: Path, text: str = TEXT, **settings: object) -> WordTokenizer:
    return WordTokenizer.learn(
        WordTokenizer.Config.checked({"min_count": 1, **settings}, "tokenizer"),
        corpus_of(folder, text),
    )


@pytest.fixture(scope="module", params=[(kind, case) for kind in KINDS for case in (True, False)])
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[WordTokenizer, Tokenizer]:
    """A tokenizer, and what the `tokenizers` library makes of its file."""
    folder = tmp_path_factory.mktemp("tokenizer")
    kind, lowercase = request.param
    tokenizer = learn(folder, pre_tokenizer=kind, lowercase=lowercase)
    tokenizer.save(folder / "tokenizer.json")
    return tokenizer, Tokenizer.from_file(str(folder / "tokenizer.json"))


def library_ids(tokenizer: WordTokenizer, library: Tokenizer, text: str) -> list[int]:
    if tokenizer.config.pre_tokenizer == "chinese_words":
        text = separate_words(unicodedata.normalize("NFC", text))
    return library.encode(text).ids


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pieces=st.lists(PIECES), blank=st.sampled_from(["", " "]))
def test_the_library_gives_equal_ids(
    both: tuple[WordTokenizer, Tokenizer], pieces: list[str], blank: str
) -> None:
    tokenizer, library = both
    text = blank.join(pieces)
    assert tokenizer.encode(text) == library_ids(tokenizer, library, text)


def test_the_library_gives_equal_ids_for_every_character(
    both: tuple[WordTokenizer, Tokenizer],
) -> None:
    tokenizer, library = both
    if tokenizer.config.pre_tokenizer == "chinese_words":
        return  # minutes of jieba, and the characters are those of whitespace
    for first in range(0, 0x30000, 0x4000):
        points = [point for point in range(first, first + 0x4000) if not 0xD800 <= point < 0xE000]
        text = "a".join(map(chr, points))
        assert tokenizer.encode(text) == library.encode(text).ids, hex(first)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pieces=st.lists(PIECES))
def test_ids_with_their_characters(
    both: tuple[WordTokenizer, Tokenizer], pieces: list[str]
) -> None:
    """Each id is that of the characters at its place, and nothing else is a word."""
    tokenizer, _ = both
    text = " ".join(pieces)
    if tokenizer.config.pre_tokenizer == "chinese_words":
        with pytest.raises(SettingError, match="take 'words_and_punctuation'"):
            tokenizer.encode_with_offsets([text])
        return
    ((ids, offsets),) = tokenizer.encode_with_offsets([text])
    assert ids.tolist() == tokenizer.encode(text)
    assert (offsets[1:, 0] >= offsets[:-1, 1]).all()
    spans = [text[start:end] for start, end in offsets.tolist()]
    assert [tokenizer.encode(span) for span in spans] == [[index] for index in ids.tolist()]


def test_the_library_has_the_same_vocabulary(both: tuple[WordTokenizer, Tokenizer]) -> None:
    tokenizer, library = both
    assert library.get_vocab() == tokenizer.vocabulary.ids
    assert library.decode([1, 2]) == tokenizer.decode([1, 2])


def test_worked_example(tmp_path: Path) -> None:
    tokenizer = learn(tmp_path, "b a b\nB c a\nd [UNK] b\n", min_count=2)
    assert tokenizer.config.pre_tokenizer == "unicode_words"
    assert tokenizer.vocabulary.words == ["[UNK]", "b", "a"]
    assert tokenizer.vocabulary.counts.tolist() == [3, 4, 2]  # c, d, unk
    assert tokenizer.vocab_size == 3
    assert tokenizer.vocabulary.unknown_rate == 3 / 9
    assert tokenizer.words("A, b: e") == ["a", "b", "e"]
    assert tokenizer.encode("A, b: e") == [2, 1, 0]
    assert tokenizer.decode([2, 1, 0]) == "a b [UNK]"
    assert "a" in tokenizer.vocabulary
    assert "c" not in tokenizer.vocabulary


def test_sentences_and_documents_of_a_block(tmp_path: Path) -> None:
    tokenizer = learn(tmp_path, "a b c")
    block = tokenizer.encode_block("a b\nc\n\n!\n\n ,\nb a\n\n")
    assert block.ids.tolist() == [1, 2, 3, 2, 1]
    assert block.sentence_starts.tolist() == [0, 2, 3]
    assert block.document_starts.tolist() == [0, 3]
    assert [part.size for part in tokenizer.encode_block("")] == [0, 0, 0]


def test_the_largest_vocabulary_keeps_the_most_frequent(tmp_path: Path) -> None:
    tokenizer = learn(tmp_path, "c c c b a a", max_vocab_size=3)
    assert tokenizer.vocabulary.words == ["[UNK]", "c", "a"]
    assert tokenizer.vocabulary.counts.tolist() == [1, 3, 2]


def test_unk_in_the_text_is_unknown(tmp_path: Path) -> None:
    tokenizer = learn(tmp_path, "a [UNK] a", pre_tokenizer="whitespace", lowercase=False)
    assert tokenizer.vocabulary.words == ["[UNK]", "a"]
    assert tokenizer.vocabulary.counts.tolist() == [1, 2]
    assert tokenizer.encode("[UNK] a") == [0, 1]


def test_auto_settles_on_the_script(tmp_path: Path) -> None:
    assert learn(tmp_path).config.pre_tokenizer == "unicode_words"
    assert learn(tmp_path, "我爱北京天安门").config.pre_tokenizer == "chinese_words"


@pytest.mark.parametrize("kind", KINDS)
def test_saved_and_loaded_it_is_equal(tmp_path: Path, kind: PreTokenizerKind) -> None:
    tokenizer = learn(tmp_path, pre_tokenizer=kind)
    tokenizer.save(tmp_path / "tokenizer.json")
    loaded = WordTokenizer.load(tmp_path / "tokenizer.json")
    assert loaded == tokenizer
    assert loaded.fingerprint == tokenizer.fingerprint
    assert loaded.encode(TEXT) == tokenizer.encode(TEXT)
    assert loaded != learn(tmp_path, pre_tokenizer=kind, lowercase=False)


def test_threads_do_not_matter(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    corpus_of(tmp_path, "\n".join(f"w{n} w{n // 2}" for n in rng.integers(0, 99, 3000)))

    class SmallBlocks(Corpus):
        def blocks(self, size: int = 0) -> Iterator[str]:
            return super().blocks(500)

    config = WordTokenizer.Config(min_count=3)
    one = WordTokenizer.learn(config, Corpus(tmp_path / "corpus.txt"))
    three = WordTokenizer.learn(config, SmallBlocks(tmp_path / "corpus.txt"), workers=3)
    assert one == three


def test_settings_are_checked() -> None:
    for settings_, message in [
        ({"pre_tokenizer": "words"}, r"\[tokenizer\] pre_tokenizer"),
        ({"min_count": 0}, r"\[tokenizer\] min_count = 0"),
        ({"max_vocab_size": 1}, r"\[tokenizer\] max_vocab_size = 1"),
        ({"mincount": 1}, "Did you mean 'min_count'"),
    ]:
        with pytest.raises(SettingError, match=message):
            WordTokenizer.Config.checked(settings_, "tokenizer")


def test_a_corpus_of_rare_words_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="'a', occurs 2 times"):
        learn(tmp_path, "a b a", min_count=3)


def test_auto_is_no_setting_of_a_learned_tokenizer(tmp_path: Path) -> None:
    (tmp_path / "vocabulary.tsv").write_text('# {"pre_tokenizer": "auto"}\n[UNK]\t1\na\t2\n')
    with pytest.raises(CorpusError, match=r"vocabulary\.tsv, line 1: 'auto'"):
        WordTokenizer.load(tmp_path / "tokenizer.json")


@pytest.mark.parametrize("settings", ["", "[]", '{"x": 1}', '{"min_count": 0}', "{" * 5000])
def test_damaged_settings_are_named(tmp_path: Path, settings: str) -> None:
    (tmp_path / "vocabulary.tsv").write_text(f"# {settings}\n[UNK]\t1\na\t2\n")
    with pytest.raises(CorpusError, match=r"vocabulary\.tsv, line 1 is damaged"):
        WordTokenizer.load(tmp_path / "tokenizer.json")


OLD_CUTS = {  # as version 0.1 cut them
    "unicode_words": ("go 👍 Schiff\u00adfahrt\u2060!", ["go", "schiff", "fahrt"]),
    "words_and_punctuation": ("a\u00adb ☂", ["a", "\u00ad", "b", "☂"]),
    "chinese_characters": ("我 👍a\u00adb", ["我", "a", "b"]),
    "chinese_words": ("北京 👍 a", ["北京", "a"]),
}


def as_earlier(folder: Path, kind: str, words: list[str]) -> WordTokenizer:
    lines = "".join(f"{word}\t1\n" for word in ["[UNK]", *words])
    settings = f'{{"pre_tokenizer": "{kind}", "lowercase": true, "min_count": 1}}'
    (folder / "vocabulary.tsv").write_text(f"# {settings}\n{lines}", encoding="utf-8")
    return WordTokenizer.load(folder / "tokenizer.json")


@pytest.mark.parametrize("kind", OLD_CUTS)
def test_words_of_an_earlier_version_keep_their_cut(tmp_path: Path, kind: str) -> None:
    text, words = OLD_CUTS[kind]
    known = list(dict.fromkeys([*words, "👍"]))
    earlier = as_earlier(tmp_path, kind, known)
    assert earlier.words(text) == words
    parts = "\n".join((kind, "True", "[UNK]", *known)).encode()
    assert earlier.fingerprint == hashlib.sha256(parts).hexdigest()[:32]  # as it was then
    newest = WordTokenizer(earlier.config, earlier.vocabulary)
    assert newest.words(text) != words
    assert newest != earlier
    assert newest.fingerprint != earlier.fingerprint


@pytest.mark.parametrize("kind", KINDS)
def test_the_cut_stays_when_words_go_on(tmp_path: Path, kind: PreTokenizerKind) -> None:
    text = "go 👍 Schiff\u00adfahrt 我☂b\u2060c\ufe0f"
    earlier = as_earlier(tmp_path, kind, ["go", "👍", "schiff", "fahrt", "schifffahrt", "b", "bc"])
    earlier.save(tmp_path / "tokenizer.json")
    portable = earlier.portable
    assert portable is not None
    for again in (
        WordTokenizer.load(tmp_path / "tokenizer.json"),
        WordTokenizer.made(portable.settings),
        earlier.composing("NFKC"),
    ):
        assert again.pre_tokenizer.edition == earlier.pre_tokenizer.edition == 1
        assert again.encode(text) == earlier.encode(text)
    if kind != "chinese_words":
        library = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
        assert library.encode(text).ids == earlier.encode(text)
