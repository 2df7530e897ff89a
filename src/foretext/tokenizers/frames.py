"""The special tokens around a text, as templates in tokenizer.json for other libraries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from foretext.base.errors import CorpusError
from foretext.base.parsing import parse_json
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tokenizers import Tokenizer, processors

__all__ = ["FrameKind", "framed", "unframed", "with_frame"]

# [CLS] a [SEP] and [CLS] a [SEP] b [SEP]; the same with two separators between the texts; nothing,
# or <s> a where the tokenizer is Llama's; a [SEP] [CLS] and a [SEP] b [SEP] [CLS];
# a </s> and a </s> b </s>
FrameKind = Literal["bert", "roberta", "gpt", "xlnet", "t5"]

CLS_SEGMENT = 2  # of a [CLS] that stands behind the texts


def with_frame(
    tokenizer: SubwordTokenizer, kind: FrameKind, *, has_segments: bool = True
) -> SubwordTokenizer:
    """Return the tokenizer with the template of a kind of model.

    A tokenizer whose folder says how a text ends has the template of its model already.

    Args:
        tokenizer: of the model.
        kind: of model.
        has_segments: whether the second text of a pair has segment 1.

    Raises:
        SettingError: it lacks a special token.
    """
    if tokenizer.ends:
        return tokenizer
    if kind == "gpt" and tokenizer.library.encode("").ids == [tokenizer.special.start]:
        return tokenizer
    if kind == "gpt":
        return _with_processor(tokenizer, None)
    cls = [] if kind == "t5" else [tokenizer.special.required("cls")]
    sep = tokenizer.special.required("sep")
    if kind == "roberta":
        return framed(tokenizer, cls, [sep, sep], [sep], has_segments=has_segments)
    if kind == "xlnet":
        return framed(tokenizer, [], [sep], [sep, *cls], has_segments=has_segments)
    return framed(tokenizer, cls, tokenizer.between, [sep], has_segments=has_segments)


def framed(
    tokenizer: SubwordTokenizer,
    before: Sequence[int],
    between: Sequence[int],
    behind: Sequence[int],
    *,
    has_segments: bool = True,
) -> SubwordTokenizer:
    """Return the tokenizer with a template of the ids around a text and between two.

    Args:
        tokenizer: of the model.
        before: ids before the first text.
        between: ids between the texts of a pair.
        behind: ids after the last text.
        has_segments: whether the second text has segment 1, and a `[CLS]` behind it segment 2.
    """
    ids = {tokenizer.tokens[index]: index for index in (*before, *between, *behind)}
    first, middle, last = (
        [tokenizer.tokens[index] for index in part] for part in (before, between, behind)
    )
    second = [f"{token}:{int(has_segments)}" for token in ("$B", *last)]
    if has_segments and behind and behind[-1] == tokenizer.special.cls:
        last[-1] = second[-1] = f"{last[-1]}:{CLS_SEGMENT}"
    processor = processors.TemplateProcessing(
        single=[*first, "$A", *last],
        pair=[*first, "$A", *middle, *second],
        special_tokens=list(ids.items()),
    )
    return _with_processor(tokenizer, processor)


def unframed(tokenizer: SubwordTokenizer) -> SubwordTokenizer:
    """Return the tokenizer without a template: its texts get their own ids alone."""
    return _with_processor(tokenizer, None)


def _with_processor(
    tokenizer: SubwordTokenizer, processor: processors.TemplateProcessing | None
) -> SubwordTokenizer:
    content = parse_json(tokenizer.library.to_str(), "The tokenizer", CorpusError)
    content["post_processor"] = None
    library = Tokenizer.from_str(json.dumps(content))
    if processor is not None:
        library.post_processor = processor
    return SubwordTokenizer(library, tokenizer.ends)
