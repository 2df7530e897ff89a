"""What the page of a task takes from the files of its run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, model_validator

from foretext.report.run_files import ABSENT, Count, Figure, Known, LabelFigures, Number, Seconds

__all__ = ["Alignment", "Examination", "FaultyTexts", "LengthBin", "TaskFacts", "WrittenText"]

Piece = tuple[str, Literal["", "right", "given", "both"]]  # of a passage; "": of no answer
Entity = tuple[str, Count, Count]  # kind, first token, the first one after it
Share = Annotated[float, Field(ge=0, le=1)]
Rows = list[dict[str, Any]]  # of a table: every value can be a cell

Weight = Annotated[float, Field(ge=0, le=1.01, allow_inf_nan=False)]  # rounded


class Figures(Known):
    """What was measured on some rows; the task decides which of these there are."""

    f1: Figure = ABSENT
    precision: Figure = ABSENT
    recall: Figure = ABSENT
    macro_f1: Figure = ABSENT
    exact_match: Figure = ABSENT
    accuracy: Figure = ABSENT
    spearman: Figure = ABSENT
    pearson: Figure = ABSENT
    recall_at_1: Figure = Field(ABSENT, alias="recall@1")
    recall_at_10: Figure = Field(ABSENT, alias="recall@10")
    mrr: Figure = Field(ABSENT, alias="mrr@10")
    ndcg: Figure = Field(ABSENT, alias="ndcg@10")
    alignment: Figure = ABSENT
    uniformity: Figure = ABSENT
    bleu: Figure = ABSENT
    chrf: Figure = ABSENT
    rouge_l: Figure = ABSENT
    perplexity: Figure = ABSENT
    signatures: dict[str, str] = ABSENT  # how figures of texts are counted
    labels: dict[str, LabelFigures] = ABSENT


class Measured(Known):
    """The figures of another model, by the rows that they were measured on."""

    valid: Figures | None
    test: Figures | None


class Baseline(Measured):
    """What the model is compared with."""

    name: str


class Spread(Known):
    """A figure of several seeds."""

    each: list[Figure]
    mean: Figure
    deviation: Figure


class Verdict(Known):
    """Whether the model is better than what it is compared with."""

    best: Literal["model", "baseline", "majority", "untouched"] | None
    sentence: str
    command: str | None


class Seeds(Known):
    """The figure `judged_by`; an empty list where it was not measured."""

    seeds: Annotated[list[int], Field(min_length=1)]
    valid: Spread | Annotated[list[Any], Field(max_length=0)]
    test: Spread | Annotated[list[Any], Field(max_length=0)]


class Refit(BaseModel):
    """How many rows the kept model learned from, by what they were before."""

    train: Count
    valid: Count


class ViewFacts(BaseModel):
    """How much a view of a text counts, and what cross-validation says of it."""

    view: str
    weight: Share
    inverse_penalty: Figure | None
    log_loss: Figure | None
    accuracy: Share | None


class LayerFacts(Known):
    """What a layer of a network makes of one row."""

    layer: str
    shape: Annotated[list[Count], Field(min_length=1)]


class TaskFacts(Known):
    """Of ``config.json``, for a run that learned a task."""

    title: str  # of the task
    base: str
    method: str  # a phrase: what was learned on the base, such as "randomly initialised"
    rows: Count
    labels: Count | None
    parameters: Count
    seconds: Seconds
    judged_by: str
    watched: list[str]  # figures whose curves are shown, `judged_by` among them
    valid: Figures | None
    test: Figures | None
    network: Measured | None = None
    baseline: Baseline | None
    majority: Baseline | None = None
    untouched: Baseline | None = None
    seeds: Seeds | None
    verdict: Verdict | None = None
    layer_weights: dict[str, Share] = Field(default_factory=dict)  # of a mix of layers
    informative_features: dict[str, list[str]] = Field(default_factory=dict)  # by label
    structure: list[LayerFacts] = Field(default_factory=list)  # of a network
    views: list[ViewFacts] = Field(default_factory=list)  # of frozen bases and words
    warnings: list[str] = Field(default_factory=list)
    chosen: str | None = None  # which settings were chosen for the rows
    refit: Refit | None = None

    @model_validator(mode="after")
    def _has_what_counts(self) -> Self:
        for figures in self._measured():
            known = figures.model_dump(exclude_unset=True, by_alias=True).items()
            if self.judged_by not in {name for name, value in known if isinstance(value, float)}:
                raise ValueError(f"judged_by is '{self.judged_by}', and a model has no such figure")
        return self

    def _measured(self) -> Iterator[Figures]:
        for model in (self, self.network, self.baseline, self.majority, self.untouched):
            if model is not None:
                yield from (figures for figures in (model.valid, model.test) if figures is not None)


class Confusion(BaseModel):
    """How often each label was confused with each."""

    labels: Annotated[list[str], Field(min_length=1)]
    counts: list[list[Count]]

    @model_validator(mode="after")
    def _is_square(self) -> Self:
        if {len(self.counts), *map(len, self.counts)} != {len(self.labels)}:
            raise ValueError(f"confusion.counts are not {len(self.labels)} rows of as many")
        return self


class Confused(BaseModel):
    """How often one label was taken for another."""

    right: str
    given: str
    count: Count


class Bin(BaseModel):
    """Answers with about the same confidence."""

    low: Share
    high: Share
    size: Count
    confidence: Share
    accuracy: Share


class Error(Known):
    """A row that was answered wrongly."""

    place: str = ABSENT


class WrongAnswer(BaseModel):
    """A question that was answered wrongly, with both answers marked in its passage."""

    question: str
    passage: list[Piece]
    right: list[str]
    given: str  # "": no answer
    probability: Share
    f1: Share
    place: str


class Entities(BaseModel):
    """Those of a sentence that are right, and those that were given."""

    right: list[Entity]
    given: list[Entity]


class TaggedSentence(BaseModel):
    """A sentence with wrong tags."""

    tokens: list[str]
    right: list[str]
    given: list[str]
    place: str
    spans: Entities = ABSENT  # where tags are of entities

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if not len(self.tokens) == len(self.right) == len(self.given):
            raise ValueError("a sentence has more tokens than tags, or fewer")
        return self


class Table(BaseModel):
    """A table under a headline."""

    title: str
    hint: str = ""
    rows: Rows


class WrittenText(BaseModel):
    """A row, what was written for it, and what the baseline wrote."""

    source: str
    reference: str
    output: str
    baseline: str | None
    chrf: Number
    faults: list[str]
    place: str


class FaultyTexts(BaseModel):
    """Some outputs that have the same fault."""

    fault: str
    texts: Annotated[list[WrittenText], Field(min_length=1)]


class LengthBin(BaseModel):
    """chrF of a model for sources of some lengths in words."""

    low: Count
    high: Count
    rows: Count
    model: str
    chrf: Number


class Alignment(BaseModel):
    """How much each word of an output takes from each word of its source."""

    source: Annotated[list[str], Field(min_length=1)]
    output: Annotated[list[str], Field(min_length=1)]
    weights: list[list[Weight]]
    layer: Count
    place: str

    @model_validator(mode="after")
    def _has_a_weight_for_each_pair(self) -> Self:
        widths = {len(row) for row in self.weights}
        if len(self.weights) != len(self.output) or widths != {len(self.source)}:
            raise ValueError("weights are not one for each word of the output and of the source")
        return self


class Examination(Known):
    """``examination.json``: what `Predictor.findings` returns, in blocks that a page shows."""

    part: Literal["valid", "test"]
    rows: Count
    learned: dict[str, Count] = ABSENT
    confusion: Confusion = ABSENT
    reliability: list[Bin] = ABSENT
    calibration_error: Number = ABSENT
    points: list[Annotated[list[Number], Field(min_length=2, max_length=2)]] = ABSENT
    num_errors: Count = ABSENT
    errors: list[Error] = ABSENT
    questions: list[WrongAnswer] = ABSENT
    num_wrong_sentences: Count = ABSENT
    sentences: list[TaggedSentence] = ABSENT
    confused: list[Confused] = ABSENT
    samples: list[WrittenText] = ABSENT
    worst_texts: list[WrittenText] = ABSENT
    faulty_texts: list[FaultyTexts] = ABSENT
    quality: list[LengthBin] = ABSENT
    text_lengths: list[Annotated[list[Count], Field(min_length=2, max_length=2)]] = ABSENT
    alignments: list[Alignment] = ABSENT
    tables: list[Table] = ABSENT
