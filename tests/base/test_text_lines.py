import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.text_lines import cells, text_lines

LETTERS = st.text(st.sampled_from("ab 文本，。（）“”[]-%"))


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        (
            "由谁来做：本机的进程，或 Ray 集群。",
            16,
            ["由谁来做：本机的", "进程，或 Ray 集", "群。"],
        ),
        ("文本（甲）。", 8, ["文本", "（甲）。"]),  # an opening bracket ends no line
        ("文本 [必填]。", 6, ["文本", "[必", "填]。"]),  # nor does a square one
        ("选项 [参数]...", 8, ["选项 [参", "数]..."]),
        ("a longword b", 4, ["a", "longword", "b"]),
        ("", 8, []),
    ],
)
def test_lines(text: str, width: int, lines: list[str]) -> None:
    assert text_lines(text, width) == lines


def test_a_chinese_letter_has_two_cells() -> None:
    assert cells("ab文，") == 6


@given(LETTERS)
def test_nothing_is_lost_and_no_line_begins_with_a_closing_sign(text: str) -> None:
    lines = text_lines(text, 8)
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines[1:]:
        assert not line.startswith(" ")
        assert cells(line) <= 8 or " " not in line
