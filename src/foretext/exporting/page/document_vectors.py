"""doc2vec on a page: the vector of a text is inferred there, by the same draws as in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.exporting.page.page_model import Answers, PageModel, text_cosines
from foretext.exporting.page.splitting import PageSplitter, of_pre_tokenizer
from foretext.exporting.page.storage import Matrices
from foretext.kernels.windows import MAX_SENTENCE
from foretext.messages import message
from foretext.vectors.doc2vec import DocumentNetwork
from foretext.vectors.document_vectors import DocumentVectors
from foretext.vectors.output_layer import as_chances

__all__ = ["PageDocumentVectors"]

OUTPUTS, INPUTS = "outputs", "inputs"
SEED = 1  # of `DocumentVectors.embed`


class PageDocumentVectors(PageModel):
    """The network that infers vectors of texts; those of the training documents are left out.

    Args:
        model: the document vectors.
        name: that the page shows.

    Raises:
        SettingError: it cuts texts by jieba, which no browser has.
    """

    kind = "document vectors"
    abilities = ("embed",)
    has_tokenizer = True
    model: DocumentVectors

    def __init__(self, model: DocumentVectors, name: str) -> None:
        super().__init__(model, name)
        self._splitter: PageSplitter = of_pre_tokenizer(
            model.tokenizer.pre_tokenizer,
            remedy="pretrain it with --set tokenizer.pre_tokenizer=chinese_characters",
        )

    @property
    def settings(self) -> dict[str, Any]:
        """What the page's own class has to know."""
        config = self.model.network.config
        return {
            "splitter": self._splitter.steps,
            "dim": config.vector_size,
            "passes": config.num_passes,
            "rates": (config.rate, config.min_alpha),
            "negative": self.model.network.layer.targets.negatives,
            "window": config.window,
            "context": config.context if config.model == "dm" else None,
            "longest": MAX_SENTENCE,
            "seed": SEED,
        }

    @property
    def matrices(self) -> Matrices:
        """Matrices that may be stored in fewer bytes."""
        network = self.model.network
        outputs = {OUTPUTS: network.output_rows.reshape(len(network.counts), -1)}
        return {**outputs, INPUTS: network.words} if self._reads_words else outputs

    @property
    def tensors(self) -> dict[str, NDArray[Any]]:
        """Tables of characters, and what words are drawn by; bits of uint32 as int32."""
        network = self.model.network
        found = {**self._splitter.tensors(), "keep": as_chances(network.keep).view(np.int32)}
        targets = network.layer.targets
        if targets.negatives:
            return {**found, "noise": np.ascontiguousarray(targets.noise).view(np.int32)}
        return {
            **found,
            "path_starts": targets.path_starts.astype(np.int32),
            "path_nodes": targets.path_nodes.astype(np.int32),
            "path_codes": targets.path_codes.astype(np.uint8),
        }

    @property
    def texts(self) -> Mapping[str, Sequence[str]]:
        """The words of the model."""
        return {"words": self.model.tokenizer.vocabulary.words}

    @property
    def remedy(self) -> str:
        """What makes the page smaller."""
        return message("exporting.remedy.document_vectors")

    def with_matrices(self, matrices: Matrices) -> PageDocumentVectors:
        """Return the same model with other numbers."""
        own, old = self.model, self.model.network
        network = DocumentNetwork(old.config, old.counts, 0)
        network.output_rows[...] = matrices[OUTPUTS].reshape(network.output_rows.shape)
        network.words[...] = matrices[INPUTS] if self._reads_words else old.words
        kept = own.names, own.vectors, own.beginnings, own.tokenizer
        return PageDocumentVectors(DocumentVectors(*kept, network), self.name)

    def parts(self, text: str) -> list[int]:
        """Return the ids of the known words of a text."""
        ids = np.array(self.model.tokenizer.encode(text), np.int64)
        found: list[int] = ids[self.model.network.keep[ids] > 0].tolist()
        return found

    def inferred_words(self, text: str) -> int:
        """Return how many known words a text has."""
        return len(self.parts(text))

    def answers(self, texts: Sequence[str]) -> Answers:
        """Return cosines of texts with those before."""
        return {"neighbors": [], "analogies": [], **text_cosines(self.model.embed(list(texts)))}

    @property
    def frequent_words(self) -> Sequence[str]:
        """The words, the frequent ones first."""
        return self.model.tokenizer.vocabulary.words[1:]

    @property
    def _reads_words(self) -> bool:
        """Whether the words around a word help to predict it."""
        return self.model.network.config.model == "dm"
