"""The straight line from a person's text to what was learned from it."""

from foretext.pipeline.pretraining import Pretrained, pretrain, run_recipe
from foretext.pipeline.tokenizers import learn_tokenizer

__all__ = ["Pretrained", "learn_tokenizer", "pretrain", "run_recipe"]
