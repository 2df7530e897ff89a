"""What scikit-learn's checks are asked of: each estimator, with data that it learns in no time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import foretext as ft
from tests.estimators.case import Case

KINDS = ("ship sea wave", "judge court law", "cow farm barn")
TEXTS = [f"{KINDS[row % 3]} number {row}" for row in range(18)]
TOPICS = ["sea", "court", "farm"] * 6
PAIRS = [
    (f"a fine film of {row}", f"a fine film of {row}" if row % 2 else f"rain at sea {row} ever")
    for row in range(18)
]
SAME = ["same" if row % 2 else "other" for row in range(18)]
SENTENCES = [["the", "dog" if row % 2 else "cat", "barks"] for row in range(18)]
TAGS = [["D", "N", "V"]] * 18
CLASSIFIES = ("predict", "predict_proba", "predict_log_proba", "decision_function")
SMALL: dict[str, Any] = {
    "vector_size": 8,
    "min_count": 1,
    "workers": 1,
    "epochs": 2,
    "valid_rate": 0,
}
TINY = {"backbone": {"num_maps": 4}, "finetuning": {"baseline": False}}

ENCODER: dict[str, Any] = {
    "tokenizer": {"vocab_size": 120},
    "backbone": {"num_layers": 1, "dim": 16, "num_heads": 2, "max_length": 32},
    "finetuning": {"baseline": False},
}

WITHOUT_WEIGHTS = "its training counts every row the same: there is no sample_weight"
NO_CLASS_WEIGHT = "it has no class_weight; sample_weight says the same"
NOT_NUMBERS = "what it returns are texts, lists of words, not vectors"
OWN_FEATURES = "weights are not in the document frequencies of its view of words"

MANY_ANSWERS = "a sentence has as many answers as tokens, in a list: y is no column of classes"
OF_ONE_ANSWER = (
    "check_classifiers_classes",
    "check_classifiers_one_label",
    "check_classifiers_regression_target",
    "check_classifiers_train",
    "check_decision_proba_consistency",
    "check_supervised_y_2d",
    "check_supervised_y_no_nan",
)
WEIGHTS = (
    "check_all_zero_sample_weights_error",
    "check_classifiers_one_label_sample_weights",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
)
CLASS_WEIGHTS = (
    "check_class_weight_classifiers",
    "check_class_weight_balanced_linear_classifier",
)
OF_VECTORS = (
    "check_transformer_preserve_dtypes",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_global_output_transform_pandas",
    "check_transformer_get_feature_names_out",
)

LINEAR = Case("linear", ft.LinearClassifier, TEXTS, TOPICS, CLASSIFIES, takes_weights=True)
EMBEDDINGS = Case(
    "embeddings",
    lambda: ft.EmbeddingClassifier(inverse_penalty=10.0, folds=2),
    TEXTS,
    TOPICS,
    CLASSIFIES,
    takes_weights=True,
    exempt={
        **dict.fromkeys(CLASS_WEIGHTS, NO_CLASS_WEIGHT),
        "check_sample_weight_equivalence_on_dense_data": OWN_FEATURES,
    },
)
FASTTEXT = Case(
    "fasttext classifier",
    lambda: ft.FastTextClassifier(dim=8, lr=0.5, epochs=40, bucket=500, workers=1),
    TEXTS,
    TOPICS,
    CLASSIFIES,
    exempt=dict.fromkeys((*WEIGHTS, *CLASS_WEIGHTS), WITHOUT_WEIGHTS),
)
MATCHER = Case(
    "linear matcher",
    ft.LinearMatcher,
    PAIRS,
    SAME,
    CLASSIFIES,
    takes_weights=True,
    bad=(None, float("nan"), 3, ("one",), ("one", None)),
    exempt={
        **dict.fromkeys(CLASS_WEIGHTS, NO_CLASS_WEIGHT),
        "check_classifiers_regression_target": "numbers are scores, which it learns by regression",
    },
)
NETWORK = Case(
    "network",
    lambda: ft.Classifier("textcnn", epochs=12, learning_rate=0.02, settings=TINY, quiet=True),
    TEXTS,
    TOPICS,
    CLASSIFIES,
    exempt=dict.fromkeys((*WEIGHTS, *CLASS_WEIGHTS), WITHOUT_WEIGHTS),
)


def vectors(name: str, estimator: Any, **more: Any) -> Case:
    """Return the case of an estimator of vectors, which learns without labels."""
    return Case(name, lambda: estimator(**SMALL, **more), TEXTS, None, ("transform",))


TRANSFORMERS = [
    vectors("word2vec", ft.Word2Vec),
    vectors("glove", ft.GloVe),
    vectors("fasttext", ft.FastText, bucket=100),
    vectors("doc2vec", ft.Doc2Vec),
    Case(
        "phrases",
        lambda: ft.Phrases(min_count=1, threshold=0.1),
        TEXTS,
        None,
        ("transform",),
        exempt={
            **dict.fromkeys(OF_VECTORS, NOT_NUMBERS),
            "check_fit_score_takes_y": "its `score` is gensim's, of one candidate",
        },
    ),
]
TAGGER = Case(
    "tagger",
    lambda: ft.Tagger(
        "lstm", epochs=3, learning_rate=0.02, settings={"finetuning": {"baseline": False}},
        quiet=True,
    ),
    SENTENCES,
    TAGS,
    ("predict", "predict_proba"),
    bad=(None, float("nan"), 3, ["a", None]),
    exempt={
        **dict.fromkeys((*WEIGHTS, *CLASS_WEIGHTS), WITHOUT_WEIGHTS),
        **dict.fromkeys(OF_ONE_ANSWER, MANY_ANSWERS),
        "check_fit2d_predict1d": "a list of tokens alone is a column of raw texts",
    },
)  # fmt: skip
ENCODER_CASE = Case(
    "sentence encoder",
    lambda: ft.SentenceEncoder("transformer", epochs=1, settings=ENCODER, quiet=True),
    TEXTS,
    None,
    ("transform",),
)
LINEAR_TAGGER = replace(
    TAGGER,
    name="linear tagger",
    make=ft.LinearTagger,
    exempt={
        **TAGGER.exempt,
        "check_fit2d_1sample": "a sentence has several tags, from which it learns",
    },
)
CLASSIFIERS = [LINEAR, EMBEDDINGS, FASTTEXT, MATCHER, NETWORK, TAGGER, LINEAR_TAGGER]
TRANSFORMERS.append(ENCODER_CASE)
SLOW = (NETWORK, TAGGER, ENCODER_CASE)
