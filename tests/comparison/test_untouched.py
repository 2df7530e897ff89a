"""A base that answers without training is a row of the table, and no recommendation."""

from __future__ import annotations

from pathlib import Path

import pytest

import foretext as ft
from foretext.base.errors import SettingError
from foretext.comparison.candidate import named_candidate
from foretext.comparison.candidates import CorpusFacts
from foretext.comparison.chosen_candidates import choose_candidates
from foretext.comparison.recommendation import recommend
from tests.comparison.test_run import Worker, asked, run
from tests.finetuning.test_untouched import vectors, write_pairs

SCORED = CorpusFacts("en", 100_000, 500, have_scores=True)
LABELLED = CorpusFacts("en", 100_000, 500)


@pytest.fixture
def base(tmp_path: Path) -> str:
    path = tmp_path / "vectors.txt"
    vectors().save(path)
    return str(path)


def test_names(base: str) -> None:
    given = named_candidate(f"{base}, untouched", "matching")
    assert (given.base, given.is_untouched, given.is_measure) == (base, True, True)
    recipe = named_candidate("word2vec, untouched", "matching")
    assert (recipe.base, recipe.recipe, recipe.group) == (None, "word2vec", "vectors")
    assert recipe.settings == {}
    assert not named_candidate(base, "matching").is_measure


@pytest.mark.parametrize("name", ["textcnn, untouched", "shared words, untouched"])
def test_what_is_not_pretrained_has_no_such_row(name: str) -> None:
    with pytest.raises(SettingError, match="is no pretrained model"):
        named_candidate(name, "matching")


def test_given_bases_have_a_second_row_where_pairs_have_scores(base: str) -> None:
    def names(facts: CorpusFacts, **more: object) -> list[str]:
        found = choose_candidates("matching", facts, 600.0, only=[base, "textcnn"], **more)  # type: ignore[arg-type]
        return [each.name for each in found.candidates]

    assert names(SCORED) == [base, "textcnn", f"{base}, untouched"]
    assert names(LABELLED) == [base, "textcnn"]
    assert names(SCORED, without=[f"{base}, untouched"]) == [base, "textcnn"]


def test_it_is_never_recommended_and_the_sentence_says_that_it_is_better() -> None:
    def entry(name: str, score: float, *, is_measure: bool) -> dict[str, object]:
        return {
            "name": name, "base": "runs/x", "status": "finished", "test": None,
            "is_measure": is_measure, "valid": {"mean": score, "deviation": None, "each": [score]},
            "milliseconds_per_row": 1.0, "against_best": None, "not_learned": None,
        }  # fmt: skip

    untouched = entry("runs/x, untouched", 0.82, is_measure=True)
    trained = entry("runs/x", 0.812, is_measure=False)
    found = recommend([untouched, trained], "spearman", held_out=200, tested=0)
    assert found is not None
    assert found["name"] == "runs/x"
    assert "but runs/x, untouched, without any training, has 0.820 there" in found["sentence"]
    assert recommend([untouched], "spearman", held_out=200, tested=0) is None


def test_the_whole_road(tmp_path: Path, base: str) -> None:
    pairs = str(write_pairs(tmp_path / "pairs.jsonl"))
    request = asked(
        tmp_path, task="matching", train=pairs, test=None, rows={"score": "score"},
        only=(f"{base}, untouched", "shared words"), settings={},
    )  # fmt: skip
    found = run(request, tmp_path / "out", Worker())
    rows = {row["name"]: row for row in found.table}
    assert rows[f"{base}, untouched"]["score"] > 0.9
    assert rows[f"{base}, untouched"]["status"] == "finished"
    assert rows["shared words"]["status"] == "finished"
    assert "Use shared words" in str(found.recommendation)
    opened = ft.load(tmp_path / "out", ft.LinearMatcher)
    assert opened.has_scores
    again = run(request, tmp_path / "again", Worker())
    assert again.table[0]["score"] == found.table[0]["score"]


def test_a_base_that_does_not_answer_is_a_row_with_the_reason(tmp_path: Path, base: str) -> None:
    train = tmp_path / "labels.tsv"
    lines = [f"{a} x\t{b} y\t{'same' if a == b else 'other'}" for a in "abcdef" for b in "abcdef"]
    train.write_text("\n".join(["text_a\ttext_b\tlabel", *lines]), encoding="utf-8")
    request = asked(
        tmp_path, task="matching", train=str(train), test=None, settings={},
        only=(f"{base}, untouched", "shared words"),
    )  # fmt: skip
    rows = {row["name"]: row for row in run(request, tmp_path / "out", Worker()).table}
    assert rows[f"{base}, untouched"]["status"] == "failed"
    assert "does not answer these rows without training" in rows[f"{base}, untouched"]["sentence"]
