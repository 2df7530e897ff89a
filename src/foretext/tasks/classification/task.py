"""Classification: texts that have one label each, or any number of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from foretext.corpus.findings import Problem
from foretext.data.rows import read_texts
from foretext.data.rows.findings import find_row_problems, find_unseen_labels
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.label import Label, found_labels
from foretext.data.rows.settings import RowsConfig
from foretext.data.rows.texts import LabelledText
from foretext.tasks.baseline import Baseline, majority_baseline
from foretext.tasks.class_answers import count_labels
from foretext.tasks.regression_cost import RegressionCost
from foretext.tasks.task import Candidates, Feature, HeadTraits, Task, lazily

if TYPE_CHECKING:
    from foretext.heads.classification import ClassificationHead

__all__ = ["Classification"]


class Classification(Task):
    """Texts that have one label each, or any number of them.

    Args:
        counts_any: whether figures are those of fastText, for which any label of a text is right.
        has_baseline: False: what learns it is the linear classifier, the baseline of all others.
    """

    head = lazily("foretext.heads.classification:ClassificationHead")
    model = lazily("foretext.tasks.classification.network:TextClassifier")
    graph = lazily("foretext.tasks.graphs:classifier_graph")
    rows_config: ClassVar = RowsConfig
    title = "Classification"
    judged_by = "accuracy"
    candidates = Candidates(
        order=(
            "linear", "fasttext", "doc2vec + linear + words", "word2vec + bilstm", "modern-bert",
            "word2vec + textcnn", "textcnn", "bilstm", "word2vec + linear + words",
            "modern-bert, not pretrained", "lstm-lm", "unilm", "xlnet", "electra", "bert", "gpt",
            "fasttext + textcnn", "glove + textcnn", "fasttext + bilstm", "glove + bilstm",
            "ernie", "bart", "t5", "elmo",
        ),
        word_features="tfidf",
        pooling={"bilstm": "attention"},
    )  # fmt: skip
    watched = ("macro_f1",)

    def __init__(self, *, counts_any: bool = False, has_baseline: bool = True) -> None:
        self.counts_any = counts_any
        self.has_baseline = has_baseline

    def read(self, path: RowSource, config: RowsConfig | None = None) -> list[LabelledText]:
        """Read labelled texts."""
        return read_texts(path, config)

    def objects_of(self, rows: Sequence[LabelledText]) -> Iterator[dict[str, Any]]:
        """Yield texts with their label, or with a list where there is not exactly one."""
        for row in rows:
            values = [Label(label).value for label in row.labels]
            yield {"text": row.text, "label": values[0] if len(values) == 1 else values}

    def stratum_of(self, row: LabelledText) -> str:
        """Return the label, the first one of several."""
        return row.labels[0] if row.labels else ""

    def problems(
        self, train: Sequence[LabelledText], test: Sequence[LabelledText] = ()
    ) -> list[Problem]:
        """Return what a person should know of the rows, the gravest first."""
        return find_row_problems(train, test)

    def unseen_problems(
        self, train: Sequence[LabelledText], valid: Sequence[LabelledText]
    ) -> list[Problem]:
        """Return which labels of held-out rows are never learned."""
        return find_unseen_labels(train, valid)

    def find(self, rows: Sequence[LabelledText]) -> dict[str, Any]:
        """Return the labels, sorted, their counts, and whether texts have several.

        Raises:
            CorpusError: there are fewer than two labels.
        """
        counts = count_labels(rows)
        return {
            **found_labels(list(counts)),
            "multi_label": any(len(row.labels) != 1 for row in rows),
            "counts": list(counts.values()),
        }

    def baseline(self, rows: Sequence[LabelledText]) -> Baseline | None:
        """Learn the linear classifier."""
        from foretext.tasks.classification.linear import linear_baseline

        if not self.has_baseline:
            return None
        learned = linear_baseline(rows)
        linear = learned.linear
        own = {"counts_any": True} if self.counts_any else {"judged_by": self.judged_by}
        return replace(learned, answers=lambda others: replace(linear.answer_rows(others), **own))

    def baseline_cost(self, rows: Sequence[LabelledText]) -> RegressionCost | None:
        """Return what the linear classifier would take."""
        from foretext.tasks.classification.linear import linear_baseline_cost

        return linear_baseline_cost(rows) if self.has_baseline else None

    def majority(self, rows: Sequence[LabelledText]) -> Baseline:
        """Count labels; every text gets the most frequent one."""
        return majority_baseline(rows, judged_by=self.judged_by, counts_any=self.counts_any)

    def head_traits(self, config: ClassificationHead.Config) -> HeadTraits:
        """Return whether the head reads words."""
        return HeadTraits(learns_words=config.word_features != "none")

    def why_not(
        self, feature: Feature, config: Any = None, rows: Sequence[LabelledText] = ()
    ) -> str | None:
        """Return why a feature cannot be had with such labels, or beside such a head."""
        if feature == "calibrate" and any(len(row.labels) != 1 for row in rows):
            return super().why_not(feature, config, rows)
        if feature == "ensemble" and config and self.head_traits(config).learns_words:
            return (
                "[task] word_features has the linear classifier in the network, and an ensemble "
                "would count it twice; leave one of the two out."
            )
        if feature == "consistency" and config and config.language_model_weight:
            return (
                "[finetuning] consistency_weight replaces tokens, and a language model "
                "(task.language_model_weight) must not learn those; leave one of the two out."
            )
        return None

    joins_word_vectors = True
