"""The page of a run that learned topics."""

from __future__ import annotations

from typing import Any

from foretext.messages import message
from foretext.report.card import perplexity_of
from foretext.report.page import PageOptions, setting_sections, table, write_page
from foretext.report.run_files import (
    Count,
    Known,
    Number,
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


class TopicFacts(Known):
    """Of ``config.json``, for a run of topics."""

    recipe: str
    tokens: Count
    documents: Count
    held_out_tokens: Count
    topics: Count
    topic_words: Count
    coherence: Number


def report_topics(folder: RunFolder, options: PageOptions) -> None:
    """Write the page of a run of topics; see `foretext.kinds.Kind.page`."""
    facts = read_facts(folder, TopicFacts)
    metrics = read_records(folder.metrics, Record)
    model = TopicModel.load(folder.path)
    tiles = run_tiles({name: facts[name] for name in SHOWN_FACTS}, metrics)
    held_out = metrics[-1].get("valid_loss") if metrics else None
    perplexity = perplexity_of(held_out if isinstance(held_out, float) else None)
    if perplexity is not None:
        tiles.append((message("runs.topics.perplexity"), f"{perplexity:,.0f}"))
    write_page(
        folder.report,
        "tables.html.j2",
        training_curves(metrics, loss=message("runs.topics.loss")),
        kind=message("runs.kind.topics"),
        title=options.headline(facts["recipe"], folder.named),
        summary=message("runs.topics.summary", topics=len(model), words=len(model.ids)),
        tiles=tiles,
        tables=[(message("runs.topics.title"), message("runs.topics.hint"), table(_rows(model)))],
        settings=setting_sections(read_sections(folder.recipe)),
    )


def _rows(model: TopicModel) -> list[dict[str, Any]]:
    return [
        {
            message("runs.topics.topic"): number,
            message("runs.topics.share"): f"{topic.share:.1%}",
            message("runs.topics.words"): ", ".join(word for word, _ in topic.words),
            message("runs.topics.coherence"): f"{topic.coherence:.2f}",
        }
        for number, topic in enumerate(model.described(SHOWN_WORDS))
    ]
