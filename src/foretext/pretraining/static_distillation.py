"""A model becomes static vectors: read the texts, make the vectors, write the folder.

Static token vectors in the place of a network: what it says of texts, without its layers. Without
texts each token goes through the teacher alone, between its special tokens; principal components
take the place of the dimensions, and a token weighs the less the more frequent its place in the
vocabulary says it is (model2vec, van Dongen & Tulkens 2024). With texts, vectors begin as the
mean of a token's states in them (Bommasani et al. 2020), and are then fitted so that the mean of
a text's tokens is the teacher's vector of the text.

Token vectors whose means are as near as possible to a teacher's vectors of the same texts. With A
(N, V) the shares of the tokens in each text and T (N, D) the teacher's vectors, E minimises |A E
- T|^2 + ridge |E - E0|^2: a ridge regression towards the vectors E0 that are known before. The
normal equations are solved by conjugate gradients (Hestenes & Stiefel 1952), a column of E at a
time but all columns in one pass, so that neither A nor A^T A is ever written down.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from foretext.artifact import load_language_model
from foretext.base.config import Config
from foretext.base.counted import counted
from foretext.base.errors import CorpusError, SettingError
from foretext.base.files import atomic_file, refuse_existing
from foretext.corpus import Corpus
from foretext.corpus.texts import TextSource, found_sources
from foretext.language_model import LanguageModel
from foretext.language_model.embedding import ReadTokens
from foretext.messages import message
from foretext.nn.pooling import through_layers
from foretext.progress import Progress, is_quiet
from foretext.tokenizers.laid_texts import LaidTexts, laid
from foretext.vectors.principal_components import principal_components
from foretext.vectors.storage import StorageType
from foretext.vectors.token_vectors import TokenVectors

__all__ = ["StaticConfig", "TokenShares", "distill_static", "regress", "static_vectors"]

KIND = "word vectors"
DRAWN_FROM = 50  # times as many documents as are read

CARD = """---
library_name: model2vec
tags:
- embeddings
- static-embeddings
---

# Static vectors of {teacher}

{tokens:,} tokens, {dim} dimensions, distilled by foretext in {seconds} seconds from `{teacher}`, \
which read {texts}. The vector of a text is the mean of its tokens' vectors{length}.

## Use

```python
import foretext as ft

vectors = ft.load("{folder}")
vectors.embed(["a text of several words"])
```

The folder opens with `model2vec.StaticModel.from_pretrained` and with
`sentence_transformers.SentenceTransformer`, too.
"""

ALONE = 5  # occurrences that the vector of a token alone counts as, beside those in texts

Done = Callable[[int], object]

NO_TOKEN = -1


def distill_static(
    model: str | Path | LanguageModel,
    out: str | Path | None = None,
    corpus: TextSource | None = None,
    *,
    dtype: StorageType = "float32",
    overwrite: bool = False,
    quiet: bool | None = None,
    **settings: Any,
) -> TokenVectors:
    """Turn a model that embeds into static vectors of its tokens.

    Args:
        model: a language model, or a folder: of a run, of a fine-tuned network, of Hugging Face or
            of sentence-transformers.
        out: the folder to write, which model2vec and sentence-transformers open, too; None: none.
        corpus: texts to fit the vectors to: files, folders, globs, or texts in memory; None: the
            teacher reads its tokens alone.
        dtype: of the numbers in the folder.
        overwrite: write to a folder that is there.
        quiet: show no progress; None: show it on a terminal.
        settings: of `StaticConfig`.

    Raises:
        ForetextError: the model cannot be opened or does not embed, a setting does not exist, there
            is no text, or the folder cannot be written.
    """
    config = StaticConfig.checked(settings, "static")
    if out is not None:
        refuse_existing(Path(out), overwrite=overwrite)
    began = time.monotonic()
    teacher = load_language_model(model) if isinstance(model, str | Path) else model
    texts = None if corpus is None else _drawn(Corpus(found_sources(corpus)), config)
    with Progress(message("progress.distilling"), None, "rows", quiet=is_quiet(quiet)) as bar:
        found = static_vectors(teacher, config, texts, bar.advance)
    found.facts.update(
        kind=KIND,
        teacher=Path(model).name if isinstance(model, str | Path) else "a model in memory",
        texts=0 if texts is None else len(texts),
        seconds=round(time.monotonic() - began, 1),
        settings=config.model_dump(),
    )
    if out is not None:
        found.save(Path(out), dtype=dtype)
        with atomic_file(Path(out) / "README.md") as temporary:
            temporary.write_text(
                _static_card(found, Path(out).name), encoding="utf-8", newline="\n"
            )
    return found


def _drawn(documents: Iterable[str], config: StaticConfig) -> list[str]:
    """Draw documents so that each has the same chance, without keeping the others."""
    rng = random.Random(config.seed)
    drawn: list[str] = []
    for number, document in enumerate(islice(documents, DRAWN_FROM * config.num_texts)):
        if number < config.num_texts:
            drawn.append(document)
        elif (place := rng.randrange(number + 1)) < config.num_texts:
            drawn[place] = document
    return drawn


def _static_card(vectors: TokenVectors, folder: str) -> str:
    """Return the card as Markdown."""
    facts = vectors.facts
    return CARD.format(
        teacher=facts["teacher"],
        tokens=len(vectors),
        dim=vectors.vector_size,
        seconds=facts["seconds"],
        texts=counted(facts["texts"], "text") if facts["texts"] else "each token alone",
        length=", at length 1" if vectors.normalize else "",
        folder=folder,
    )


class StaticConfig(Config):
    """How a network becomes static vectors."""

    dim: int = Field(256, ge=1)
    """Numbers of a vector; a narrower teacher gives as many as it has."""
    sif: float = Field(1e-4, gt=0)
    """Without texts a token weighs a / (a + p): this is a, and p the share of all tokens."""
    normalize: bool = True
    """Whether vectors of texts get length 1."""
    ridge: float = Field(0.01, gt=0)
    """With texts: how much a token's vector keeps to its mean state."""
    steps: int = Field(20, ge=0)
    """With texts: steps of the fit; 0 keeps the mean states."""
    num_texts: int = Field(4000, ge=1)
    """Texts of a corpus that the teacher reads, drawn at random from its beginning."""
    text_length: int = Field(128, ge=1)
    """Tokens of a text; longer documents are cut into several."""
    seed: int = 0
    """Which texts are drawn."""


def static_vectors(
    teacher: LanguageModel,
    config: StaticConfig,
    texts: Sequence[str] | None = None,
    done: Done = int,
) -> TokenVectors:
    """Return static vectors of a teacher's tokens; special ones and unknown text have zeros.

    Args:
        teacher: any model that embeds.
        config: settings.
        texts: that the teacher reads; None: its tokens alone.
        done: is called with each number of tokens or pieces of texts that were read.

    Raises:
        CorpusError: there is no token in the texts.
        SettingError: the vocabulary has no token of text.
    """
    ordinary = np.flatnonzero(teacher.tokenizer.ordinary)
    if not len(ordinary):
        raise SettingError("The teacher's vocabulary has special tokens alone; give another model.")
    alone = teacher.read_tokens([[token] for token in ordinary.tolist()], done)
    if texts is None:
        found = _weighted(alone.texts, ordinary, config)
    else:
        found = _fitted(teacher, alone.means, texts, config, done)[ordinary]
    vectors = np.zeros((teacher.tokenizer.vocab_size, found.shape[1]), np.float32)
    vectors[ordinary] = found
    return TokenVectors(teacher.tokenizer, vectors, normalize=config.normalize)


def _weighted(
    alone: NDArray[np.float32], ordinary: NDArray[np.intp], config: StaticConfig
) -> NDArray[np.float32]:
    """Return components of what tokens give alone (V, D), weighted by Zipf's law, (V, K)."""
    found = principal_components(alone, min(config.dim, *alone.shape), remove_mean=True)
    assert found.mean is not None
    ranks = ordinary + 2.0  # the first one is no token of text, as in model2vec
    shares = (1 / ranks) / (1 / np.arange(2.0, ordinary.max() + 3)).sum()
    weights = config.sif / (config.sif + shares)
    vectors: NDArray[np.float64] = (alone - found.mean) @ found.directions * weights[:, None]
    return vectors.astype(np.float32)


def _fitted(
    teacher: LanguageModel,
    alone: NDArray[np.float32],
    texts: Sequence[str],
    config: StaticConfig,
    done: Done,
) -> NDArray[np.float32]:
    """Return vectors of all tokens (V, K) whose means are near the teacher's vectors of texts.

    Raises:
        CorpusError: there is no token in the texts.
    """
    rows = teacher.cut(texts, config.text_length)
    if not rows:
        raise CorpusError("There is no token of the teacher in the texts; give other ones.")
    if len(rows) > config.num_texts:
        rows = random.Random(config.seed).sample(rows, config.num_texts)
    read = teacher.read_tokens(rows, done)
    found = principal_components(read.texts, min(config.dim, *read.texts.shape), remove_mean=True)
    assert found.mean is not None
    targets = ((read.texts - found.mean) @ found.directions).astype(np.float32)
    first = through_layers(teacher.dense, _means_with_alone(read, alone))
    shares = read.counts / read.counts.sum()
    known = ((first - shares @ first) @ found.directions).astype(np.float32)
    return regress(
        TokenShares(laid(rows), len(known)), targets, known, ridge=config.ridge, steps=config.steps
    )


def _means_with_alone(read: ReadTokens, alone: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean state of each token (V, D), near that of the token alone if it is rare."""
    sums = read.sums + ALONE * alone
    counts = (read.counts + ALONE).astype(np.float32)
    means: NDArray[np.float32] = sums / counts[:, None]
    return means


class TokenShares:
    """The linear map A of texts: the mean of token vectors, and its transpose.

    Args:
        texts: N of them, each with a token at least.
        vocab_size: V.
    """

    def __init__(self, texts: LaidTexts, vocab_size: int) -> None:
        self.texts = texts
        self.vocab_size = vocab_size
        lengths = np.diff(texts.starts)
        assert (lengths > 0).all(), "a text without a token"
        self.shares = (1 / lengths).astype(np.float32)[:, None]  # (N, 1)

    def means(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return A times `vectors` (V, D), (N, D)."""
        from foretext.kernels.row_means import row_means

        ids, starts = self.texts
        found = np.empty((len(self.shares), vectors.shape[1]), np.float32)
        row_means(vectors.ravel(), vectors.shape[1], ids, starts, NO_TOKEN, found.ravel())
        return found

    def sums(self, means: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the transpose of A times `means` (N, D), (V, D)."""
        from foretext.kernels.row_means import add_to_rows

        ids, starts = self.texts
        found = np.zeros((self.vocab_size, means.shape[1]), np.float32)
        scaled = (means * self.shares).ravel()
        add_to_rows(found.ravel(), means.shape[1], ids, starts, NO_TOKEN, scaled)
        return found


def regress(
    shares: TokenShares,
    targets: NDArray[np.float32],
    known: NDArray[np.float32],
    *,
    ridge: float,
    steps: int,
) -> NDArray[np.float32]:
    """Return the token vectors (V, D) that fit best.

    Args:
        shares: of the texts, N.
        targets: (N, D), what the means of tokens should be.
        known: (V, D), where the solution stays for tokens that occur in no text.
        ridge: how much it holds on to `known`; 1 is as much as a text of this token alone.
        steps: of conjugate gradients.
    """

    def through(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        applied: NDArray[np.float32] = shares.sums(shares.means(vectors))
        applied += np.float32(ridge) * vectors
        return applied

    change = np.zeros_like(known)
    residual = shares.sums(targets - shares.means(known))
    direction = residual.copy()
    norm = np.square(residual).sum(axis=0)  # (D,)
    for _ in range(steps):
        applied = through(direction)
        curvature = (direction * applied).sum(axis=0)
        rate = np.divide(norm, curvature, out=np.zeros_like(norm), where=curvature > 0)
        change += rate * direction
        residual -= rate * applied
        before, norm = norm, np.square(residual).sum(axis=0)
        direction *= np.divide(norm, before, out=np.zeros_like(norm), where=before > 0)
        direction += residual
    return known + change
