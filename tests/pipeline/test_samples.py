"""What a model says while it learns, kept once for each validation."""

from __future__ import annotations

from pathlib import Path

from foretext.pipeline.samples import SampledValidation
from foretext.progress import MetricsLog
from foretext.training.validation import HeldOutLoss


def sampled(path: Path) -> SampledValidation:
    """Without model and text, of which forgetting needs nothing."""
    validation = SampledValidation.__new__(SampledValidation)
    validation.inner, validation.path = HeldOutLoss.__new__(HeldOutLoss), path
    return validation


def test_what_a_checkpoint_does_not_know_of_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    with MetricsLog(path) as log:
        for number in range(4):
            log.append({"number": number})
    sampled(path).rewind(2)
    assert MetricsLog(path).read() == [{"number": 0}, {"number": 1}]
    sampled(path).rewind(5)
    assert len(MetricsLog(path)) == 2
    sampled(path).rewind(0)
    assert MetricsLog(path).read() == []


def test_where_nothing_was_kept_nothing_is_forgotten(tmp_path: Path) -> None:
    sampled(tmp_path / "samples.jsonl").rewind(3)
    assert not any(tmp_path.iterdir())
