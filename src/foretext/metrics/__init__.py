"""How good answers are; pure functions of arrays, texts and tags, with nothing but numpy."""

from __future__ import annotations

from foretext.metrics.calibration import (
    ReliabilityBin,
    expected_calibration_error,
    fit_temperature,
    reliability_bins,
    sigmoid,
    softmax,
)
from foretext.metrics.classification import (
    ClassificationScores,
    LabelScore,
    classification_scores,
    confusion_matrix,
    multi_label_scores,
)
from foretext.metrics.correlation import average_ranks, kendall, pearson, spearman
from foretext.metrics.span_qa import (
    answer_scores,
    best_threshold,
    chinese_exact_match,
    chinese_f1,
    exact_match,
    word_f1,
)
from foretext.metrics.tag_forms import Notation, TagForm, detect_notation, write_tag
from foretext.metrics.tag_schemes import (
    LETTERS,
    SCHEMES,
    Scheme,
    Span,
    detect_scheme,
    entity_spans,
    is_allowed,
    spans_to_tags,
    violations,
)
from foretext.metrics.tagging import TaggingScores, tagging_scores
from foretext.metrics.uncertainty import UncertaintyMeasure, entropies, margins, set_margins

__all__ = [
    "LETTERS",
    "SCHEMES",
    "ClassificationScores",
    "LabelScore",
    "Notation",
    "ReliabilityBin",
    "Scheme",
    "Span",
    "TagForm",
    "TaggingScores",
    "UncertaintyMeasure",
    "answer_scores",
    "average_ranks",
    "best_threshold",
    "chinese_exact_match",
    "chinese_f1",
    "classification_scores",
    "confusion_matrix",
    "detect_notation",
    "detect_scheme",
    "entity_spans",
    "entropies",
    "exact_match",
    "expected_calibration_error",
    "fit_temperature",
    "is_allowed",
    "kendall",
    "margins",
    "multi_label_scores",
    "pearson",
    "reliability_bins",
    "set_margins",
    "sigmoid",
    "softmax",
    "spans_to_tags",
    "spearman",
    "tagging_scores",
    "violations",
    "word_f1",
    "write_tag",
]
