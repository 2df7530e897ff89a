"""Settings of doc2vec, under gensim's names where it has one."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, model_validator

from foretext.vectors.schedule import DescentConfig

__all__ = ["DEFAULT_ALPHA", "Doc2VecConfig"]

DEFAULT_ALPHA = {"dbow": 0.025, "dm": 0.05}


class Doc2VecConfig(DescentConfig):
    """Settings of doc2vec."""

    learns: ClassVar[Literal["words", "documents"]] = "documents"

    epochs: int = Field(10, ge=1)
    """Passes over the text."""
    model: Literal["dbow", "dm"] = "dbow"
    """Predict each word from the document (dbow), or from it and the words around it (dm)."""
    dbow_words: bool = False
    """PV-DBOW: learn word vectors by skip-gram beside it; slower."""
    context: Literal["mean", "sum", "concat"] = "mean"
    """PV-DM: how document and context words are combined."""
    loss: Literal["ns", "hs"] = "ns"
    """Negative sampling (ns) or hierarchical softmax (hs)."""
    vector_size: int = Field(100, ge=1, le=10_000)
    """Numbers of a vector."""
    window: int = Field(5, ge=1, le=1_000)
    """Words to each side, at most; for each word drawn from 1 to this, with concat all."""
    negative: int = Field(5, ge=1, le=1_000)
    """Noise words for each word."""
    ns_exponent: float = 0.75
    """Noise words are drawn in proportion to count ** this."""
    sample: float = Field(1e-3, ge=0, le=1)
    """Threshold of sub-sampling frequent words; 0: no sub-sampling."""
    subsampling: Literal["word2vec", "paper"] = "word2vec"
    """Formula of sub-sampling: that of word2vec's program or of its paper."""
    alpha: float | None = Field(None, gt=0)
    """Learning rate at the start; none: 0.025, PV-DM 0.05."""
    infer_epochs: int | None = Field(None, ge=1)
    """Passes over a new document; none: as many as `epochs`."""
    names: str | None = None
    """Column with the names of documents, of csv, tsv, jsonl and parquet; none: their numbers."""
    exact: bool = False
    """Classic order of dbow_words, with noise of its own for each pair; one worker."""

    @model_validator(mode="after")
    def _has_effect(self) -> Doc2VecConfig:
        for names, needed, holds in (
            (("negative", "ns_exponent"), 'without loss = "ns"', self.loss == "ns"),
            (("context",), 'without model = "dm"', self.model == "dm"),
            (("dbow_words",), 'without model = "dbow"', self.model == "dbow"),
            (("window",), 'without model = "dm" or dbow_words', self.reads_words),
            (("subsampling",), "without sub-sampling (sample = 0)", self.sample > 0),
            (("epochs",), "beside a budget", self.budget_seconds is None),
        ):
            if (idle := [name for name in names if name in self.changed]) and not holds:
                raise ValueError(f"{' and '.join(idle)} would have no effect {needed}")
        if self.exact and "workers" in self.changed and self.workers > 1:
            raise ValueError("exact = true takes one worker")
        return self

    @property
    def threads(self) -> int:
        """One, where the order of updates matters."""
        return 1 if self.exact else self.workers

    @property
    def reads_words(self) -> bool:
        """Whether words have vectors of their own."""
        return self.model == "dm" or self.dbow_words

    @property
    def is_concatenated(self) -> bool:
        """Whether document and words are put end to end."""
        return self.model == "dm" and self.context == "concat"

    @property
    def rate(self) -> float:
        """Learning rate at the start."""
        return self.alpha or DEFAULT_ALPHA[self.model]

    @property
    def num_passes(self) -> int:
        """Passes over a new document."""
        return self.infer_epochs or self.epochs
