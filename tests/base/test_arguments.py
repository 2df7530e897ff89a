"""Arguments by their annotations: what is taken, what is refused, and in which words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import torch

import foretext as ft
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


def test_a_name_that_does_not_exist_is_refused_with_the_one_that_is_meant() -> None:
    with pytest.raises(ArgumentError, match=r"^asked has no argument 'topm'\. Did you mean 'topn'"):
        asked("a", topm=1)  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match=r"'zzz'\. It takes text, topn, words"):
        asked("a", zzz=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="missing a required argument"):
        asked()  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ({"budget": "30s"}, "A budget is an argument of foretext.finetune, pretrain and compare"),
        ({"text": ["a"]}, "fit has no argument 'text'. Did you mean 'texts'"),
    ],
)
@pytest.mark.parametrize("estimator", [ft.LinearClassifier, ft.FastTextClassifier])
def test_estimators_say_which_arguments_they_have(
    estimator: Any, call: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        estimator().fit(["a ship", "a farm"], ["sea", "land"], **call)
    assert sentence in str(caught.value)


class Half:
    """A number of another library."""

    def __float__(self) -> float:
        return 0.5


@checked_arguments
def counted(number: int, share: float = 1.0) -> tuple[int, float]:
    return number, share


@pytest.mark.parametrize(
    "number", [np.array(3), np.int64(3), torch.tensor(3), torch.tensor([3])[0]]
)
@pytest.mark.parametrize("share", [np.array(0.5), torch.tensor(0.5), Half(), Decimal("0.5")])
def test_numbers_of_other_libraries_are_numbers(number: Any, share: Any) -> None:
    assert counted(number, share) == (3, 0.5)


@pytest.mark.parametrize(
    "number",
    [torch.tensor(True), np.array(True), np.array([3]), torch.tensor(1.5), "3", 1j, {3: 4}],
)
def test_what_is_no_whole_number_is_refused(number: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^number = .*: give a whole number\.$"):
        counted(number)


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


class _Item:
    """What looks like a number, and is none."""

    def item(self, key: str) -> str:
        return key


def test_what_only_looks_like_a_number_is_refused() -> None:
    @checked_arguments
    def halved(number: int) -> float:
        return number / 2

    with pytest.raises(ArgumentError, match="number = "):
        halved(_Item())  # type: ignore[arg-type]


def test_a_function_that_takes_every_name_says_what_is_missing() -> None:
    @checked_arguments
    def made(model: str, **options: int) -> int:
        return len(model) + len(options)

    assert made("a", layers=2) == 2
    with pytest.raises(TypeError, match="missing a required argument: 'model'"):
        made(layers=2)  # type: ignore[call-arg]
