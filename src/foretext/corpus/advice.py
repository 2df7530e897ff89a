"""The settings that suit a text, by its beginning, each with its reason.

What `foretext inspect` proposes and what ``--auto`` sets come from here, so that a proposal is
never made again once it is followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from foretext.corpus.case import CASE_SAMPLE, capital_rate, likely_lowercase
from foretext.corpus.chinese_script import full_width_rate
from foretext.corpus.corpus import Corpus
from foretext.corpus.symptoms import Symptoms
from foretext.messages import clauses, message

__all__ = ["Proposal", "by_section", "proposals", "proposed_settings"]

_SAMPLE = 1 << 20  # characters
_BLOCK = 1 << 16  # characters, of each of which the beginning is looked at
_SEVERAL = 1.5  # sentences of a line, on average
_MIXED = 0.01  # share of full-width digits and letters, or of plain ones


class Proposal(NamedTuple):
    """One setting, and what in the text speaks for it."""

    section: str
    name: str
    value: str | bool
    reason: str

    @property
    def setting(self) -> str:
        """The setting as ``--set`` takes it."""
        value = str(self.value).lower() if isinstance(self.value, bool) else self.value
        return f"{self.section}.{self.name}={value}"


def proposed_settings(corpus: Corpus) -> dict[str, dict[str, str | bool]]:
    """Return the settings that suit a corpus, by section.

    Raises:
        CorpusError: there is no text, or a file cannot be read.
    """
    return by_section(proposals(corpus))


def by_section(proposals: Iterable[Proposal]) -> dict[str, dict[str, str | bool]]:
    """Return settings as the sections of a recipe have them."""
    found: dict[str, dict[str, str | bool]] = {}
    for proposal in proposals:
        found.setdefault(proposal.section, {})[proposal.name] = proposal.value
    return found


def proposals(corpus: Corpus) -> list[Proposal]:
    """Return the settings that suit a corpus, whatever its own settings are.

    Raises:
        CorpusError: there is no text, or a file cannot be read.
    """
    found = [*_layout(corpus)]
    settings: dict[str, Any] = {proposal.name: proposal.value for proposal in found}
    unchanged = {"sentences": "line", "normalization": corpus.config.normalization}
    if unchanged["normalization"] == "NFKC":  # hides what speaks for it
        unchanged["normalization"] = "NFC"
    config = corpus.config.model_copy(update={**unchanged, **settings})
    blocks = _beginning(corpus.reread(config))
    symptoms = Symptoms()
    for block in blocks:
        symptoms.add(block)
    return [*found, *_text(symptoms), *_words(symptoms, "".join(blocks))]


def _beginning(corpus: Corpus) -> list[str]:
    """Take blocks until there are enough characters."""
    blocks: list[str] = []
    length = 0
    for block in corpus.blocks(_BLOCK):
        blocks.append(block)
        length += len(block)
        if length >= _SAMPLE:
            break
    return blocks


def _layout(corpus: Corpus) -> Iterator[Proposal]:
    """What the lines and empty lines of plain text say; nothing where files differ."""
    layout, readings = corpus.free_layout, corpus.readings
    if not layout.samples:
        return
    open_config = corpus.config.model_copy(update={"lines": "auto"})
    if readings.may_be_wrapped:
        reason = _said("wrapped", width=layout.line_ends.width)
        yield Proposal("corpus", "lines", "wrapped", reason)
        open_config = open_config.model_copy(update={"lines": "wrapped"})
    if corpus.config.documents != "auto":  # what a document is, its reader knows best
        return
    documents = readings.resolved(open_config).documents
    if documents == "auto":
        return
    yield Proposal("corpus", "documents", documents, _said(documents))


def _said(key: str, **values: Any) -> str:
    return message(f"findings.corpus.reason.{key}", **values)


def _text(symptoms: Symptoms) -> Iterator[Proposal]:
    """What sentences and characters say."""
    rate = symptoms.sentences / max(symptoms.lines, 1)
    if rate > _SEVERAL:
        yield Proposal(
            "corpus",
            "sentences",
            "punctuation",
            clauses([_said("punctuation", rate=rate), _said("one_a_line")]),
        )
    wide = full_width_rate(symptoms.characters)
    if wide is not None and _MIXED <= wide <= 1 - _MIXED:
        reason = _said("full_width", rate=wide)
        yield Proposal("corpus", "normalization", "NFKC", reason)


def _words(symptoms: Symptoms, text: str) -> Iterator[Proposal]:
    """What commas and capital letters say."""
    if symptoms.is_tokenised:
        reason = _said("tokenised", sign=symptoms.tokenised_by)
        yield Proposal("tokenizer", "pre_tokenizer", "whitespace", reason)
    sample = text[:CASE_SAMPLE]
    if not likely_lowercase(sample):
        rate = capital_rate(sample) or 0.0
        yield Proposal("tokenizer", "lowercase", False, _said("capitals", rate=rate))
