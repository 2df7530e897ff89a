"""What a network is refused before it is trained."""

from __future__ import annotations

import pytest
from torch import nn

from foretext.base.errors import SettingError
from foretext.data.rows import SentenceRow
from foretext.finetuning.checks import check_dropout, check_training
from foretext.tasks.sentence_vectors.network import SentenceEncoder
from foretext.training.settings import TrainingConfig
from tests.text_bodies import word_body

ALONE = [SentenceRow("a text", None, None, None, "rows:1")]
PAIRS = [SentenceRow("a text", "another", None, None, "rows:1")]


def test_texts_alone_need_dropout() -> None:
    backbone = word_body("lookup").backbone
    check_dropout(SentenceEncoder.task, PAIRS, backbone, None)
    with pytest.raises(SettingError, match=r"that of Lookup is 0; set finetuning.body_dropout"):
        check_dropout(SentenceEncoder.task, ALONE, backbone, None)
    check_dropout(SentenceEncoder.task, ALONE, backbone, 0.1)
    for name, module in [*backbone.named_modules()]:
        if isinstance(module, nn.Dropout):
            backbone.get_submodule(name.rpartition(".")[0]).dropout = nn.Identity()
    with pytest.raises(SettingError, match="Lookup has none; give pairs of texts"):
        check_dropout(SentenceEncoder.task, ALONE, backbone, 0.1)


@pytest.mark.parametrize("name", ["short_row_rate", "stacking_rate"])
def test_only_a_pretraining_begins_small(name: str) -> None:
    with pytest.raises(SettingError, match="are for pretraining; leave them out"):
        check_training(
            SentenceEncoder.task, SentenceEncoder.task.head_config, TrainingConfig(**{name: 0.5})
        )
