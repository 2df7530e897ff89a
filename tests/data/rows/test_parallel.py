"""Sources and targets in parallel files, tables and memory."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import ParallelConfig, ParallelFiles, ParallelText, read_parallel
from foretext.data.rows.in_memory import json_lines, row_source
from foretext.data.rows.parallel import find_parallel_problems, first_misfit
from foretext.data.rows.parallel_files import as_parallel_files

SOURCES = ["ein Haus", "zwei kleine Hunde laufen", "Wasser", "der alte Mann und das Meer"]
TARGETS = ["a house", "two small dogs are running", "water", "the old man and the sea"]


def texts(rows: list[ParallelText]) -> list[tuple[str, str]]:
    return [(row.source, row.target) for row in rows]


def parallel(folder: Path, sources: list[str], targets: list[str]) -> tuple[str, str]:
    names = str(folder / "train.de"), str(folder / "train.en")
    for name, lines in zip(names, (sources, targets), strict=True):
        Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return names


def test_lines_of_two_files_belong_together(tmp_path: Path) -> None:
    names = parallel(tmp_path, SOURCES, TARGETS)
    rows = read_parallel(ParallelFiles(*names))
    assert texts(rows) == list(zip(SOURCES, TARGETS, strict=True))
    assert rows[1].place == f"{names[0]}:2"
    packed = tmp_path / "train.en.gz"
    packed.write_bytes(gzip.compress(Path(names[1]).read_bytes()))
    assert read_parallel(ParallelFiles(names[0], str(packed))) == rows


@pytest.mark.parametrize(
    ("name", "content", "settings"),
    [
        ("a.tsv", "source\ttarget\nein Haus\ta house\n", {}),
        ("a.tsv", "ein Haus\ta house\n", {}),
        ("a.txt", "ein Haus\ta house\n", {}),
        ("a.tsv", "1\ta house\tein Haus\n", {"source": 3, "target": 2}),
        ("a.csv", 'source,target\nein Haus,"a house"\n', {}),
        ("a.csv", "de,en\nein Haus,a house\n", {"source": "de", "target": "en"}),
        ("a.jsonl", '{"target": "a house", "source": "ein Haus", "id": 3}\n', {}),
    ],
)
def test_tables_have_both_in_one_row(
    tmp_path: Path, name: str, content: str, settings: dict[str, str | int]
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    rows = read_parallel(tmp_path / name, ParallelConfig.checked(settings, "rows"))
    assert texts(rows) == [("ein Haus", "a house")]


def test_rows_in_memory_take_the_road_of_files() -> None:
    given = [("ein Haus", "a house"), {"source": "Wasser", "target": "water"}]
    source = row_source(given, lambda rows: json_lines(rows, ("source", "target")))
    assert texts(read_parallel(source)) == [("ein Haus", "a house"), ("Wasser", "water")]
    sides = row_source((SOURCES, TARGETS), lambda rows: json_lines(rows, ("source", "target")))
    assert texts(read_parallel(sides)) == list(zip(SOURCES, TARGETS, strict=True))


def test_two_names_are_parallel_files_and_two_lists_are_none() -> None:
    assert as_parallel_files(("a.de", Path("a.en"))) == ParallelFiles("a.de", "a.en")
    assert as_parallel_files(["a.de", "a.en"]) == ParallelFiles("a.de", "a.en")
    assert as_parallel_files((SOURCES, TARGETS)) is None
    assert as_parallel_files("a.de") is None
    assert str(ParallelFiles("a.de", "a.en")) == "a.de and a.en"


def test_files_of_different_length_are_refused_with_the_first_suspicious_line(
    tmp_path: Path,
) -> None:
    sources = [word * (1 + 7 * number % 5) for number, word in enumerate(SOURCES * 6)]
    targets = [word * (1 + 7 * number % 5) for number, word in enumerate(TARGETS * 6)]
    del sources[9]
    names = parallel(tmp_path, sources, targets)
    with pytest.raises(CorpusError) as caught:
        read_parallel(ParallelFiles(*names))
    said = str(caught.value)
    assert f"{names[0]} has 23 lines and {names[1]} has 24" in said
    assert "stop to fit at about line 10 " in said
    assert "'two small dogs are running" in said


@pytest.mark.parametrize("missing", [0, 5, 17, 29])
@pytest.mark.parametrize("swapped", [False, True])
def test_the_misfit_is_where_a_line_is_missing(missing: int, swapped: bool) -> None:
    lengths = [3 + 11 * number % 37 for number in range(30)]
    whole, other = ["x" * n for n in lengths], ["y" * (2 * n) for n in lengths]
    del whole[missing]
    assert first_misfit(*((other, whole) if swapped else (whole, other))) == missing
    assert first_misfit([], whole) == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "has no rows"),
        (
            "ein Haus\ta house\tein Tier\n",
            r"3 fields where source<TAB>target .* --source 1 --target",
        ),
        ("nur ein Text\n", "there is no column 'source'"),
    ],
)
def test_wrong_files_are_named(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "a.tsv").write_text(content, encoding="utf-8")
    with pytest.raises(CorpusError, match=said):
        read_parallel(tmp_path / "a.tsv")


def rows_of(pairs: list[tuple[str, str]], file: str = "a.tsv") -> list[ParallelText]:
    return [ParallelText(*pair, f"{file}:{line}") for line, pair in enumerate(pairs, 1)]


def sentences(train: list[tuple[str, str]], test: list[tuple[str, str]] | None = None) -> str:
    found = find_parallel_problems(rows_of(train), rows_of(test or [], "b.tsv"))
    return "\n".join(f"{each.severity}: {each}" for each in found)


PLAIN = [(f"der Satz mit Nummer {n}", f"the sentence with number {n}") for n in range(40)]


def test_sound_rows_have_no_problem() -> None:
    assert sentences(PLAIN, [("ein anderer Satz", "another sentence")]) == ""


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [*PLAIN, ("", "nothing")],
            "warning: 1 row has an empty source or target and is not learned from; fill in or "
            "remove them. (a.tsv, line 41)",
        ),
        ([("a", ""), ("", "b")], "error: No row has both a source and a target"),
        ([("source", "target"), *PLAIN], "warning: The first row is 'source' and"),
        ([*PLAIN, ("gleich", "gleich")], "1 of 41 rows (2.4%) have a target that is the source"),
        ([*PLAIN, ("kurz", "a very long text " * 20)], "In 1 of 41 rows (2.4%) the target, beside"),
        ([*PLAIN, PLAIN[3]], "1 of 41 rows (2.4%) repeat an earlier one"),
    ],
)
def test_problems_are_told_with_their_place(rows: list[tuple[str, str]], said: str) -> None:
    assert said in sentences(rows)


def test_test_rows_that_were_learned_from_are_told() -> None:
    assert "1 of 2 test rows (50.0%)" in sentences(PLAIN, [PLAIN[0], ("neu", "new")])
