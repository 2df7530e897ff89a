"""An index against known answers: which passages are right, and what the figures are."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import EvaluationError
from foretext.evaluation.search import evaluate_search
from foretext.search import SearchIndex
from tests.search.indexes import made


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    return made(tmp_path_factory.mktemp("index"))


def _evaluated(index: SearchIndex, folder: Path, lines: str) -> dict[str, object]:
    (folder / "queries.tsv").write_text(lines)
    return evaluate_search(index, folder / "queries.tsv").as_dict()


def test_texts_as_answers(index: SearchIndex, tmp_path: Path) -> None:
    figures = _evaluated(
        index,
        tmp_path,
        "query\tanswer\nlaw\tThe judge knows the law.\n4711\tRoom  4711\nship\tno such text\n",
    )
    assert (figures["queries"], figures["without_answer"]) == (2, 1)
    perfect = dict.fromkeys(("recall@1", "recall@10", "recall@100", "mrr@10", "ndcg@10"), 1.0)
    assert figures["words"] == perfect
    assert figures["vectors"] == dict.fromkeys(perfect, 0.5)  # it has no vector for a number


def test_several_answers_and_a_file(index: SearchIndex, tmp_path: Path) -> None:
    name = index.passages.sources[0].name
    figures = _evaluated(
        index, tmp_path, f"law\tnothing\nlaw\tRoom 4711\nlaw\tthe law\nship\t{name}"
    )
    assert figures["queries"] == 2
    # "law" is in one of two right passages; one place for two, and one for four right ones
    assert figures["words"]["recall@1"] == 1
    assert figures["words"]["recall@10"] == pytest.approx((1 / 2 + 1 / 4) / 2)


def test_an_answer_that_is_longer_than_a_passage(tmp_path: Path) -> None:
    text = "The ship left. A wave came. The judge knows."
    index = made(tmp_path, f"{text}\nThe law.\n", settings={"length": 3})
    assert len(index) == 4
    figures = _evaluated(index, tmp_path, f"ship\t{text}\n")
    assert figures["words"]["recall@1"] == 1
    assert figures["vectors"]["recall@10"] == 1


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("ship\n", r"line 1: this is not query<TAB>answer"),
        ("ship\ta\tb\n", r"line 1: this is not"),
        ("a\tb\n\tb\n", r"line 2: this is not"),
        ("ship\tnothing\n", r"no answer is in the index"),
        ("", r"no answer is in the index"),
    ],
)
def test_what_is_refused(index: SearchIndex, tmp_path: Path, lines: str, said: str) -> None:
    with pytest.raises(EvaluationError, match=said):
        _evaluated(index, tmp_path, lines)


def test_the_recall_of_the_graph(tmp_path: Path) -> None:
    pytest.importorskip("usearch")
    index = made(tmp_path, settings={"approximate": True})
    assert _evaluated(index, tmp_path, "law\tthe law\n")["graph_recall"] == 1
