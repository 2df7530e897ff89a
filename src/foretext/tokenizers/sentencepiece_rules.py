"""What each kind of published model adds to its file of SentencePiece.

Their programs did more to a text than the file says, and gave other ids to the tokens: here as the
library `transformers` does where it converts such files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from foretext.tokenizers.frames import FrameKind

__all__ = ["RULES", "Rules"]


class Rules(NamedTuple):
    """What a kind of model adds to its file."""

    names: tuple[str, ...]  # of special tokens; a file of this kind has the first one
    frame: FrameKind
    mask: str | None = None  # it gets an id behind the others if the file has none
    first: tuple[str, ...] = ()  # tokens that stand before those of the file
    num_dropped: int = 0  # tokens of the file, in place of which they stand
    sentinels: bool = False  # whether `<extra_id_0>` and so on stand behind the others
    has_segments: bool = True
    lowercase: bool = False  # by default
    simplifies: bool = False  # quotes and accents; commas behind numbers are cut off
    mask_takes_blank: bool = True  # the one before it


DEBERTA = Rules(("[CLS]", "[SEP]", "[PAD]", "[UNK]"), "bert", mask="[MASK]", mask_takes_blank=False)
ALBERT = Rules(
    ("[CLS]", "[SEP]", "<pad>", "<unk>"), "bert", mask="[MASK]", lowercase=True, simplifies=True
)
XLNET = Rules(("<cls>", "<sep>", "<pad>", "<unk>"), "xlnet", mask="<mask>", simplifies=True)
T5 = Rules(("</s>", "<pad>", "<unk>"), "t5", sentinels=True, has_segments=False)
XLM_ROBERTA = Rules(  # the ids of fairseq
    ("<s>", "</s>", "<pad>", "<unk>"),
    "roberta",
    mask="<mask>",
    first=("<s>", "<pad>", "</s>", "<unk>"),
    num_dropped=3,  # <unk> <s> </s>
    has_segments=False,
)
CAMEMBERT = XLM_ROBERTA._replace(
    first=("<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED"),
    num_dropped=1,  # <unk>
)
# By the name of the file and the model_type of the config.json beside it; "" is any other one.
RULES: Mapping[str, Mapping[str, tuple[Rules, ...]]] = {
    "spm.model": {"": (DEBERTA,)},
    "spiece.model": {"": (ALBERT, XLNET, T5)},
    "sentencepiece.bpe.model": {
        "": (),
        "xlm-roberta": (XLM_ROBERTA,),
        "camembert": (CAMEMBERT,),
    },
}
