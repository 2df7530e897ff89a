"""Vector files: what is written reads back equal, here and in gensim."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foretext.base.errors import SettingError, VectorFileError
from foretext.vectors.formats import FORMATS
from foretext.vectors.word_vectors import WordVectors
from tests.lazy_import import lazy_import

gensim_models = lazy_import("gensim.models")

NAMES = ["v.txt", "v.vec", "v.bin", "v.glove.txt", "glove.6B.txt", "v.safetensors"]
PACKED = ["v.txt.gz", "v.bin.gz", "glove.gz.txt.gz"]

WORD = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
    lambda word: not any(character.isspace() or character == "\0" for character in word)
)
FLOAT32 = st.floats(width=32, allow_nan=False, allow_infinity=False)


@st.composite
def tables(draw) -> tuple[list[str], np.ndarray]:
    words = draw(st.lists(WORD, min_size=1, max_size=6, unique=True))
    dim = draw(st.integers(2, 5))
    rows = st.lists(FLOAT32, min_size=dim, max_size=dim)
    vectors = draw(st.lists(rows, min_size=len(words), max_size=len(words)))
    return words, np.array(vectors, np.float32)


@pytest.fixture
def vectors() -> WordVectors:
    rng = np.random.default_rng(0)
    words = ["the", "naïve", "北京", "42", "0.5", "'s", "\N{NO-BREAK SPACE}x", "e", "-"]
    scale = 10.0 ** rng.integers(-12, 6, (len(words), 7))
    return WordVectors(words, rng.standard_normal(scale.shape) * scale, range(len(words), 0, -1))


def assert_equal(found: WordVectors, expected: WordVectors) -> None:
    assert found.index_to_key == expected.index_to_key
    np.testing.assert_array_equal(found.vectors, expected.vectors)


@pytest.mark.parametrize("name", NAMES + PACKED)
def test_round_trip(vectors, tmp_path, name):
    vectors.save(tmp_path / name)
    assert_equal(WordVectors.load(tmp_path / name), vectors)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("format", FORMATS)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables())
def test_round_trip_of_any_words(tmp_path, format, table):
    expected = WordVectors(*table)
    expected.save(tmp_path / "any", format)
    assert_equal(WordVectors.load(tmp_path / "any", format), expected)
    assert_equal(WordVectors.load(tmp_path / "any"), expected)  # by content alone


def test_only_safetensors_keeps_counts(vectors, tmp_path):
    for name in ("v.safetensors", "v.txt"):
        vectors.save(tmp_path / name)
    assert WordVectors.load(tmp_path / "v.safetensors").counts.tolist() == vectors.counts.tolist()
    assert WordVectors.load(tmp_path / "v.txt").counts is None


@pytest.mark.parametrize(("name", "binary"), [("v.txt", False), ("v.bin", True)])
def test_gensim_reads_what_we_write(vectors, tmp_path, name, binary):
    vectors.save(tmp_path / name)
    theirs = gensim_models.KeyedVectors.load_word2vec_format(str(tmp_path / name), binary=binary)
    assert theirs.index_to_key == vectors.index_to_key
    np.testing.assert_array_equal(theirs.vectors, vectors.vectors)
    ours, others = vectors.most_similar("the"), theirs.most_similar("the")
    assert [word for word, _ in ours] == [word for word, _ in others]


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # gensim opens the file twice, closes once
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_gensim_reads_our_glove(vectors, tmp_path):
    vectors.save(tmp_path / "v.glove.txt")
    theirs = gensim_models.KeyedVectors.load_word2vec_format(
        str(tmp_path / "v.glove.txt"), no_header=True
    )
    assert theirs.index_to_key == vectors.index_to_key
    np.testing.assert_array_equal(theirs.vectors, vectors.vectors)


@pytest.mark.parametrize(("name", "binary"), [("v.txt", False), ("v.bin", True)])
@pytest.mark.parametrize("header", [True, False])
def test_we_read_what_gensim_writes(vectors, tmp_path, name, binary, header):
    if binary and not header:
        pytest.skip("gensim's own reader wants the header too")
    theirs = gensim_models.KeyedVectors(vectors.vector_size)
    theirs.add_vectors(vectors.index_to_key, vectors.vectors)
    theirs.save_word2vec_format(str(tmp_path / name), binary=binary, write_header=header)
    assert_equal(WordVectors.load(tmp_path / name), vectors)


def test_binary_rows_of_the_c_program_end_in_line_ends(tmp_path):
    numbers = np.array([[10, 2], [3, 4]], "<f4")  # 10 begins with a byte 0, 2 ends in a byte 64
    for end in (b"", b"\n"):
        rows = [
            w + b" " + row.tobytes() + end for w, row in zip([b"a", b"b"], numbers, strict=True)
        ]
        (tmp_path / "v").write_bytes(b"2 2\n" + b"".join(rows))
        assert WordVectors.load(tmp_path / "v")["b"].tolist() == [3, 4]


def test_a_header_is_told_from_a_word(tmp_path):
    (tmp_path / "v").write_text("5 1.5\n6 2.5\n")
    assert WordVectors.load(tmp_path / "v").index_to_key == ["5", "6"]
    (tmp_path / "v").write_text("5 3\n6 2\n")  # two numbers, but the next line is no row of three
    assert WordVectors.load(tmp_path / "v").index_to_key == ["5", "6"]
    (tmp_path / "v").write_text("2 1\n5 3\n6 2\n")
    assert WordVectors.load(tmp_path / "v")["6"].tolist() == [2]


def test_words_with_blanks_as_in_the_largest_glove_file(tmp_path):
    (tmp_path / "v").write_text("the 1 2\n. . . 3 4\nat name@domain.com 5 6\n")
    vectors = WordVectors.load(tmp_path / "v")
    assert vectors.index_to_key == ["the", ". . .", "at name@domain.com"]
    assert vectors["at name@domain.com"].tolist() == [5, 6]


@pytest.mark.parametrize(
    "rows",
    [
        {"windows 10": [0.25, 0.5, -1.5, 2], "ship": [0.5, 0.25, 1, 3]},
        {"ship": [0.5, 1], "area 51": [0.25, -0.5], "boeing 737 800": [1.5, 2]},
        {"the": [1, 2], ". . .": [3, 4], "web 2.0": [5, 6], "a": [1, 1], "b": [2, 2], "c": [1, 1],
         "d": [1, 1], "e": [3, 1]},
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["header", "no header", "binary"])
def test_words_that_end_with_numbers(tmp_path, rows, kind):
    numbers = np.array(list(rows.values()), "<f4")
    lines = [
        f"{word} {' '.join(map(str, row.tolist()))}\n"
        for word, row in zip(rows, numbers, strict=True)
    ]
    header = f"{numbers.shape[0]} {numbers.shape[1]}\n"
    content = {
        "header": (header + "".join(lines)).encode(),
        "no header": "".join(lines[1:] + lines[:1]).encode(),
        "binary": header.encode()
        + b"".join(
            word.encode() + b" " + row.tobytes() + b"\n"
            for word, row in zip(rows, numbers, strict=True)
        ),
    }[kind]
    (tmp_path / "v").write_bytes(content)
    vectors = WordVectors.load(tmp_path / "v")
    assert sorted(vectors.index_to_key) == sorted(rows)
    for word, row in zip(rows, numbers, strict=True):
        np.testing.assert_allclose(vectors[word], row)


def test_words_with_blanks_in_binary_need_line_ends(tmp_path):
    rows = {"windows 10": [0.1, 0.2], "ship": [0.3, 0.4]}
    body = b"".join(w.encode() + b" " + np.array(r, "<f4").tobytes() for w, r in rows.items())
    (tmp_path / "v.bin").write_bytes(b"2 2\n" + body)  # as gensim writes, and nobody reads
    with pytest.raises(VectorFileError):
        WordVectors.load(tmp_path / "v.bin")


@pytest.mark.parametrize("name", ["v.txt.gz", "v.txt.xz", "v.vec.bz2", "v.glove.txt.zst"])
def test_packed_files_of_every_kind(vectors, tmp_path, name):
    vectors.save(tmp_path / name.rpartition(".")[0])
    content = (tmp_path / name.rpartition(".")[0]).read_bytes()
    pack = {
        "gz": gzip.compress,
        "xz": lzma.compress,
        "bz2": bz2.compress,
        "zst": zstandard.ZstdCompressor().compress,
    }[name.rpartition(".")[2]]
    (tmp_path / name).write_bytes(pack(content[:50]) + pack(content[50:]))
    assert_equal(WordVectors.load(tmp_path / name), vectors)


def test_a_window_that_takes_too_much_memory_is_no_damage(vectors, tmp_path):
    vectors.save(tmp_path / "v.txt")
    content = (tmp_path / "v.txt").read_bytes()
    wide = zstandard.ZstdCompressionParameters(window_log=29)
    frame = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    (tmp_path / "v.txt.zst").write_bytes(frame.compress(content) + frame.flush())
    with pytest.raises(VectorFileError, match=r"needs more than .* unpack it first") as found:
        WordVectors.load(tmp_path / "v.txt.zst")
    assert "damaged" not in str(found.value)
    assert "max_piece_bytes" not in str(found.value)


def test_packed_vectors_that_are_cut_off_name_their_file_once(vectors, tmp_path):
    vectors.save(tmp_path / "v.txt")
    packed = gzip.compress((tmp_path / "v.txt").read_bytes())
    (tmp_path / "v.txt.gz").write_bytes(packed[:-9])
    with pytest.raises(VectorFileError, match="is damaged: its gzip data ends too early") as found:
        WordVectors.load(tmp_path / "v.txt.gz")
    assert str(found.value).count("v.txt.gz") == 1


def test_line_ends_tabs_and_blank_lines_at_the_end_do_not_matter(tmp_path):
    (tmp_path / "v").write_bytes(b"\xef\xbb\xbf2 2\r\na\t1  2 \r\nb 3 4\r\n\r\n\n")
    assert WordVectors.load(tmp_path / "v")["b"].tolist() == [3, 4]


def test_numbers_that_only_exact_arithmetic_decides(tmp_path):
    texts = ["16777217", "3.40282356e38", "1e-400", "0." + "3" * 40, "7.00649232162408535e-46"]
    (tmp_path / "v").write_text(f"w {' '.join(texts)}\n")
    expected = np.array([float(text) for text in texts]).astype(np.float32)
    assert WordVectors.load(tmp_path / "v")["w"].tolist() == expected.tolist()


def test_limit_reads_the_first_words(vectors, tmp_path):
    for name in NAMES:
        vectors.save(tmp_path / name)
        found = WordVectors.load(tmp_path / name, limit=2)
        assert found.index_to_key == vectors.index_to_key[:2]
    assert found.counts.tolist() == vectors.counts[:2].tolist()


def test_other_encodings_and_broken_words(tmp_path):
    (tmp_path / "v").write_bytes("1 2\ncafé 1 2\n".encode("latin-1"))
    assert "café" in WordVectors.load(tmp_path / "v", encoding="latin-1")
    assert "caf" in WordVectors.load(tmp_path / "v", errors="ignore")
    assert "caf\ufffd" in WordVectors.load(tmp_path / "v", errors="replace")


@pytest.mark.parametrize("name", ["v.txt", "v.bin"])
def test_of_repeated_words_the_first_may_be_kept(tmp_path, name):
    body = {"v.txt": b"a 1 2\nb 3 4\na 5 6\n"}.get(name) or b"".join(
        word + b" " + np.array(row, "<f4").tobytes()
        for word, row in [(b"a", [1, 2]), (b"b", [3, 4]), (b"a", [5, 6])]
    )
    (tmp_path / name).write_bytes(b"3 2\n" + body)
    vectors = WordVectors.load(tmp_path / name, repeated="first")
    assert vectors.index_to_key == ["a", "b"]
    assert vectors["a"].tolist() == [1, 2]


def test_packed_files_do_not_depend_on_the_clock(vectors, tmp_path):
    vectors.save(tmp_path / "v.txt.gz")
    assert gzip.decompress((tmp_path / "v.txt.gz").read_bytes()).startswith(b"9 7\nthe ")
    assert (tmp_path / "v.txt.gz").read_bytes()[4:8] == b"\0\0\0\0"


def test_blocks_of_lines_are_cut_between_lines(tmp_path, monkeypatch):
    from foretext.vectors.formats import lines, word2vec_binary

    expected = WordVectors(
        [f"word{i}" for i in range(50)], np.random.default_rng(0).random((50, 3))
    )
    for size in (7, 60, 1000):
        monkeypatch.setattr(lines, "_BLOCK_BYTES", size)
        monkeypatch.setattr(lines, "_BLOCK_ROWS", 7)
        monkeypatch.setattr(word2vec_binary, "_BLOCK_BYTES", size)
        monkeypatch.setattr(word2vec_binary, "_BLOCK_ROWS", 7)
        for name in ("v.txt", "v.bin"):
            expected.save(tmp_path / name)
            assert_equal(WordVectors.load(tmp_path / name), expected)


@pytest.mark.parametrize("name", ["v.txt", "v.bin", "v.glove.txt"])
@pytest.mark.parametrize("word", ["", "new york", "a\tb", "a\nb"])
def test_words_that_do_not_fit_a_format(tmp_path, name, word):
    with pytest.raises(VectorFileError, match=r"the word .* cannot be written in this format"):
        WordVectors(["a", word], [[1], [2]]).save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_half_a_surrogate_pair_cannot_be_written(tmp_path):
    with pytest.raises(VectorFileError, match="no valid Unicode"):
        WordVectors(["\ud800"], [[1]]).save(tmp_path / "v.safetensors")


def test_the_name_or_the_user_must_tell_the_format(tmp_path):
    vectors = WordVectors(["a"], [[1]])
    with pytest.raises(SettingError, match=r"the name does not say which format"):
        vectors.save(tmp_path / "v.npz")
    with pytest.raises(SettingError, match=r"'glov'.*Did you mean 'glove'"):
        vectors.save(tmp_path / "v.npz", "glov")
    with pytest.raises(SettingError, match=r"limt: there is no such setting. Did you mean 'limit'"):
        WordVectors.load(Path(), limt=3)
