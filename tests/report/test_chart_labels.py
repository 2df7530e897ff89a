from __future__ import annotations

from foretext.report.chart_labels import NEVER, WIDTHS, Label, label_widths

HEIGHT = 300


def test_labels_far_from_each_other_have_room_in_every_chart() -> None:
    labels = [Label("a", 0.1, 0.9), Label("b", 0.9, 0.1)]
    assert label_widths(labels, HEIGHT) == [WIDTHS[0], WIDTHS[0]]


def test_the_first_of_two_that_collide_stays() -> None:
    labels = [Label("one long name", 0.1, 0.5), Label("another long name", 0.1, 0.5 - 10 / HEIGHT)]
    assert label_widths(labels, HEIGHT) == [WIDTHS[0], NEVER]


def test_a_wide_chart_has_room_for_more() -> None:
    labels = [Label("modern-bert", 0.5, 0.5), Label("word2vec + textcnn", 0.8, 0.5)]
    first, second = label_widths(labels, HEIGHT)
    assert first == WIDTHS[0]
    assert WIDTHS[0] < second < NEVER


def test_a_label_does_not_hide_a_point_and_does_not_leave_the_chart() -> None:
    hiding = [Label("a name", 0.1, 0.5), Label("", 0.13, 0.5 + 9 / HEIGHT)]
    assert label_widths(hiding, HEIGHT)[0] > WIDTHS[0]
    assert label_widths([Label("a name" * 50, 0.5, 0.5)], HEIGHT) == [NEVER]


def test_labels_on_the_right_end_at_their_points() -> None:
    assert Label("a", 0.9, 0.5).is_right
    assert not Label("a", 0.1, 0.5).is_right
