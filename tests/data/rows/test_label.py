"""Labels are names with the values that they came as."""

import copy
import json
import pickle
import unicodedata
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.data.rows.label import (
    Label,
    found_labels,
    label_array,
    named_labels,
    ordered_labels,
)

pd = pytest.importorskip("pandas")


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ("sea", "sea", "sea"),
        (" sea\n", "sea", "sea"),
        (7, "7", 7),
        (True, "True", True),
        (3.0, "3", 3),
        (np.int8(-4), "-4", -4),
        (np.bool_(False), "False", False),
        (np.str_("sea"), "sea", "sea"),
        ("Cafe\u0301", "Caf\u00e9", "Cafe\u0301"),
    ],
)
def test_a_label_has_a_name_and_the_value_that_came(given: Any, name: str, value: Any) -> None:
    label = Label(given)
    assert (str(label), label.value) == (name, value)
    assert type(label.value) is type(value)


@pytest.mark.parametrize("given", [None, "", "  ", np.nan, pd.NA, pd.NaT])
def test_nothing_is_no_label(given: Any) -> None:
    with pytest.raises(ValueError, match="the label is empty; label the row or remove it"):
        Label(given)


@pytest.mark.parametrize("given", [0.5, np.inf, b"sea", {"a": 1}, [1], object()])
def test_what_has_no_name_is_no_label(given: Any) -> None:
    with pytest.raises(ValueError, match="give a text, a whole number or a boolean"):
        Label(given)


def test_both_forms_of_a_letter_are_one_label_spelled_as_it_came_first() -> None:
    both = ordered_labels(map(Label, ["Cafe\u0301", "Bar", "Caf\u00e9"]))
    assert both == ("Bar", "Caf\u00e9")
    assert [label.value for label in both] == ["Bar", "Cafe\u0301"]


def test_whole_numbers_are_sorted_as_numbers_and_several_types_are_texts() -> None:
    assert [label.value for label in ordered_labels(map(Label, [10, 9, -1]))] == [-1, 9, 10]
    assert [label.value for label in ordered_labels(map(Label, [10, "9", 10]))] == ["10", "9"]


@pytest.mark.parametrize(
    ("given", "kind"), [(["b", "a"], "U"), ([3, 1], "i"), ([True, False], "b"), ([], "U")]
)
def test_an_array_of_labels_has_their_type(given: list[Any], kind: str) -> None:
    array = label_array(ordered_labels(map(Label, given)))
    assert array.dtype.kind == kind
    assert array.tolist() == sorted(given)


Values = st.one_of(
    st.lists(st.integers(), min_size=1),
    st.lists(st.booleans(), min_size=1),
    st.lists(st.text(st.characters(exclude_categories=["Cs"])).filter(str.strip), min_size=1),
)


@given(Values)
def test_labels_are_kept_by_json(values: list[Any]) -> None:
    labels = ordered_labels(map(Label, values))
    found = json.loads(json.dumps(found_labels(labels)))
    again = named_labels(found["labels"], found.get("label_values"))
    assert again == labels
    assert [each.value for each in again] == [each.value for each in labels]
    assert all(unicodedata.is_normalized("NFC", each) for each in again)


def test_values_that_do_not_fit_the_names_are_refused() -> None:
    for values in ([1, 3], [1], [1, "2"], [1, None]):
        with pytest.raises(ValueError, match="label"):
            named_labels(["1", "2"], values)  # type: ignore[arg-type]


def test_a_copy_has_the_value_too() -> None:
    for again in (copy.deepcopy(Label(7)), pickle.loads(pickle.dumps(Label(7)))):
        assert (again, again.value) == ("7", 7)
