"""What tasks choose where the user left it open, and the sentences that say so."""

from __future__ import annotations

from foretext.corpus.chinese_words import is_jieba_installed
from foretext.heads.base import TaskBase
from foretext.heads.matching import MatchingHead, match_mode
from foretext.heads.shared_tokens import marks_shared, shared_token_note
from foretext.heads.span_qa import SpanHead
from foretext.heads.tagging import TaggingHead, gains_from_boundaries
from foretext.messages import message
from foretext.tasks.task import Resolved

__all__ = ["resolved_boundaries", "resolved_mode", "resolved_shared_tokens"]


def resolved_mode(config: MatchingHead.Config, base: TaskBase, *, has_scores: bool) -> Resolved:
    """Choose how both texts are read.

    Args:
        config: the user's settings.
        base: what is learned on.
        has_scores: whether pairs have scores, not labels.

    Raises:
        SettingError: the mode that the user chose does not fit the base.
    """
    mode = match_mode(config, base, has_scores=has_scores)
    notes = []
    if config.mode == "auto" and base.sentence_pooling is not None:
        if mode == "siamese":
            why = message("notes.finetune.siamese")
        else:
            why = message("notes.finetune.pair")
        notes.append(message("notes.finetune.mode", mode=mode, why=why))
    return Resolved(config.model_copy(update={"mode": mode}), notes)


def resolved_shared_tokens(
    config: MatchingHead.Config | SpanHead.Config,
    base: TaskBase,
    *,
    is_pretrained: bool,
    is_frozen: bool,
) -> Resolved:
    """Choose whether the tokens that two texts in one row share are marked.

    Args:
        config: the user's settings.
        base: what is learned on.
        is_pretrained: whether its weights are; random weights need the marks, however many.
        is_frozen: whether its embeddings stay as they are, so that no mark can be learned.
    """
    if config.shared_tokens != "auto":
        return Resolved(config, [])
    needed = marks_shared("auto", base) or (base.backbone.takes_segments and not is_pretrained)
    marked = needed and not is_frozen
    notes = [shared_token_note(base)] if marked else []
    if needed and is_frozen:
        notes.append(
            "task.shared_tokens=false was chosen, because frozen embeddings cannot learn the marks "
            "that a small network needs; expect better answers without training.freeze and "
            "training.freeze_layers"
        )
    return Resolved(config.model_copy(update={"shared_tokens": marked}), notes)


def resolved_boundaries(
    config: TaggingHead.Config, base: TaskBase, *, is_chinese: bool, is_frozen: bool
) -> Resolved:
    """Choose whether characters are marked by their places in jieba's words.

    Args:
        config: the user's settings.
        base: what is learned on.
        is_chinese: whether the rows are Chinese, and each character is a token.
        is_frozen: whether its embeddings stay as they are, so that no mark can be learned.
    """
    if config.word_boundaries != "auto":
        return Resolved(config, [])
    gains = is_chinese and gains_from_boundaries(base)
    marked = gains and not is_frozen and is_jieba_installed()
    notes = []
    if marked:
        notes.append(
            "task.word_boundaries=true was chosen: a small network gains much from where each "
            "character stands in its word; jieba finds the words, now and wherever the model is "
            "used (task.word_boundaries=false: without it)"
        )
    elif gains and not is_frozen:
        notes.append(
            "a small network gains much from where each character stands in its word, which jieba "
            "finds: pip install 'foretext[chinese]'"
        )
    return Resolved(config.model_copy(update={"word_boundaries": marked}), notes)
