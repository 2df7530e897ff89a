"""The card of a run of topics."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from foretext.base.counted import number_of
from foretext.messages import message, translated
from foretext.recipe import Recipe
from foretext.recipe.text_settings import folding
from foretext.report.card import perplexity_of, shown_facts
from foretext.report.run_cards import Card, WordsCard
from foretext.report.run_files import read_facts
from foretext.run_folder import RunFolder
from foretext.topics.model import TopicModel

__all__ = ["card_of_topics", "topics_card"]

SHOWN = 10  # topics


def card_of_topics(run: RunFolder) -> Card:
    """Return what renders the card of a run of topics; see `foretext.kinds.Kind.card`."""
    from foretext.topics.report import TopicFacts  # which loads what draws pages

    facts = read_facts(run, TopicFacts, WordsCard)
    model = TopicModel.load(run.path)
    return partial(topics_card, Recipe.of_run(run.recipe), facts, model=model)


def topics_card(recipe: Recipe, facts: Mapping[str, Any], folder: str, model: TopicModel) -> str:
    """Return the card as Markdown; `facts` are those of ``config.json``."""
    import tomli_w

    perplexity = perplexity_of(facts["valid_loss"])
    described = model.described()
    rows = [
        f"| {topic.share:.1%} | {', '.join(_escaped(word) for word, _ in topic.words)} |"
        for topic in described[:SHOWN]
    ]
    own = {
        "perplexity": translated("unknown") if perplexity is None else f"{perplexity:,.1f}",
        "read": number_of("document", facts["documents"]),
        "rows": "\n".join(rows),
        "topn": len(described[0].words),
        "folding": folding(recipe),
        "folder": folder,
        "settings": tomli_w.dumps(recipe.sections()),
    }
    return f"{message('cards.topics.text', **(shown_facts(facts) | own))}\n"


def _escaped(word: str) -> str:
    """Return a word as a cell of a table shows it."""
    return "".join(f"\\{letter}" if letter in "\\`*_|[]<>" else letter for letter in word)
