from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import EvaluationError
from foretext.vectors import analogies
from foretext.vectors.word_vectors import WordVectors
from tests.lazy_import import lazy_import

gensim_models = lazy_import("gensim.models")

RNG = np.random.default_rng(2)
PAIRS = [(f"a{number}", f"b{number}") for number in range(12)]


def related_vectors() -> tuple[list[str], np.ndarray]:
    """Pairs that differ by about the same vector, case variants among them, and other words."""
    words = [word for pair in PAIRS for word in pair] + ["A1", "B2", "B3", "a99"]
    words += [f"other{number}" for number in range(60)]
    matrix = RNG.standard_normal((len(words), 8))
    for row in range(0, 24, 2):
        matrix[row + 1] = matrix[row] + [2, 0, 1, 0, 0, 0, 0, 0] + 0.4 * RNG.standard_normal(8)
    matrix[24:27] = matrix[[2, 5, 7]] + 0.1 * RNG.standard_normal((3, 8))  # A1, B2, B3
    return words, matrix.astype(np.float32)


WORDS, MATRIX = related_vectors()
OURS = WordVectors(WORDS, MATRIX)


@pytest.fixture(scope="module")
def gensim() -> Any:
    vectors = gensim_models.KeyedVectors(8)
    vectors.add_vectors(WORDS, MATRIX)
    return vectors


@pytest.fixture
def questions(tmp_path):
    asked = [f"{a} {b} {c} {d}" for (a, b), (c, d) in itertools.permutations(PAIRS, 2)]
    lines = [": family", *asked[:50], "a1 b1 a1 b1", "a1 a1 b2 b2", "zoo a1 b1 a2"]
    lines += [": gram1-first", *asked[50:], "a1 zoo b1 a2", ": nothing-known", "x y z a1"]
    (tmp_path / "questions").write_text("\n".join(lines) + "\n")
    return tmp_path / "questions"


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"case_insensitive": False},
        {"dummy4unknown": True},
        {"restrict_vocab": 18},
        {"restrict_vocab": 27},
    ],
    ids=str,
)
@pytest.mark.parametrize("tile", [7, 16384])
def test_same_answers_as_gensim(gensim, questions, settings, tile, monkeypatch):
    monkeypatch.setattr(analogies, "_ROW_TILE", tile)
    result = OURS.evaluate_word_analogies(questions, **settings)
    score, sections = gensim.evaluate_word_analogies(str(questions), **settings)
    assert result.accuracy == pytest.approx(score)
    assert 0 < result.accuracy < 1  # or there would be little to compare
    for ours, theirs in zip((*result.sections, result.total), sections, strict=True):
        correct = len(theirs["correct"])
        assert (ours.num_correct, ours.num_asked) == (correct, correct + len(theirs["incorrect"]))


def test_sums(questions):
    result = OURS.evaluate_word_analogies(questions)
    family, grammar, nothing = result.sections
    assert result.syntactic.num_correct == grammar.num_correct
    assert result.semantic.num_correct == family.num_correct
    assert result.total.num_asked == family.num_asked + grammar.num_asked == 134
    assert result.total.num_skipped == 3
    assert np.isnan(nothing.accuracy)
    assert str(result).splitlines()[-1].startswith(f"total: {result.accuracy:.3f} (")


def test_questions_without_sections_are_one_section_with_the_name_of_the_file(tmp_path):
    path = tmp_path / "plurals.txt"
    path.write_text("a1 b1 a2 b2\na2 b2 a1 b1\n")
    result = OURS.evaluate_word_analogies(path)
    assert [(score.name, score.num_asked) for score in result.sections] == [("plurals", 2)]
    assert not result.are_googles


@pytest.mark.shared_data
def test_the_usual_questions(shared_data):
    questions = analogies.read_questions(shared_data / "analogy" / "questions-words.txt")
    assert len(questions) == 19_544
    assert len({question.section for question in questions}) == 14


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (": family\na1 b1 a2\n", r"questions, line 2: a question has four words, not 3"),
        (": family\n", r"questions: the file holds no question of four words"),
        (": family\nw x y z\n", r"questions: none of its 1 questions has all four words"),
    ],
)
def test_files_that_cannot_be_used(tmp_path, content, sentence):
    (tmp_path / "questions").write_text(content)
    with pytest.raises(EvaluationError, match=sentence):
        OURS.evaluate_word_analogies(tmp_path / "questions")
