"""Which numbers a model is trained in."""

from __future__ import annotations

import pytest
import torch

from foretext.base.errors import SettingError
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.model import training_dtype
from tests.networks import bert


def test_the_user_decides(wordpiece: SubwordTokenizer) -> None:
    model = bert(wordpiece)
    assert training_dtype(model, "bf16") == torch.bfloat16
    assert training_dtype(model, "fp32") == torch.float32


def test_a_backbone_that_keeps_fp32(wordpiece: SubwordTokenizer) -> None:
    model = bert(wordpiece)
    model.backbone.keeps_fp32 = True
    assert training_dtype(model, "auto") == training_dtype(model, "fp32") == torch.float32
    with pytest.raises(SettingError, match=r"precision = 'bf16': Transformer computes in fp32 on"):
        training_dtype(model, "bf16")
