"""What learns topics: the road of word vectors, with documents in the place of windows."""

from __future__ import annotations

from typing import ClassVar, cast

import numpy as np

from foretext.base.errors import SettingError
from foretext.base.registry import Registry
from foretext.pretraining.budget import with_training_time
from foretext.pretraining.job import Base, PretrainingJob
from foretext.pretraining.learner import Trained
from foretext.pretraining.word_vectors import LearnerOfWords, encode_text, figures_of
from foretext.recipe import Recipe
from foretext.topics import TOPICS
from foretext.topics.card import topics_card
from foretext.topics.coherence import TOP_WORDS, coherences
from foretext.topics.lda import LDA, LDAConfig
from foretext.topics.model import TopicModel

__all__ = ["TopicLearner"]


class TopicLearner(LearnerOfWords[Trained]):
    """What learns topics."""

    components: ClassVar[Registry] = TOPICS

    def check(self, recipe: Recipe, base: Base) -> None:
        """Refuse a base: topics are learned from the beginning."""
        if base is not None:
            raise SettingError(
                f"{recipe.name} cannot go on from another model; leave out the base. The topics "
                "of new documents are inferred by embed."
            )

    def train(self, job: PretrainingJob) -> Trained:
        """Count the words, encode the text, and learn from the words of each document."""
        tokenizer, tokens = encode_text(job, holds_out=True)
        component: type[LDA] = TOPICS.resolve(job.recipe.name)
        job = with_training_time(job)
        config = cast(LDAConfig, job.recipe.of_words)  # with the time that is left
        learner = component(config, tokenizer.vocabulary, tokens)
        with job.training_context() as context:
            history = learner.train(context)
        words = learner.words.by_share()
        top = np.argsort(-words.probabilities(), axis=0, kind="stable")[:TOP_WORDS].T
        coherent = coherences(learner.ids[top], tokens.train)
        tokens.train.release()
        job.run.note(f"trained in {history[-1]['time']:.1f} s")
        model = TopicModel(tokenizer, learner.ids, words, coherent.astype(np.float32))
        facts = {
            "vocab_size": tokenizer.vocab_size - 1,
            "topic_words": len(learner.ids),
            "topics": len(model),
            "tokens": tokens.train.num_tokens,
            "documents": tokens.train.num_documents,
            "held_out_tokens": tokens.valid.num_tokens if tokens.valid else 0,
            **job.used_text,
            "pre_tokenizer": tokenizer.config.pre_tokenizer,
            **figures_of(history),
            "coherence": round(float(coherent.mean()), 4),
        }
        return Trained(model, history, job.facts(facts), job.recipe)

    def finish(self, job: PretrainingJob, trained: Trained) -> None:
        """Write the topics, the card and the mark of a finished run."""
        model: TopicModel = trained.model
        model.save(job.run.path)
        card = topics_card(trained.recipe, trained.facts, str(job.run.named), model)
        job.run.finish(card, trained.facts, job.report)

    def next_command(self, model: TopicModel, run: str) -> str:
        """Look at the topics of texts."""
        return f"embed {run} TEXTS"
