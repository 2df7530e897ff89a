import json

import numpy as np
import pytest

from foretext.messages import in_language
from foretext.shown import Grid, Note, Shown, Table, TokenLine, TokenLines


def test_json_says_all_that_is_shown() -> None:
    lines = TokenLines("Row", (TokenLine("input", ("a", "[MASK]"), ("", "masked")),))
    mask = Grid.of("Mask", "ab", "ab", np.array([[True, False], [True, True]]))
    table = Table.of("Shapes", ["tensor", "share"], [["ids", 0.5], ["none", None]])
    with in_language("en"):
        data = Shown("Example 1", (Note("two words"), lines, mask, table)).to_json()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data == {
        "title": "Example 1",
        "parts": [
            {"kind": "note", "text": "two words"},
            {
                "kind": "tokens",
                "title": "Row",
                "lines": [{"label": "input", "tokens": ["a", "[MASK]"], "marks": ["", "masked"]}],
                "legend": {
                    "masked": {
                        "name": "masked",
                        "meaning": "replaced by the mask token; the original is the target",
                    }
                },
            },
            {
                "kind": "grid",
                "title": "Mask",
                "rows": ["a", "b"],
                "columns": ["a", "b"],
                "values": [[1, 0], [1, 1]],
            },
            {
                "kind": "table",
                "title": "Shapes",
                "columns": ["tensor", "share"],
                "rows": [["ids", 0.5], ["none", None]],
            },
        ],
    }


def test_a_grid_knows_whether_it_is_a_mask() -> None:
    assert Grid.of("m", "a", "ab", [[1, 0]], is_mask=True).is_mask
    assert not Grid.of("m", "a", "ab", [[1, 0]]).is_mask  # attention may be 0 and 1, too


def test_marks_are_explained_in_the_order_in_which_they_occur() -> None:
    first = TokenLine("a", ("x", "y"), ("noise", "their own"))
    with in_language("zh"):
        legend = TokenLines("t", (first, TokenLine("b", ("z",), ("center",)))).legend
    assert [(mark, meant.name) for mark, meant in legend.items()] == [
        ("noise", "噪声"),
        ("their own", "their own"),
        ("center", "中心"),
    ]
    assert legend["their own"].meaning == ""


def test_what_does_not_fit_is_a_defect() -> None:
    with pytest.raises(AssertionError):
        TokenLine("input", ("a", "b"), ("masked",))
    with pytest.raises(AssertionError):
        Table.of("t", ["one"], [["a", "b"]])
    with pytest.raises(AssertionError):
        Grid.of("g", "ab", "ab", [[1, 0]])
