from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.demonstration.prose import prose_paragraphs

NUMPY_STYLE = """Return the sum of the
    two `values`, as :func:`math.fsum` and :class:`~decimal.Decimal` do.

    .. versionadded:: 3.2
        This text is part of the directive and goes with it.

    Parameters
    ----------
    first : int, optional
        The value that is to be added first.
    second : int
        The value that is to be added last.

    Returns
    -------
    int

    Notes
    -----
    The ``sum`` of two *large* numbers is **not** small [1]_, see `the paper
    <https://example.org/paper>`_ for more on it::

        for number in the_numbers: print("is of a kind")

    - A bullet is a paragraph of its own.
    - So is the second one, even
      if it has another line.

    Examples
    --------
    The use of it is easy:

    >>> add(1, 2)  # this is the sum of two and a
    'this is the output in the end'

    | a | table | is | not | in | the | text |
    +---+-------+----+-----+----+-----+------+
    """


def test_a_docstring_worked_by_hand() -> None:
    assert list(prose_paragraphs(NUMPY_STYLE)) == [
        "Return the sum of the two values, as fsum and Decimal do.",
        "The value that is to be added first.",
        "The value that is to be added last.",
        "The sum of two large numbers is not small , see the paper for more on it:",
        "A bullet is a paragraph of its own.",
        "So is the second one, even if it has another line.",
        "The use of it is easy:",
    ]


@pytest.mark.parametrize(
    ("entry", "prose"),
    [
        (":param x: the value that is to be added", "the value that is to be added"),
        ("    x (int): the value that is to be added", "the value that is to be added"),
        ("Args: the value (see its units) is in metres", "the value (see its units) is in metres"),
        (
            "the record(s) or an array is what it returns",
            "the record(s) or an array is what it returns",
        ),
        ("see http://example.org/a-b for the rest of it", "see for the rest of it"),
    ],
)
def test_entries_keep_their_text(entry: str, prose: str) -> None:
    assert list(prose_paragraphs(entry)) == [prose]


@pytest.mark.parametrize(
    "docstring",
    [
        "x = f(the, a) if y else is_in[0]",
        "+----------+ the +--- is --+ a |",
        "Ein Satz, der auf Deutsch geschrieben wurde",
        "Too few words is",
        ":rtype: an integer that is of the kind",
        ".. note:: it is the directive that is dropped",
        "",
    ],
)
def test_what_is_no_english_prose_is_dropped(docstring: str) -> None:
    assert list(prose_paragraphs(docstring)) == []


@given(st.text(alphabet="a is the\n\t :.`*_-|<>[]$@1", max_size=200))
def test_paragraphs_are_single_lines_of_words(docstring: str) -> None:
    for paragraph in prose_paragraphs(docstring):
        assert "\n" not in paragraph
        assert paragraph == " ".join(paragraph.split())
