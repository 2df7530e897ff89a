"""Thousands of labels: what they take is said before anything is learned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from foretext.base import runtime
from foretext.base.errors import SettingError
from foretext.finetuning.finetune import finetune
from foretext.tasks.classification import linear
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.regression_cost import RegressionCost


def rows(num_labels: int, times: int = 3) -> tuple[list[str], list[str]]:
    """Texts with a word of their label among others."""
    numbers = range(num_labels * times)
    texts = [
        f"k{i % num_labels} " + " ".join(f"w{(i * j) % 97}" for j in range(8)) for i in numbers
    ]
    return texts, [f"tag{i % num_labels}" for i in numbers]


def test_the_cost_grows_with_labels_and_features() -> None:
    matrix = scipy.sparse.csr_matrix(np.eye(10, dtype=np.float32))
    few, many = RegressionCost.of(matrix, 10, 100), RegressionCost.of(matrix, 1_000, 100)
    assert many.seconds == pytest.approx(100 * few.seconds)
    assert many.num_bytes == 100 * few.num_bytes
    assert many.num_bytes >= 4 * 10 * 1_000  # the weights alone
    assert RegressionCost.of(matrix, 10, 1).seconds < few.seconds


def test_eight_thousand_labels_are_minutes_and_known_at_once() -> None:
    cost = LinearClassifier().long_cost(*rows(8_000))
    assert cost is not None
    assert cost.num_labels == 8_000
    assert 30 < cost.seconds < 3_000  # 289 s were measured to be too few
    assert cost.size_in_words.startswith("8,000 labels and ")
    assert cost.time_in_words.endswith(" minutes")
    assert LinearClassifier().long_cost(*rows(50)) is None


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "free_memory", lambda: 1 << 20)
    with pytest.raises(SettingError, match=r"of 300 labels and .* needs about .* GB of memory"):
        LinearClassifier().fit(*rows(300))
    monkeypatch.setattr(runtime, "free_memory", lambda: None)  # nobody knows
    LinearClassifier(max_passes=1).fit(*rows(3))


def test_the_advice_to_keep_fewer_features_is_of_use(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = rows(300)
    monkeypatch.setattr(runtime, "free_memory", lambda: 2_800_000)
    with pytest.raises(SettingError, match=r"raise linear\.min_texts"):
        LinearClassifier().fit(texts, labels)
    LinearClassifier(min_texts=20, max_passes=1).fit(texts, labels)


def test_a_run_says_what_it_will_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "LONG_SECONDS", 0.001)
    texts, labels = rows(120)
    lines = (f"{label}\t{text}" for text, label in zip(texts, labels, strict=True))
    (tmp_path / "rows.tsv").write_text("\n".join(["label\ttext", *lines]) + "\n")
    settings = {"linear": {"max_passes": 6}}
    finetune(
        "classification", "linear", tmp_path / "rows.tsv", out=tmp_path / "run", settings=settings
    )
    log = (tmp_path / "run" / "train.log").read_text()
    assert " labels and " in log
    assert "linear.max_passes = 5 takes less" in log
