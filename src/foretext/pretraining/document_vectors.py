"""Document vectors: the road of word vectors, with a name for each document."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np

from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.corpus.document_names import document_names
from foretext.data.token_file import TokenFile
from foretext.messages import message
from foretext.pretraining.budget import with_training_time
from foretext.pretraining.job import PretrainingJob
from foretext.pretraining.learner import Trained
from foretext.pretraining.word_vectors import (
    LearnerOfWords,
    encode_text,
    figures_of,
    note_training,
)
from foretext.recipe import Recipe
from foretext.report.document_card import documents_card
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors import VECTORS
from foretext.vectors.best_weights import warned
from foretext.vectors.doc2vec import Doc2Vec, Doc2VecConfig
from foretext.vectors.document_vectors import MOST_FOUND_AGAIN, DocumentVectors

__all__ = ["DocumentVectorLearner"]

BEGINNING = 80  # letters of a document, by which a person knows it again


class NamedDocuments(NamedTuple):
    """The documents of a corpus, and which of them have words."""

    names: list[str]
    beginnings: list[str]
    filled: np.ndarray  # (documents of the token file,) rows among the names

    @classmethod
    def of(
        cls, text: Corpus, column: str | None, tokenizer: WordTokenizer, tokens: TokenFile
    ) -> NamedDocuments:
        """Pass over a text that is encoded, for its names.

        Raises:
            CorpusError: the names cannot be used; see `document_names`.
        """
        beginnings = [_beginning(document) for document in _documents(text)]
        names = [name for name, _ in zip(document_names(text, column), beginnings, strict=False)]
        filled = np.arange(len(names))
        if len(names) != tokens.num_documents:  # one without a word has no tokens
            has_words = [bool(tokenizer.words(document)) for document in _documents(text)]
            filled = np.flatnonzero(has_words)
        assert len(filled) == tokens.num_documents, (len(filled), tokens.num_documents)
        return cls(names, beginnings, filled)


@dataclass(frozen=True)
class TrainedDocuments(Trained):
    """Document vectors, the names of the documents, and the text, which a stream gives once."""

    named: NamedDocuments
    text: Corpus


class DocumentVectorLearner(LearnerOfWords[TrainedDocuments]):
    """What learns document vectors: doc2vec, on the road of word vectors."""

    def train(self, job: PretrainingJob) -> TrainedDocuments:
        """Count the words, encode the text, and learn a vector for each document."""
        if job.base is not None:
            raise SettingError(message("options.pretrain.doc2vec_base"))
        job = job.opened()  # a stream is read again for the names
        tokenizer, tokens = encode_text(job, holds_out=False)
        component: type[Doc2Vec] = VECTORS.resolve(job.recipe.name)
        config = cast(Doc2VecConfig, job.recipe.vectors)
        named = NamedDocuments.of(job.text(), config.names, tokenizer, tokens.train)
        job = with_training_time(job)
        config = cast(Doc2VecConfig, job.recipe.vectors)  # with the time that is left
        learner = component(config, tokenizer.vocabulary, tokens)
        with job.training_context() as context:
            history = learner.train(context)
        tokens.train.release()
        note_training(job, history)
        vectors = np.zeros((len(named.names), learner.config.vector_size), np.float32)
        vectors[named.filled] = learner.network.documents
        documents = DocumentVectors(
            named.names, vectors, named.beginnings, tokenizer, learner.network
        )
        facts = {
            "vocab_size": tokenizer.vocab_size - 1,
            "vector_size": documents.vector_size,
            "tokens": tokens.train.num_tokens,
            "documents": len(documents),
            "held_out_tokens": int(job.recipe.data.valid_rate * tokens.train.num_tokens),
            **job.used_text,
            "pre_tokenizer": tokenizer.config.pre_tokenizer,
            **figures_of(history),
            **warned(history),
        }
        return TrainedDocuments(documents, history, job.facts(facts), job.recipe, named, job.text())

    def finish(self, job: PretrainingJob, trained: TrainedDocuments) -> None:
        """Write the vectors, the card and the mark of a finished run."""
        documents: DocumentVectors = trained.model
        documents.save(job.run.path)
        rate = _found_again_rate(documents, trained.text, trained.named, trained.recipe)
        facts = {**trained.facts, "found_again_rate": rate}
        card = documents_card(trained.recipe, facts, str(job.run.named))
        job.run.finish(card, facts, job.report)

    def next_command(self, model: DocumentVectors, run: str) -> str:
        """Look at neighbours of the first document."""
        return f"neighbors {run} {shlex.quote(model.names[0])}"


def _found_again_rate(
    documents: DocumentVectors, text: Corpus, named: NamedDocuments, recipe: Recipe
) -> float:
    """How often a document is nearest to its own text; of the first ones that have words."""
    rows = named.filled[:MOST_FOUND_AGAIN].tolist()
    wanted = set(rows)
    texts = [
        document
        for row, document in zip(range(rows[-1] + 1), _documents(text), strict=False)
        if row in wanted
    ]
    return round(documents.found_again_rate(texts, rows, seed=recipe.vectors.seed), 4)


def _documents(text: Corpus) -> Iterator[str]:
    for block in text.blocks():
        yield from block[:-2].split("\n\n")


def _beginning(document: str) -> str:
    line = " ".join(document[: 4 * BEGINNING].split())
    return line if len(line) <= BEGINNING else f"{line[: BEGINNING - 3]}..."
