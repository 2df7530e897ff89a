"""Arguments by their annotations: what is taken, what is refused, and in which words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from foretext.base.argument_kinds import kind_of
from foretext.base.arguments import checked_arguments, given_array
from foretext.base.errors import ArgumentError


@checked_arguments
def asked(text: str, topn: int | None = 3, *, words: Sequence[str] = (), anything: Any = 0) -> str:
    return f"{text} {topn} {len(words)}"


def test_right_arguments_arrive() -> None:
    assert asked("a", np.int64(2), words=["b"]) == "a 2 1"
    assert asked("a", None, anything=[None]) == "a None 0"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"text": ["a"]}, r"text = \['a'\]: give a text\."),
        ({"text": "a", "topn": 1.5}, r"topn = 1\.5: give a whole number or None\."),
        ({"text": "a", "topn": True}, r"topn = True: give a whole number or None\."),
        ({"text": "a", "words": "bc"}, r"words = 'bc': give a list of texts\."),
        ({"text": "a", "words": ["b", 3]}, r"words\[1\] = 3: give a text\."),
    ],
)
def test_wrong_arguments_are_named(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{sentence}$"):
        asked(**given)


def test_python_itself_refuses_arguments_that_do_not_exist() -> None:
    with pytest.raises(TypeError, match="unexpected"):
        asked("a", other=1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("annotation", "taken", "refused"),
    [
        (float, [1, 2.5, np.float32(1)], [float("nan"), "1", True, None]),
        (bool, [True, np.bool_(0), 1], ["yes", None, np.zeros(2)]),
        (str | Path, ["a", Path("a")], [3, b"a", ["a"]]),
        (Mapping[str, int], [{"a": 1}], [["a"], "a", None]),
        (Sequence[Sequence[int]], [[[1, 2]], np.ones((2, 2), int)], [[1], [["a"]], "ab"]),
        (Iterable[str], [["a"], iter(["a"]), {"a"}], ["a", {"a": 1}, Path("a")]),
        (Collection[str], [frozenset({"a"}), ["a"]], ["a", None, [1]]),
        (Iterator[str], [iter(["a"])], ["a", 3]),
        (Callable[[str], int], [len], ["len", None]),
        (Literal["cls", "mean"], ["cls", "max"], [3, None, np.zeros(2)]),
        (object, [None, "a"], []),
        (Any, [None, np.zeros(2)], []),
    ],
)
def test_kinds(annotation: Any, taken: list[Any], refused: list[Any]) -> None:
    kind = kind_of(annotation)
    for value in taken:
        assert kind is None or kind.takes(value), value
    for value in refused:
        assert kind is not None
        assert not kind.takes(value), value


def test_arrays_are_made_of_numbers() -> None:
    assert given_array([[1, 2]], "vectors", np.float32).shape == (1, 2)
    with pytest.raises(ArgumentError, match=r"vectors = .*rows of equal length"):
        given_array([[1], [1, 2]], "vectors", np.float32)


def test_the_element_that_does_not_fit_is_named() -> None:
    with pytest.raises(ArgumentError, match=r"^words\[1\] = None: give a text\.$"):
        asked("a", words=["ship", None])  # type: ignore[list-item]
    with pytest.raises(ArgumentError, match=r"^topn = \[3, 4\]: give a whole number or None\.$"):
        asked("a", [3, 4])  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"^words = \[1, 2\]: give a list of texts\.$"):
        asked("a", words=[1, 2])  # type: ignore[list-item]
