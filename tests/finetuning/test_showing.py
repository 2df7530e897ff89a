"""`show` of a task: a decoder's input and target, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import foretext as ft
from foretext.base.errors import ForetextError
from foretext.shown import Part, Table, TokenLine, TokenLines
from tests.language_model.models import gpt

ROWS = [("the ship left", "das Schiff fuhr ab"), ("the judge read", "der Richter las")] * 8


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("source\ttarget\n" + "".join(f"{a}\t{b}\n" for a, b in ROWS))
    return path


def lines(parts: tuple[Part, ...], number: int) -> dict[str, TokenLine]:
    found = [part for part in parts if isinstance(part, TokenLines)]
    return {line.label: line for line in found[number].lines}


def text_of(tokens: tuple[str, ...]) -> str:
    kept = [token for token in tokens if not token.startswith("<")]
    return "".join(kept).replace("▁", " ").strip()


@pytest.mark.parametrize("vocabularies", ["shared", "separate"])
def test_a_decoder_reads_what_it_has_to_write(rows: Path, vocabularies: str) -> None:
    settings = {"task": {"vocabularies": vocabularies}}
    shown = ft.show("text_to_text", rows, examples=2, settings=settings, lang="en").shown
    pairs = set()
    for each in shown[1:-1]:
        source = lines(each.parts, 0)["token"].tokens
        read = lines(each.parts, 1)["decoder input"].tokens
        target = lines(each.parts, 1)["target (next)"].tokens
        assert read[1:] == target[:-1]
        assert (read[0], target[-1]) == ("<pad>", "</s>")
        (steps,) = [part for part in each.parts if isinstance(part, Table)]
        assert [row[2] for row in steps.rows] == list(target[:8])
        pairs.add((text_of(source), text_of(target)))
    assert pairs == set(ROWS)


def test_in_one_row_only_the_target_is_predicted(rows: Path, tmp_path: Path) -> None:
    gpt().save(tmp_path / "gpt")
    shown = ft.show("text_to_text", rows, examples=1, tokenizer=tmp_path / "gpt", lang="en")
    row = lines(shown.shown[1].parts, 0)
    read, target = row["token"].tokens, row["target (next)"].tokens
    begin = next(at for at, token in enumerate(target) if token)
    assert read[begin] == "<|endoftext|>"
    assert target[begin:-1] == read[begin + 1 :]
    assert not any(target[:begin])


def test_what_does_not_fit_is_refused(rows: Path) -> None:
    with pytest.raises(ForetextError, match="training"):
        ft.show("text_to_text", rows, settings=["training.epochs=2"])
    with pytest.raises(ForetextError, match="missing"):
        ft.show("classification", "missing.tsv")


@pytest.mark.parametrize(("most", "is_noted"), [(10, True), (16, False)])
def test_a_note_says_how_many_rows_are_read(
    most: int, is_noted: bool, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foretext.finetuning.showing.MOST_ROWS", most)
    first = ft.show("text_to_text", rows, examples=1, lang="en").shown[0]
    assert ("Of 16 rows the first 10 are read here." in str(first)) is is_noted
