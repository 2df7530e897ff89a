"""What clients of text-embeddings-inference send; fields that it does not know are not read."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WrapValidator
from pydantic_core import PydanticCustomError

from foretext.serving.fitting import Cutting

__all__ = [
    "CutBody",
    "DecodeBody",
    "EmbedAllBody",
    "EmbedBody",
    "PredictBody",
    "SimilarityBody",
    "SimilarityInputs",
    "TeiBody",
    "TokenizeBody",
]

TokenId = Annotated[int, Field(ge=0)]


def _in_words(sentence: str) -> WrapValidator:
    """Return what refuses a value of several possible forms with one sentence for all of them."""

    def validate(value: Any, check: Any) -> Any:
        try:
            return check(value)
        except ValidationError:
            raise PydanticCustomError("form", "{sentence}", {"sentence": sentence}) from None

    return WrapValidator(validate)


Inputs = Annotated[
    str | list[TokenId] | list[str | list[TokenId]],
    _in_words("give a text, ids of its tokens, or a list of such"),
]
TaskInputs = Annotated[
    str | list[str] | list[list[str]],
    _in_words('give a text, a pair ["a", "b"], or a batch [["a"], ["b"]]'),
]
TextInputs = Annotated[str | list[str], _in_words("give a text, or a list of texts")]
IdRows = Annotated[
    list[TokenId] | list[list[TokenId]], _in_words("give ids of tokens, or a list of such lists")
]


class TeiBody(BaseModel):
    """What every request may have."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False, use_attribute_docstrings=True)

    model: str | None = Field(default=None, examples=[None])
    """Name of the model; null: the first one that can do it."""


class CutBody(TeiBody):
    """What becomes of inputs that are longer than the model reads at once."""

    truncate: bool | None = None
    """true: they are cut; false: they are refused; null: as the model does it in Python, which
    averages vectors over windows."""

    truncation_direction: Literal["right", "left", "Right", "Left"] = "right"
    """The end that is cut off; text-embeddings-inference to 1.8 takes capitals alone."""

    @property
    def cutting(self) -> Cutting:
        """The two as one."""
        is_left = self.truncation_direction.lower() == "left"
        return Cutting(self.truncate, "left" if is_left else "right")


class EmbedAllBody(CutBody):
    """Texts, or ids of tokens."""

    inputs: Inputs = Field(examples=[["the king lives in a castle"]])
    """A text, or several; a row of ids stands for the text that they are decoded to."""

    prompt_name: str | None = None
    """Name of a text of the model that is put before each input."""


class EmbedBody(EmbedAllBody):
    """Texts to turn into vectors."""

    normalize: bool = True
    """Whether vectors get length 1."""

    dimensions: int | None = Field(default=None, ge=1)
    """Numbers of a vector that are kept, the first ones; null: all."""


class SimilarityInputs(BaseModel):
    """A text, and those to compare with it."""

    model_config = TeiBody.model_config

    source_sentence: str = Field(examples=["the king lives in a castle"])
    sentences: list[str] = Field(examples=[["the queen lives in a castle"]])


class SimilarityParameters(CutBody):
    """How the texts are read."""

    prompt_name: str | None = None


class SimilarityBody(TeiBody):
    """A text, and those to compare with it."""

    inputs: SimilarityInputs
    """The texts."""

    parameters: SimilarityParameters | None = None
    """How they are read."""


class PredictBody(CutBody):
    """Inputs of a task."""

    inputs: TaskInputs = Field(examples=["the ship left the harbour"])
    """A text; ``["a", "b"]`` is one pair of texts; ``[["a"], ["b"]]`` is a batch."""

    raw_scores: bool = False
    """Logits in place of probabilities."""


class TokenizeBody(TeiBody):
    """Texts to take apart."""

    inputs: TextInputs = Field(default=[], examples=["the king lives in a castle"])
    """A text, or several."""

    prompt: str | None = Field(default=None, examples=[None])
    """In place of `inputs`: a text whose ids alone are returned, as vLLM's clients ask it."""

    add_special_tokens: bool = True
    """Whether tokens such as [CLS] are put around each text."""

    prompt_name: str | None = None
    """Name of a text of the model that is put before each input."""


class DecodeBody(TeiBody):
    """Ids to put together."""

    ids: IdRows = Field(examples=[[1, 2, 3]])
    """Ids of a text, or of several."""

    skip_special_tokens: bool = True
    """Whether tokens such as [CLS] are left out."""
