from rich.cells import cell_len

from foretext.report.text_columns import padded, text_columns

ROWS = [
    ["候选", "准确率", "训练用时", ""],
    ["bert", "0.91", "3 秒", "与最好者并列"],
    ["线性é", "1", "", ""],
]


def test_cells_stand_under_each_other_by_their_width() -> None:
    lines = text_columns(ROWS, left=(0, 3))
    assert lines == [
        "候选   准确率  训练用时",
        "bert     0.91      3 秒  与最好者并列",
        "线性é       1",
    ]
    assert cell_len(lines[0]) == cell_len("bert     0.91      3 秒")


def test_a_text_is_padded_on_either_side() -> None:
    assert padded("词", 4) == "词  "
    assert padded("词", 4, to_right=True) == "  词"
    assert padded("too long", 4) == "too long"
