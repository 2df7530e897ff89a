"""Formulas of `benchmarks.limits_needs` against counts by hand, and the rows of its table."""

from __future__ import annotations

from contextlib import suppress

import pytest
from benchmarks.limits import (
    HEADER,
    Disturbance,
    Limit,
    NotHere,
    groups,
    rows,
    scaled,
    with_arithmetic,
)
from benchmarks.limits_measured import timed_runs
from benchmarks.peaks import HEADER as PEAK_HEADER
from benchmarks.peaks import Peak

from benchmarks import limits_needs as needs

PEAKS = {needs.ARITHMETIC: 100.0, "rows drawn 112 0.25": 10.0, "reading 256": 50.0}
HUGE = {name: peak * 1e9 for name, peak in PEAKS.items()}


def test_what_binds_is_the_resource_that_gives_a_unit_the_least():
    found = needs.bound({needs.ARITHMETIC: 20.0, "reading 256": 5.0}, PEAKS)
    assert found == (needs.ARITHMETIC, 5.0)  # 100 / 20 units a second; reading allows 10
    assert needs.bound({needs.ARITHMETIC: 20.0, "reading 256": 25.0}, PEAKS) == ("reading 256", 2.0)


def test_a_size_goes_to_the_smallest_measured_one_that_holds_it():
    assert needs.reading(1000) == "reading 0.25"
    assert needs.reading(16 << 20) == "reading 16"
    assert needs.reading((16 << 20) + 1) == "reading 64"
    assert needs.reading(1 << 40) == "reading 256"
    assert needs.rows_moved(100, 1000) == "rows drawn 112 0.25"
    assert needs.rows_moved(300, 1 << 30) == "rows drawn 304 256"


def test_pairs_of_three_words_and_a_window_of_two():
    # Four ordered neighbours, and two words two apart that one window in two reaches.
    assert needs.num_pairs([3], 2) == pytest.approx(4 + 2 * 0.5)
    assert needs.num_pairs([1], 2) == 0
    assert needs.num_pairs([3, 3, 1], 2) == pytest.approx(10)


def test_pairs_are_those_of_every_window_tried():
    words, window = 7, 3
    tried = [
        min(i, span) + min(words - 1 - i, span)
        for i in range(words)
        for span in range(1, window + 1)
    ]
    assert needs.num_pairs([words], window) == pytest.approx(sum(tried) / window)


def test_path_lengths_of_huffman_codes():
    # Counts 1, 1, 2: codes of 2, 2 and 1 bits.
    assert needs.mean_path_length([1, 1, 2], [1, 1, 2]) == pytest.approx((2 + 2 + 2) / 4)
    assert needs.mean_path_length([1, 1, 2], [1, 0, 0]) == pytest.approx(2)


def test_needs_of_word_vectors_by_hand():
    # Two pairs with three outputs, D = 10: 6 scores of 20, and twice as much for gradients.
    found = needs.skipgram_needs(10, 2, 0.5, 3, 1000)
    assert found == {needs.ARITHMETIC: 360, "rows drawn 112 0.25": 2.0}
    found = needs.fasttext_needs(10, 2, 0.5, 3, 4, 1000)
    assert found == {needs.ARITHMETIC: 360 + 0.5 * 4 * 30, "rows drawn 112 0.25": 2 + 6}
    found = needs.glove_needs(2, 4)  # four numbers with the biases; a word moves for four cells
    assert found["roots"] == 5
    assert found[needs.ARITHMETIC] == 4 * (2 + 3 + 3 + 2 + 0.5)
    assert needs.glove_needs(2, 1)[needs.ARITHMETIC] == 4 * 12
    found = needs.classifier_needs(10, 6, 3, 2, 1000)
    assert found == {needs.ARITHMETIC: (240 + 120) / 3, "rows drawn 112 0.25": 2}


def test_needs_of_networks_by_hand():
    # One layer of width 2, rows of 3: matrices of 48 numbers; scores and mixtures of 12 each.
    assert needs.encoder_needs(1, 2, [3, 3], "x") == {"x": 96 + 24}
    assert needs.encoder_needs(1, 2, [2, 4], "x") == {"x": pytest.approx(96 + 8 * 20 / 6)}
    # A half of the tokens asked: a matrix of 4 and a vocabulary of 5, forward; backward twice.
    found = needs.masked_lm_needs(1, 2, 3, 5, 0.5, "x")
    assert found == {"x": 3 * (120 + 0.5 * (8 + 20))}
    found = needs.generation_needs(1, 2, 5, 2)
    assert found == {"reading 0.25": 2 * 58, needs.ARITHMETIC: 2 * 58}


def test_needs_of_tags_neighbours_and_text_by_hand():
    assert needs.crf_needs(3, learns=False) == {"doubles": 18, "exps": 3}
    assert needs.crf_needs(3, learns=True)["doubles"] == 54
    found = needs.neighbor_needs(100, 10, 4)
    assert found == {needs.ARITHMETIC: 2000, "reading 0.25": 1000}
    assert needs.text_needs() == {"reading 256": 1, "look-ups": 1}


def test_float32_is_as_fast_as_its_fastest_way():
    ways = {"registers 6": 3.0, "registers 12": 2.0, "products float32 mm": 5.0}
    assert with_arithmetic({**ways, "products float32": 4.0})[needs.ARITHMETIC] == 5.0


def test_a_row_has_a_cell_for_each_column():
    run = {"unit": "word", "speed": 2.0, "needs": {needs.ARITHMETIC: 20.0}, "between": "loads"}
    cells = Limit("work", run, PEAKS).cells()
    assert cells == [
        "work",
        "word: 20 operations in float32",
        "operations in float32: 1e-07 GFLOP/s",
        "5 words/s",
        "2 words/s",
        "**40 %**",
        "loads",
    ]
    assert len(cells) == len(HEADER) == len(NotHere("work").cells())
    several = {"reading 256": 4e3, "rows drawn 112 0.25": 2.0}
    cells = Limit("work", {**run, "needs": several}, HUGE).cells()
    assert cells[1:3] == [
        "word: 4 k bytes read of 256 MB, 2 rows of 112 floats in 0.25 MB",
        "bytes read of 256 MB: 50 GB/s",
    ]
    cells = Limit("work", {**run, "unit": "query", "speed": 0.0234}, PEAKS).cells()
    assert cells[3:6] == ["5 queries/s", "0.0234 queries/s", "**0.47 %**"]


@pytest.mark.parametrize(
    ("named", "said"),
    [("text net", "there is no 'net'; take of vectors,"), (" ", "names nothing; take of vectors,")],
)
def test_other_groups_are_refused_before_anything_is_measured(
    named: str, said: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("benchmarks.limits.measured_peaks", lambda threads: pytest.fail("measured"))
    monkeypatch.setenv("FORETEXT_LIMITS", named)
    with pytest.raises(SystemExit, match=said):
        next(rows())
    monkeypatch.setenv("FORETEXT_LIMITS", "text  vectors")
    assert groups() == ["text", "vectors"]


def test_runs_are_timed_and_left_as_they_were():
    class Loop:
        def run(self) -> str:
            return "done"

    class Broken:
        def run(self) -> None:
            raise KeyError

    prepared = list[Loop]()
    for kind in (Loop, Broken):
        before = kind.run
        with suppress(KeyError), timed_runs(kind, prepared.append) as found:
            kind().run()
        assert kind.run is before
        ended = [(prepared[-1], "done")] if kind is Loop else []
        assert [(each.of, each.result) for each in found] == ended


def test_disturbance_is_said_above_a_tenth():
    quiet, busy = Disturbance({"a": 100.0}, {"a": 95.0}), Disturbance({"a": 100.0}, {"a": 80.0})
    assert "other programs" not in " ".join(quiet.cells())
    assert "other programs" in busy.cells()[-1]
    assert len(busy.cells()) == len(HEADER)


def test_a_peak_of_rows_says_rows_and_bytes():
    figures = {"best": 2e6, "middle": 1e6}
    cells = Peak("rows drawn 112 16", figures, figures).cells()
    assert cells[1:] == ["2 M rows/s, 0.896 GB/s", "2 M rows/s, 0.896 GB/s", "50%"]
    assert len(cells) == len(PEAK_HEADER)


def test_numbers_are_short():
    assert [scaled(number) for number in (5, 1234, 2e6, 3.456e10)] == [
        "5",
        "1.23 k",
        "2 M",
        "34.6 G",
    ]
