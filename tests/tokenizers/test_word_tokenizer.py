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
from foretext.corpus.chinese_words import separate_words
from foretext.corpus.pre_tokenizers import KINDS, PreTokenizerKind
from foretext.tokenizers import WordTokenizer
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.tokenizers.word_tokenizer import read_vocabulary, write_vocabulary
from tokenizers import Tokenizer

TEXT = """\
The cat's "hat", (so) it is: 3.14 <br /> No! Why? <BR/> the THE İstanbul ΑΣΟΣ ß ẞ Ⱥ
naïve naïve café na_ïve x² Ⓐⓐ नमस्ते カナ 我爱北京天安门。我爱 Python, C++

The [UNK] is \x1c odd\x85and\u3000wide\u200band 𝔘 é e\u0301 '' <"br" />
"""
ALPHABET = st.one_of(st.sampled_from(TEXT), st.characters(exclude_categories=["Cs"]))
PIECES = st.one_of(st.sampled_from(TEXT.split()), st.text(ALPHABET, max_size=4))

OLD_CUTS = {  # as version 0.1 cut them
    "unicode_words": ("go 👍 Schiff\u00adfahrt\u2060!", ["go", "schiff", "fahrt"]),
    "words_and_punctuation": ("a\u00adb ☂", ["a", "\u00ad", "b", "☂"]),
    "chinese_characters": ("我 👍a\u00adb", ["我", "a", "b"]),
    "chinese_words": ("北京 👍 a", ["北京", "a"]),
}

FORMULAS = ["=1+1", "+a", "-a", "@a", "\ra", '"=1"', "'", "'=1", "''", "a'", "a=b"]
WORDS = st.lists(
    st.one_of(
        st.sampled_from(FORMULAS),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n")),
    ).filter(lambda word: word != "[UNK]"),
    unique=True,
)


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


@pytest.mark.quick_cases(3)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pieces=st.lists(PIECES), blank=st.sampled_from(["", " "]))
def test_the_library_gives_equal_ids(
    both: tuple[WordTokenizer, Tokenizer], pieces: list[str], blank: str
) -> None:
    tokenizer, library = both
    text = blank.join(pieces)
    assert tokenizer.encode(text) == library_ids(tokenizer, library, text)


@pytest.mark.quick_cases(2)
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


@pytest.mark.quick_cases(3)
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


def test_words_that_stand_for_unknown_ones_are_unknown(tmp_path: Path) -> None:
    """As in PTB and WikiText, where `<unk>` is written for every rare word."""
    text = "the <unk> sails\nthe <unk> <unk> sails"
    kept = learn(tmp_path, text, pre_tokenizer="whitespace")
    assert kept.vocabulary.words == ["[UNK]", "<unk>", "sails", "the"]
    left_out = learn(tmp_path, text, pre_tokenizer="whitespace", unknown_words=["<unk>"])
    assert left_out.vocabulary.words == ["[UNK]", "sails", "the"]
    assert left_out.vocabulary.counts.tolist() == [3, 2, 2]
    assert left_out.encode("the <unk> sails") == [2, 0, 1]
    left_out.save(tmp_path / "tokenizer.json")
    assert WordTokenizer.load(tmp_path / "tokenizer.json") == left_out
    library = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert library.encode("the <unk> sails").ids == [2, 0, 1]


def test_unknown_words_are_cut_as_the_text_is(tmp_path: Path) -> None:
    text = "The <unk> Unk of XXX and xxx"
    symbols_go = learn(tmp_path, text, unknown_words=["<UNK>", "XXX"])
    assert symbols_go.vocabulary.words == ["[UNK]", "and", "of", "the"]
    largest = learn(tmp_path, text, unknown_words=["unk", "xxx"], max_vocab_size=3)
    assert largest.vocabulary.words == ["[UNK]", "and", "of"]
    for words, sentence in (
        ("<unk>", "makes < unk > of '<unk>', which is not one word; set .*= 'whitespace'"),
        ("", "makes nothing of ''"),
    ):
        with pytest.raises(SettingError, match=rf"\[tokenizer\] unknown_words: .*{sentence}"):
            learn(tmp_path, text, pre_tokenizer="words_and_punctuation", unknown_words=words)


@pytest.mark.shared_data
def test_the_vocabulary_of_the_penn_treebank(shared_data: Path) -> None:
    """With `<unk>` as the unknown word 6,719 are left of those that occur ten times."""
    corpus = Corpus(shared_data / "ptb" / "ptb.train.txt.xz")
    settings: dict[str, object] = {"pre_tokenizer": "whitespace", "min_count": 10}
    as_word = WordTokenizer.learn(WordTokenizer.Config.checked(settings, "tokenizer"), corpus)
    settings["unknown_words"] = ["<unk>"]
    as_unknown = WordTokenizer.learn(WordTokenizer.Config.checked(settings, "tokenizer"), corpus)
    assert (len(as_word.vocabulary), len(as_unknown.vocabulary)) == (6720, 6719)
    counts = dict(zip(as_unknown.vocabulary.words, as_unknown.vocabulary.counts, strict=True))
    assert counts["the"] == 50_770
    assert counts["[UNK]"] == as_word.vocabulary.counts[0] + 45_020


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


def vocabulary_of(words: list[str]) -> Vocabulary:
    return Vocabulary(["[UNK]", *words], np.arange(len(words) + 1))


@settings(deadline=None, max_examples=50)
@given(words=WORDS)
def test_written_and_read_it_is_equal(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    path = tmp_path_factory.mktemp("vocabulary") / "vocabulary.tsv"
    write_vocabulary(path, "{}", vocabulary_of(words))
    assert read_vocabulary(path) == ("{}", vocabulary_of(words))


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    path = tmp_path / "vocabulary.tsv"
    write_vocabulary(path, '{"lowercase":true}', vocabulary_of(FORMULAS))
    for line in path.read_bytes().decode().split("\n"):
        assert not any(cell.startswith(tuple('=+-@\r"')) for cell in line.split("\t"))


def test_a_file_of_an_earlier_version_holds_words_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "vocabulary.tsv"
    lines = ['# {"lowercase":true}', "[UNK]\t0", *(f"{w}\t{n}" for n, w in enumerate(FORMULAS, 1))]
    path.write_bytes("\n".join([*lines, ""]).encode())
    assert read_vocabulary(path) == ('{"lowercase":true}', vocabulary_of(FORMULAS))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "line 2|UNK"),
        (b"# {}\n", "line 2"),
        (b"# {}\t?\n[UNK]\t1\n", "line 1 is damaged: it says '?'"),
        (b"# {}\n[UNK]\t1\na", "line 3 is damaged: a line must have"),
        (b"# {}\n[UNK]\t1\na\t1\t2\n", "line 3"),
        (b"# {}\n[UNK]\t1\na\t-1\n", "line 3"),
        (b"# {}\n[UNK]\t1\na\t\n", "line 3"),
        (b"# {}\n[UNK]\t1\na\t1e3\n", "line 3"),
        (b"# {}\n[UNK]\t1\na\t" + b"1" * 31 + b"\n", "line 3"),
        (b"# {}\n[UNK]\t1\na\t" + b"1" * 10_000 + b"\n", "line 3"),
        ("# {}\n[UNK]\t1\na\t²\n".encode(), "line 3"),
        (b"# {}\n[UNK]\t1\na\t9223372036854775807\n", "counts are too large"),
        (b"# {}\n[UNK]\t1\na\t1\na\t1\n", "line 4 is damaged: 'a' occurs twice"),
        (b"# {}\n[UNK]\t1\n" + b"x" * 1001 + b"\t1\n", "line 3 .*: a word has 1,000 bytes at"),
        (b"# {}\na\t1\n[UNK]\t1\n", r"\[UNK\] must be the first word"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_damage_is_a_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "vocabulary.tsv"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=sentence) as caught:
        read_vocabulary(path)
    assert str(path) in str(caught.value)


def test_a_missing_and_a_huge_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "vocabulary.tsv"
    with pytest.raises(CorpusError, match="is missing"):
        read_vocabulary(path)
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(CorpusError, match="bytes"):
        read_vocabulary(path)


@pytest.mark.parametrize("word", ["a\tb", "a\nb"])
def test_words_that_no_file_could_keep_are_not_taken_over(word: str) -> None:
    with pytest.raises(CorpusError, match="cannot be kept"):
        vocabulary_of(["a"]).extended([word], None)
