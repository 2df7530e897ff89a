from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import PairsConfig, ParallelConfig, RowsConfig, read_pairs, read_texts
from foretext.data.rows.absent_columns import refuse_absent_columns

ROWS = [("sea", f"{word}, an old ship") for word in ("anchor", "tide", "wave")] + [
    ("court", f"the {word} of Vigo, old") for word in ("king", "queen", "throne")
]


def told(error: CorpusError) -> dict[str, int]:
    """Return the options with numbers that an error names, as settings."""
    found = re.findall(r"--([a-z-]+) (\d+)", str(error))
    return {name.replace("-", "_"): int(number) for name, number in found}


def of_tabs(rows: Sequence[Sequence[str]]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)


def of_commas(rows: Sequence[Sequence[str]]) -> str:
    return "".join(",".join(f'"{each}"' for each in row) + "\n" for row in rows)


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (2, 1, 0), (1, 2, 0)])
@pytest.mark.parametrize(("name", "table"), [("a.tsv", of_tabs), ("a.csv", of_commas)])
def test_the_advice_reads_the_rows(
    name: str, table: Callable[[Any], str], order: tuple[int, ...], tmp_path: Path
) -> None:
    path = tmp_path / name
    rows = [(*row, f"id-{number}") for number, row in enumerate(ROWS)]
    path.write_text(table([[row[place] for place in order] for row in rows]))
    with pytest.raises(
        CorpusError, match=r"line 1: .* Name the columns \(--text, --label\)"
    ) as got:
        read_texts(path)
    found = read_texts(path, RowsConfig.checked(told(got.value), "rows"))
    assert [(row.labels[0], row.text) for row in found] == ROWS


def test_pairs_with_scores_have_their_own_options(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text(of_tabs([(f"{at}.5", f"a ship {at}", f"the sea {at}") for at in range(4)]))
    with pytest.raises(
        CorpusError, match=r"Name the columns \(--text-a, --text-b, --score\)"
    ) as got:
        read_pairs(path, PairsConfig(score="score"))
    assert told(got.value) == {"text_a": 2, "text_b": 3, "score": 1}
    (first, *_) = read_pairs(path, PairsConfig.checked(told(got.value), "rows"))
    assert (first.text_a, first.text_b, first.score) == ("a ship 0", "the sea 0", 0.5)


def test_a_table_with_other_names_has_its_options() -> None:
    head = ["", "de,en", "das Schiff,the ship"]
    with pytest.raises(
        CorpusError, match=r"line 2: .*'source', only 'de', 'en'\. .*\(--source, --t"
    ):
        refuse_absent_columns(head, "a.csv", ParallelConfig(), is_csv=True)
    refuse_absent_columns(head, "a.csv", ParallelConfig(source="de", target="en"), is_csv=True)


def test_too_few_columns_have_no_numbers() -> None:
    with pytest.raises(CorpusError, match=r"by their numbers \(from 1\)\.$"):
        refuse_absent_columns(["a ship"], "a.tsv", RowsConfig(), is_csv=False)


def test_objects_are_told_of_the_column_that_lacks(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"body": "a ship", "kind": "sea"}\n')
    with pytest.raises(CorpusError, match=r"Name the right one \(--text NAME\)\.$"):
        read_texts(path)
