"""What a language model answers to held-out texts, beside the figures of a validation."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

from foretext.backbones.base import States
from foretext.base.config import Config
from foretext.base.errors import CorpusError, SettingError
from foretext.data.batch import Batch
from foretext.data.examples import Examples
from foretext.data.token_file import TokenFile, Tokens
from foretext.nn.vocabulary_head import Score
from foretext.objectives.base import ModelInUse, Objective
from foretext.pretraining.sampled_validation import SampledValidation
from foretext.progress import MetricsLog
from foretext.report.run_files import Moment
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.model import Model
from foretext.training.validation import HeldOutLoss, Validation
from tests.networks import bert


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


class Saying(Objective):
    """Answers what it is told to."""

    visibility = "full"
    said: ClassVar[dict[str, Any] | None] = None

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        raise NotImplementedError

    def counts(self, batch: Batch) -> dict[str, int]:
        raise NotImplementedError

    def scores(self, states: States, batch: Batch) -> dict[str, Score]:
        raise NotImplementedError

    def sample(self, model: ModelInUse, row: list[int]) -> dict[str, Any] | None:
        return self.said


def saying(tokenizer: SubwordTokenizer) -> Model:
    backbone = bert(tokenizer).backbone
    return Model(backbone, Saying(Config(), backbone, tokenizer))


class Figures(Validation):
    judged_by = "valid_loss"
    higher_is_better = False

    def measure(self, model: Model) -> dict[str, float]:
        return {"valid_loss": 2.0}


@pytest.mark.parametrize(
    "said",
    [
        None,
        {"text": "a", "answers": ["b", "c"]},
        {"text": "a", "hidden": "b", "answers": [["b", 0.5]]},
    ],
)
def test_an_objective_says_what_is_shown(
    said: dict[str, Any] | None,
    wordpiece: SubwordTokenizer,
    bert_tokens: Tokens,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Saying, "said", said)
    path = tmp_path / "samples.jsonl"
    validation = SampledValidation(Figures(), wordpiece, "cpu", bert_tokens.train, path)
    model = saying(wordpiece)
    assert validation.measure(model) == {"valid_loss": 2.0}
    if said is None:
        assert not path.exists()
    else:
        (moment,) = MetricsLog(path).read(Moment)
        assert moment.samples[0].text == "a"


def test_a_sample_that_no_page_can_show_is_refused(
    wordpiece: SubwordTokenizer,
    bert_tokens: Tokens,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Saying, "said", {"text": "a"})
    path = tmp_path / "samples.jsonl"
    validation = SampledValidation(Figures(), wordpiece, "cpu", bert_tokens.train, path)
    with pytest.raises(SettingError, match=r"Saying\.sample returned .*; return a dictionary"):
        validation.measure(saying(wordpiece))


class ReadsLittle(Saying):
    """Answers to three tokens at most."""

    def sample(self, model: ModelInUse, row: list[int]) -> dict[str, Any] | None:
        if len(row) > 3:
            raise CorpusError("shorten it")
        return {"text": str(len(row)), "answers": ["b"]}


def test_a_long_text_is_halved_until_it_is_read(
    wordpiece: SubwordTokenizer, bert_tokens: Tokens, tmp_path: Path
) -> None:
    path = tmp_path / "samples.jsonl"
    validation = SampledValidation(Figures(), wordpiece, "cpu", bert_tokens.train, path)
    validation.rows = [[5] * 24, [5] * 3, [5] * 8]
    backbone = bert(wordpiece).backbone
    validation.measure(Model(backbone, ReadsLittle(Config(), backbone, wordpiece)))
    (moment,) = MetricsLog(path).read(Moment)
    assert [sample.text for sample in moment.samples] == ["3", "3", "2"]


class ReadsNothing(Saying):
    """Answers to no text."""

    def sample(self, model: ModelInUse, row: list[int]) -> dict[str, Any] | None:
        raise CorpusError("shorten it")


def test_what_only_is_shown_ends_no_training(
    wordpiece: SubwordTokenizer, bert_tokens: Tokens, tmp_path: Path
) -> None:
    path = tmp_path / "samples.jsonl"
    validation = SampledValidation(Figures(), wordpiece, "cpu", bert_tokens.train, path)
    backbone = bert(wordpiece).backbone
    model = Model(backbone, ReadsNothing(Config(), backbone, wordpiece))
    assert validation.measure(model) == {"valid_loss": 2.0}
    assert not path.exists()
