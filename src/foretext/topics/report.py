"""The page of a run that learned topics."""

from __future__ import annotations

import math
from typing import Any

from foretext.report.page import PageOptions, setting_sections, table, write_page
from foretext.report.run_files import (
    Count,
    Known,
    Record,
    read_facts,
    read_records,
    read_sections,
)
from foretext.report.training_curves import training_curves
from foretext.report.vectors_report import run_tiles
from foretext.run_folder import RunFolder
from foretext.topics.model import TopicModel

__all__ = ["report_topics"]

SHOWN_FACTS = ("tokens", "documents", "held_out_tokens", "topics", "topic_words")
SHOWN_WORDS = 12  # of a topic
HINT = (
    "Coherence says how often the ten first words share documents, against chance: 0 by chance, 1 "
    "always, -1 never."
)


class TopicFacts(Known):
    """Of ``config.json``, for a run of topics."""

    recipe: str
    tokens: Count
    documents: Count
    held_out_tokens: Count
    topics: Count
    topic_words: Count


def report_topics(folder: RunFolder, options: PageOptions) -> None:
    """Write the page of a run of topics; see `foretext.kinds.Kind.page`."""
    facts = read_facts(folder, TopicFacts)
    metrics = read_records(folder.metrics, Record)
    model = TopicModel.load(folder.path)
    tiles = run_tiles({name: facts[name] for name in SHOWN_FACTS}, metrics)
    held_out = metrics[-1].get("valid_loss") if metrics else None
    if isinstance(held_out, float) and held_out < 700:
        tiles.append(("held-out perplexity", f"{math.exp(held_out):,.0f}"))
    write_page(
        folder.report,
        "tables.html.j2",
        training_curves(metrics, loss="nats a word"),
        kind="Topics",
        title=options.headline(facts["recipe"], folder.named),
        summary=f"{len(model)} topics of {len(model.ids):,} words",
        tiles=tiles,
        tables=[("Topics, the largest first", HINT, table(_rows(model)))],
        settings=setting_sections(read_sections(folder.recipe)),
    )


def _rows(model: TopicModel) -> list[dict[str, Any]]:
    return [
        {
            "topic": number,
            "share": f"{topic.share:.1%}",
            "words": ", ".join(word for word, _ in topic.words),
            "coherence": f"{topic.coherence:.2f}",
        }
        for number, topic in enumerate(model.described(SHOWN_WORDS))
    ]
