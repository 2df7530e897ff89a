"""Pairs are counted exactly, whatever the memory, the workers and the cut of the text."""

from __future__ import annotations

import json
import os
import subprocess
import tracemalloc
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import OutputError, SettingError
from foretext.data import TokenFile
from foretext.vectors.cooccurrence import Cooccurrence
from foretext.vectors.pair_counts import count_cooccurrence, open_cooccurrence, pair_weights

Cells = dict[tuple[int, int], float]


def token_file(sentences: list[list[int]], vocab_size: int) -> TokenFile:
    ids = np.array([word for sentence in sentences for word in sentence], np.uint16)
    starts = np.cumsum([0, *(len(sentence) for sentence in sentences)])
    return TokenFile(Path(), ids, starts, starts, vocab_size)


def cells_of(counted: Cooccurrence) -> Cells:
    rows = np.repeat(np.arange(counted.vocab_size), np.diff(counted.row_starts))
    triples = zip(rows.tolist(), counted.columns.tolist(), counted.counts.tolist(), strict=True)
    return {(row, column): count for row, column, count in triples}


def plain_counts(sentences: list[list[int]], window: int) -> Cells:
    """What one would write without a thought for speed: a dict of fractions."""
    cells: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    for sentence in sentences:
        known = [word for word in sentence if word != 0]
        for at, word in enumerate(known):
            for distance, other in enumerate(reversed(known[max(0, at - window) : at]), 1):
                cells[word, other] += Fraction(1, distance)
                cells[other, word] += Fraction(1, distance)
    return {cell: float(np.float32(float(count))) for cell, count in cells.items()}


def random_text(num_sentences: int, vocab_size: int, seed: int = 0) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 60, num_sentences)
    return [(rng.zipf(1.3, length) % vocab_size).tolist() for length in lengths]


def test_worked_example(tmp_path: Path) -> None:
    # 1 2 3 1 | 2 3, window 2: 1-2 at distances 1 and 2, 1-3 at 2 and 1, 2-3 at 1 and 1, 1-1 not.
    counted = count_cooccurrence(token_file([[1, 2, 3, 1], [2, 3]], 4), 2, tmp_path / "counts")
    assert cells_of(counted) == {
        (1, 2): 1.5, (1, 3): 1.5, (2, 1): 1.5, (2, 3): 2.0, (3, 1): 1.5, (3, 2): 2.0,
    }  # fmt: skip


def test_worked_example_without_distances(tmp_path: Path) -> None:
    # The same pairs, each counted once for every time that it is within the window.
    text = token_file([[1, 2, 3, 1], [2, 3]], 4)
    counted = count_cooccurrence(text, 2, tmp_path / "counts", by_distance=False)
    assert cells_of(counted) == {
        (1, 2): 2.0, (1, 3): 2.0, (2, 1): 2.0, (2, 3): 2.0, (3, 1): 2.0, (3, 2): 2.0,
    }  # fmt: skip


def test_counts_with_distances_are_not_taken_for_those_without(tmp_path: Path) -> None:
    text = token_file([[1, 2, 3, 1]], 4)
    count_cooccurrence(text, 2, tmp_path / "counts")
    with pytest.raises(SettingError, match="window = 2 and by_distance = false"):
        open_cooccurrence(text, 2, tmp_path / "counts", by_distance=False)
    again = count_cooccurrence(text, 2, tmp_path / "counts", by_distance=False)
    assert again.counts.max() == 2.0


def test_ratios_show_which_of_two_words_a_third_belongs_to(tmp_path: Path) -> None:
    """Table 1 of the paper: solid goes with ice, gas with steam, water with both, fashion neither.

    By hand: beside ice stand solid 3, gas 1, water 4, fashion 1 times; beside steam 1, 3, 4 and 1.
    """
    ice, steam, solid, gas, water, fashion = range(1, 7)
    near_ice = [[ice, solid]] * 3 + [[ice, gas]] + [[ice, water]] * 4 + [[ice, fashion]]
    near_steam = [[steam, solid]] + [[steam, gas]] * 3 + [[steam, water]] * 4 + [[steam, fashion]]
    counted = count_cooccurrence(token_file(near_ice + near_steam, 7), 1, tmp_path / "counts")
    shares = counted.shares(ice)
    assert shares.tolist() == pytest.approx([0, 0, 0, 3 / 9, 1 / 9, 4 / 9, 1 / 9])
    ratios = shares[solid:] / counted.shares(steam)[solid:]
    assert ratios.tolist() == pytest.approx([3, 1 / 3, 1, 1])


def test_a_word_without_neighbours_has_no_shares(tmp_path: Path) -> None:
    counted = count_cooccurrence(token_file([[1, 2], [3]], 4), 1, tmp_path / "counts")
    assert not counted.shares(3).any()


def test_a_word_near_itself_counts_for_both_of_its_places(tmp_path: Path) -> None:
    counted = count_cooccurrence(token_file([[1, 1]], 2), 5, tmp_path / "counts")
    assert cells_of(counted) == {(1, 1): 2.0}


def test_unknown_words_are_dropped_before_distances_are_taken(tmp_path: Path) -> None:
    with_unknown = count_cooccurrence(token_file([[1, 0, 0, 2, 0]], 3), 1, tmp_path / "with")
    assert cells_of(with_unknown) == {(1, 2): 1.0, (2, 1): 1.0}


@given(
    st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=30), min_size=1, max_size=6),
    st.integers(1, 30),
)
def test_counts_are_those_of_a_plain_dict(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[list[int]], window: int
) -> None:
    folder = tmp_path_factory.mktemp("counts") / "counts"
    counted = cells_of(count_cooccurrence(token_file(sentences, 7), window, folder))
    expected = plain_counts(sentences, window)
    assert counted.keys() == expected.keys()
    exact = window <= 22
    assert all(counted[c] == pytest.approx(expected[c], rel=0 if exact else 1e-6) for c in counted)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("workers", [1, 3])
def test_a_budget_of_memory_changes_nothing_but_the_way(tmp_path: Path, workers: int) -> None:
    sentences = [*random_text(400, 300), (np.arange(5_000) % 299 + 1).tolist()]
    tokens = token_file(sentences, 300)
    small = count_cooccurrence(tokens, 15, tmp_path / "small", memory=100_000, workers=workers)
    assert cells_of(small) == plain_counts(sentences, 15)
    assert {path.name for path in (tmp_path / "small").iterdir()} == {
        "row_starts.bin", "columns.bin", "counts.bin", "meta.json",
    }  # fmt: skip


def test_parts_are_spilled_when_memory_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from foretext.vectors import row_runs

    parts = []
    write = row_runs.Run.write.__func__  # type: ignore[attr-defined]

    def noted(cls: type, folder: Path, *args: object) -> object:
        parts.append(folder)
        return write(cls, folder, *args)

    monkeypatch.setattr(row_runs.Run, "write", classmethod(noted))
    tokens = token_file(random_text(400, 300), 300)
    count_cooccurrence(tokens, 15, tmp_path / "large", memory=10**9)
    assert parts == []
    count_cooccurrence(tokens, 15, tmp_path / "small", memory=60_000)
    assert len(parts) > 3


def test_columns_ascend_within_their_rows(tmp_path: Path) -> None:
    counted = count_cooccurrence(token_file(random_text(50, 200), 200), 10, tmp_path / "counts")
    rows = np.repeat(np.arange(200), np.diff(counted.row_starts))
    assert np.all(np.diff(rows * 1000 + counted.columns.astype(np.int64)) > 0)


def test_counts_are_kept_and_taken_again(tmp_path: Path) -> None:
    tokens = token_file([[1, 2, 3]], 4)
    count_cooccurrence(tokens, 2, tmp_path / "counts")
    before = (tmp_path / "counts" / "counts.bin").stat().st_ino
    count_cooccurrence(tokens, 2, tmp_path / "counts")
    assert (tmp_path / "counts" / "counts.bin").stat().st_ino == before
    other_window = count_cooccurrence(tokens, 1, tmp_path / "counts")
    assert len(other_window.columns) == 4
    other_text = count_cooccurrence(token_file([[1, 2]], 4), 1, tmp_path / "counts")
    assert len(other_text.columns) == 2


def test_too_little_memory_says_how_much_is_needed(tmp_path: Path) -> None:
    tokens = token_file([[1, 2]], 60_000)
    with pytest.raises(SettingError, match=r"too little for 60,000 words.*give at least (\d+)MB"):
        count_cooccurrence(tokens, 5, tmp_path / "counts", memory=1_000_000, workers=2)
    count_cooccurrence(tokens, 5, tmp_path / "counts", memory=9 * 10**6, workers=2)


def test_a_folder_of_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("dear all")
    with pytest.raises(OutputError, match=r"holds no co-occurrence counts.*choose another folder"):
        count_cooccurrence(token_file([[1, 2]], 3), 5, tmp_path)
    assert (tmp_path / "letters.txt").read_text() == "dear all"


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    count_cooccurrence(token_file([[1, 2]], 3), 5, tmp_path / "counts")
    (tmp_path / "counts" / "counts.bin").write_bytes(b"abc")
    with pytest.raises(OutputError, match=r"counts\.bin is damaged: it has 3 bytes instead of 8"):
        Cooccurrence.open(tmp_path / "counts")


def told(folder: Path, **changes: object) -> None:
    """Change what ``meta.json`` says; None: it says nothing of it."""
    meta = json.loads((folder / "meta.json").read_text()) | changes
    meta = {name: value for name, value in meta.items() if value is not None}
    (folder / "meta.json").write_text(json.dumps(meta))


def array_of(path: Path, dtype: str, *numbers: float) -> None:
    np.array(numbers, dtype).tofile(path)


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty meta": (lambda f: (f / "meta.json").write_bytes(b""), "meta.json is damaged"),
    "binary meta": (lambda f: (f / "meta.json").write_bytes(b"\xff\x00"), "meta.json is damaged"),
    "deep meta": (lambda f: (f / "meta.json").write_text("[" * 100_000), "meta.json is damaged"),
    "no fingerprint": (lambda f: told(f, fingerprint=None), "'fingerprint' is missing"),
    "a number as fingerprint": (lambda f: told(f, fingerprint=3), "'fingerprint' = 3"),
    "a negative length": (lambda f: told(f, num_cells=-4), "'num_cells' = -4"),
    "a type of objects": (lambda f: told(f, dtype="O"), "'dtype' = 'O'"),
    "another vocabulary": (lambda f: told(f, vocab_size=5), "counts of 5 words"),
    "no columns": (lambda f: (f / "columns.bin").unlink(), "columns.bin is damaged"),
    "an unknown word": (
        lambda f: array_of(f / "columns.bin", "u2", 2, 3, 1, 2), "the column 3 is none of 3 words"
    ),
    "another word": (lambda f: array_of(f / "columns.bin", "u2", 2, 2, 1, 2), "its bytes"),
    "a count that is no number": (
        lambda f: array_of(f / "counts.bin", "f4", 1, np.nan, 1, 1), "counts reach from nan"
    ),
    "an endless count": (
        lambda f: array_of(f / "counts.bin", "f4", 1, np.inf, 1, 1), "counts reach from 1 to inf"
    ),
    "a count of nothing": (
        lambda f: array_of(f / "counts.bin", "f4", 1, 0, 1, 1), "counts reach from 0 to 1"
    ),
    "another count": (lambda f: array_of(f / "counts.bin", "f4", 1, 2, 1, 1), "its bytes"),
    "a row beyond the end": (
        lambda f: array_of(f / "row_starts.bin", "i8", 0, 0, 2, 5), "leads from 0 to 5 instead"
    ),
    "rows backwards": (
        lambda f: array_of(f / "row_starts.bin", "i8", 0, 3, 2, 4), "its numbers decrease"
    ),
    "another row": (lambda f: array_of(f / "row_starts.bin", "i8", 0, 1, 2, 4), "its bytes"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
def test_every_damage_is_one_sentence(tmp_path: Path, damage: str) -> None:
    tokens = token_file([[1, 2, 1, 2]], 3)
    assert count_cooccurrence(tokens, 3, tmp_path).row_starts.tolist() == [0, 0, 2, 4]
    change, sentence = DAMAGE[damage]
    change(tmp_path)
    with pytest.raises(OutputError) as caught:
        count_cooccurrence(tokens, 3, tmp_path)
    assert sentence in str(caught.value)


def test_counts_without_checksums_open(tmp_path: Path) -> None:
    count_cooccurrence(token_file([[1, 2]], 3), 5, tmp_path)
    told(tmp_path, checksums=None)
    assert Cooccurrence.open(tmp_path).num_cells == 2


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    tokens = token_file(random_text(300, 200), 200)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, limits[1]))
        with pytest.raises(OutputError, match="counts cannot be written"):
            count_cooccurrence(tokens, 5, tmp_path / "counts")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not any(tmp_path.iterdir())


def test_a_text_without_pairs_has_no_cells(tmp_path: Path) -> None:
    counted = count_cooccurrence(token_file([[1], [0], [2]], 3), 5, tmp_path / "counts")
    assert counted.num_cells == 0


def test_counts_are_those_of_the_authors_program(tmp_path: Path) -> None:
    """Where GLOVE_BINARY names the folder of its programs: every cell, to double precision."""
    binaries = os.environ.get("GLOVE_BINARY")
    if not binaries:
        pytest.skip("GLOVE_BINARY names no folder with the authors' programs")
    sentences = random_text(300, 200)
    lines = (" ".join(f"w{word}" for word in sentence) for sentence in sentences)
    (tmp_path / "text.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "vocab.txt").write_text("".join(f"w{word} 1\n" for word in range(1, 200)))
    command = [f"{binaries}/cooccur", "-vocab-file", tmp_path / "vocab.txt", "-window-size", "15"]
    command += ["-overflow-file", tmp_path / "overflow", "-memory", "0.1", "-verbose", "0"]
    command += ["-max-product", "2000"]  # where nothing overflows, it counts the first cell twice
    with (tmp_path / "text.txt").open() as text:
        done = subprocess.run(command, stdin=text, capture_output=True, check=True)
    theirs = np.frombuffer(done.stdout, [("row", "i4"), ("column", "i4"), ("count", "f8")])
    ours = count_cooccurrence(token_file(sentences, 200), 15, tmp_path / "counts")
    rows = np.repeat(np.arange(200), np.diff(ours.row_starts))
    np.testing.assert_array_equal(rows, theirs["row"])
    np.testing.assert_array_equal(ours.columns, theirs["column"])
    np.testing.assert_allclose(ours.counts, theirs["count"], rtol=1e-7)


def test_weights_are_exact_as_long_as_they_can_be() -> None:
    weights, unit = pair_weights(15)
    assert unit == 360_360
    assert all(Fraction(int(weights[d]), unit) == Fraction(1, d) for d in range(1, 16))
    weights, unit = pair_weights(100)
    assert unit == 2**32
    assert all(abs(weights[d] - unit / d) <= 0.5 for d in range(1, 101))


def test_runs_on_disk_hold_nothing_in_memory(tmp_path: Path) -> None:
    """The rows of each part have a number for each word; only those of one run are read at once."""
    from foretext.vectors.row_runs import Piece, Run, merge_runs

    num_runs, vocab_size = 30, 20_000
    piece = Piece(np.ones(vocab_size, np.int64), np.full(1, 3, np.int32), np.full(1, 5))
    few = [Run.write(tmp_path / "few", 4, [Piece(np.ones(4, np.int64), *piece[1:])])]
    assert next(merge_runs(few, 10, 1)).totals.tolist() == [5]  # compiles
    tracemalloc.start()
    try:
        runs = [Run.write(tmp_path / f"{n}", vocab_size, [piece]) for n in range(num_runs)]
        assert tracemalloc.get_traced_memory()[0] < 8 * vocab_size
        tracemalloc.reset_peak()
        rows, totals = 0, []
        for each in merge_runs(runs, vocab_size, 1):
            rows, totals = rows + len(each.ends), [*totals, *each.totals.tolist()]
        assert tracemalloc.get_traced_memory()[1] < num_runs * 8 * vocab_size / 2
    finally:
        tracemalloc.stop()
    assert (rows, totals) == (vocab_size, [5 * num_runs])
