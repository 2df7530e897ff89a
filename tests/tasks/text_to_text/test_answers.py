"""What a page shows of outputs: which rows, in what order, and figures by length."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from foretext.data.rows.parallel import ParallelText
from foretext.metrics.texts import chrf, text_units
from foretext.report.task_files import Examination
from foretext.tasks.text_to_text.answers import (
    Written,
    copied_rate,
    repeated_phrase,
    text_faults,
    text_findings,
)

WORDS = [f"word{number}" for number in range(40)]
OTHER = Written("word by word", ["zzz"] * 200, [True] * 200)

SOURCE = "Ein alter Mann sitzt auf einer Bank im Park."


def row(place: int, length: int) -> ParallelText:
    words = np.random.default_rng(place).permutation(WORDS)[:length]
    return ParallelText(" ".join(words).upper(), " ".join(words), f"rows:{place}")


ROWS = [row(place, 2 + place % 20) for place in range(200)]
GOOD = [each.target for each in ROWS]
OUTPUTS = list(GOOD)
OUTPUTS[7] = ""
OUTPUTS[8] = ROWS[8].source[::-1]
OUTPUTS[9] = " ".join(["on and on"] * 30)
OWN = Written("this model", OUTPUTS, [place != 9 for place in range(200)])


def test_all_is_json_that_the_page_takes() -> None:
    found = text_findings(ROWS, OWN, OTHER)
    read = json.loads(json.dumps({"part": "test", "rows": 200, **found}))
    assert Examination.model_validate(read).rows == 200


def test_samples_are_of_all_parts_with_the_baseline_beside() -> None:
    samples = text_findings(ROWS, OWN, OTHER)["samples"]
    assert [each["place"] for each in samples] == [f"rows:{place}" for place in range(0, 200, 20)]
    first = samples[0]
    assert first["source"], first["reference"] == ROWS[0][:2]
    assert first["output"] == OUTPUTS[0]
    assert first["baseline"] == "zzz"
    assert first["chrf"] == pytest.approx(100)
    assert text_findings(ROWS, OWN)["samples"][0]["baseline"] is None


def test_the_worst_come_first() -> None:
    worst = text_findings(ROWS, OWN)["worst_texts"]
    scores = [each["chrf"] for each in worst]
    assert scores == sorted(scores)
    assert {each["place"] for each in worst[:3]} == {"rows:7", "rows:8", "rows:9"}


def test_faults_are_counted_beside_those_of_references_and_baseline() -> None:
    found = text_findings(ROWS, OWN, OTHER)
    table = {each["fault"]: each for each in found["tables"][0]["rows"]}
    assert table["no word"]["outputs"] == 1
    assert table["no word"]["share"] == 1 / 200
    assert table["no word"]["of references"] == 0
    assert table["stopped at the most tokens allowed"]["outputs"] == 1
    assert table["copies most of its source"]["of references"] == 1  # they differ in case alone
    short = table["less than half as long as its reference"]
    assert short["of the baseline"] > 0.8
    shown = {each["fault"]: each["texts"] for each in found["faulty_texts"]}
    [stopped] = shown["stopped at the most tokens allowed"]
    assert stopped["place"] == "rows:9"
    assert "repeats “on and on on”" in stopped["faults"]
    assert table["repeats a phrase of 4 words"]["outputs"] == 1
    assert "repeats a phrase of 4 words" not in shown  # that output is shown already
    assert len(shown["copies most of its source"]) == 3
    assert "of the baseline" not in text_findings(ROWS, OWN)["tables"][0]["rows"][0]


def test_quality_by_length_counts_each_row_once() -> None:
    found = text_findings(ROWS, OWN, OTHER)["quality"]
    ours = [each for each in found if each["model"] == "this model"]
    assert sum(each["rows"] for each in ours) == 200
    assert all(a["high"] < b["low"] for a, b in pairwise(ours))
    last = ours[-1]
    members = [i for i, each in enumerate(ROWS) if len(each.target.split()) >= last["low"]]
    alone = chrf([OUTPUTS[i] for i in members], [ROWS[i].target for i in members])
    assert last["chrf"] == pytest.approx(alone.value)
    assert len(found) == 2 * len(ours)


def test_few_rows_have_no_bins() -> None:
    own = Written("this model", GOOD[:6], [True] * 6)
    assert text_findings(ROWS[:6], own)["quality"] == []
    same = [ParallelText("a b", "c d", "rows:1")] * 50
    written = Written("this model", ["c d"] * 50, [True] * 50)
    assert [each["rows"] for each in text_findings(same, written)["quality"]] == [50]


def test_lengths_are_pairs_of_reference_and_output() -> None:
    lengths = text_findings(ROWS, OWN)["text_lengths"]
    assert lengths[0] == [2, 2]
    assert lengths[7] == [9, 0]
    assert lengths[9] == [11, 90]


def test_long_texts_are_cut() -> None:
    long = [ParallelText("a " * 1000, "b", "rows:1")]
    sample = text_findings(long, Written("this model", ["c"], [True]))["samples"][0]
    assert len(sample["source"]) < 610
    assert sample["source"].endswith("…")


@pytest.mark.parametrize(
    ("output", "kinds"),
    [
        ("An old man sits on a bench in the park.", ()),
        ("", ("empty",)),
        (" ... ", ("empty",)),
        ("Ein alter Mann sitzt on a bench.", ()),  # 1 phrase of 4
        ("ein alter Mann sitzt auf einer bench", ("copy",)),
        ("A man is on a bench is on a bench.", ("repetition",)),
        ("An old man.", ("short",)),
        ("An old man who is tired sits on a bench that somebody left.", ()),
        ("One of us and two of them " * 4, ("repetition", "long")),
    ],
)  # fmt: skip
def test_faults_of_outputs(output: str, kinds: tuple[str, ...]) -> None:
    assert text_faults(SOURCE, output, "An old man sits on a park bench.").kinds == kinds


def test_an_output_that_never_ends_is_one_fault_more() -> None:
    assert text_faults("a", "b c d", "b c d", ended=False).kinds == ("unended",)


def test_without_a_reference_no_length_is_wrong() -> None:
    assert text_faults(SOURCE, "old").kinds == ()


def test_the_phrase_that_comes_most_often() -> None:
    words = text_units("The man and the dog and the dog and a cat.")
    assert repeated_phrase(words) == "and the dog and"
    assert repeated_phrase(words[:7]) == ""
    assert repeated_phrase([]) == ""


def test_chinese_phrases_are_of_characters() -> None:
    words = text_units("两只狗在雪地里玩耍，两只狗在雪地里玩")
    assert repeated_phrase(words) == "两只狗在雪地里玩"
    assert repeated_phrase(text_units("两只狗和两只猫")) == ""  # a name, or a number
    assert copied_rate(text_units("两只狗在雪地里玩"), words) == 1


def test_short_texts_are_copied_as_a_whole() -> None:
    assert copied_rate(["park"], text_units(SOURCE)) == 1
    assert copied_rate(["im", "park"], text_units(SOURCE)) == 1
    assert copied_rate(["park", "im"], text_units(SOURCE)) == 0
    assert copied_rate([], text_units(SOURCE)) == 0
