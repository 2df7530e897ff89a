"""Which candidates a task has, and which of them a budget can try.

The order is the task's own (`foretext.tasks.task.Candidates`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, NamedTuple

from foretext.base.errors import SettingError
from foretext.base.registry import imported
from foretext.comparison.candidate import Candidate, Sections, named_candidate
from foretext.corpus.chinese_words import is_jieba_installed
from foretext.finetuning.recipe import LENGTHS, SECTIONS
from foretext.messages import message
from foretext.recipe import Recipe
from foretext.tasks.task import task_named

__all__ = [
    "USABLE_RATE",
    "Choice",
    "CorpusFacts",
    "configured",
    "default_candidates",
    "look_seconds",
    "usual_names",
]

USABLE_RATE = 0.9  # of a budget: the rest is for reading, the test and the page
SHORT = 120.0  # seconds of a budget in which every candidate has its least time
GROWTH = 0.25  # power of longer budgets: the time of a candidate grows, and so does their number
ROWS_A_SECOND = 5_000  # that what needs no network learns from
FEWEST_BYTES = {"vectors": 20_000, "pretrained": 100_000}  # of text, for something to be learned

CHINESE = {"ernie": "modern-bert"}  # what whole words help comes right after it

# Sections of a candidate's pretraining. [training] is that of the fine-tuning.
OF_PRETRAINING = {
    "vectors": ("corpus", "tokenizer", "data", "vectors"),
    "pretrained": ("corpus", "tokenizer", "data", "backbone", "objective"),
}
TIMED = ("training", "vectors")  # sections of what learns until its time is over
CHECKED = {
    "finetuning": "foretext.finetuning.settings:FinetuningConfig",
    "training": "foretext.training.settings:TrainingConfig",  # imports PyTorch
}


@dataclass(frozen=True)
class CorpusFacts:
    """What the choice of candidates asks of text and rows.

    Attributes:
        language: of the corpus; "zh" for Chinese.
        corpus_bytes: of the text to pretrain on.
        num_rows: to learn the task from.
        are_characters: whether the rows tag single characters, not words.
        have_scores: whether the rows have numbers in place of labels.
    """

    language: str
    corpus_bytes: int
    num_rows: int
    are_characters: bool = False
    have_scores: bool = False


class Choice(NamedTuple):
    """The candidates of a comparison.

    Attributes:
        candidates: in the order in which a short budget takes them.
        left_out: why others of the task do not take part, by name.
    """

    candidates: list[Candidate]
    left_out: dict[str, str]


def usual_names(task: str, language: str = "") -> list[str]:
    """Return the names of a task's candidates, the most promising first.

    Args:
        task: a name, or "module:Class".
        language: of the corpus; "zh" for Chinese.
    """
    names = [*task_named(task).candidates.order]
    if language == "zh":
        for name, before in CHINESE.items():
            if name in names:
                names.remove(name)
                names.insert(names.index(before) + 1, name)
    return names


def look_seconds(candidate: Candidate, seeds: float) -> float:
    """Return how long a fair look at a candidate takes with several fine-tunings."""
    pretraining = candidate.pretraining_rate
    return candidate.least_seconds * (pretraining + seeds * (1 - pretraining))


def default_candidates(
    task: str,
    facts: CorpusFacts,
    budget_seconds: float,
    *,
    seeds: float = 1,
    without: Collection[str] = (),
    beside: Sequence[Candidate] = (),
) -> Choice:
    """Choose what is tried where the user names nothing.

    Each candidate that would use up its time gets the same share, and every one of them a fair
    look. What needs no network takes the seconds that it needs.

    Args:
        task: a name, or "module:Class".
        facts: of text and rows.
        budget_seconds: of the first round, for all candidates together.
        seeds: fine-tunings of each candidate, as multiples of one from all rows.
        without: names of candidates that nobody wants.
        beside: candidates that take part in any case.
    """
    room = _Room(facts.num_rows, budget_seconds, seeds, [*beside])
    taken, left_out = [], {}
    for name in usual_names(task, facts.language):
        candidate = named_candidate(name, task)
        if name in without or candidate in beside:
            continue
        reason = _unusable(candidate, facts) or room.refused(candidate)
        if reason is None:
            taken.append(candidate)
            room.taken.append(candidate)
        else:
            left_out[name] = reason
    return Choice(taken, left_out)


@dataclass(frozen=True)
class _Room:
    """How many candidates fit into a budget, one after another."""

    num_rows: int
    budget: float
    seeds: float
    taken: list[Candidate]

    def refused(self, candidate: Candidate) -> str | None:
        """Return why a candidate has no room beside those that were taken; None: it has."""
        together = [*self.taken, candidate]
        quick = [each for each in together if each.group == "classical"]
        others = [each for each in together if each.group != "classical"]
        left = USABLE_RATE * self.budget
        left -= sum(map(self._look, quick)) + self.seeds * len(quick) * self._row_seconds
        growth = max(self.budget / SHORT, 1.0) ** GROWTH
        needed = growth * max(map(self._look, others), default=0.0)
        share = max(left, 0.0) / max(len(others), 1)
        if share >= needed and left >= 0:
            return None
        own = growth * self._look(candidate)
        if share < own:
            return message("findings.status.too_slow", own=own, share=share)
        return message("findings.status.others_need", share=share, needed=needed)

    @property
    def _row_seconds(self) -> float:
        """Seconds that what needs no network takes for the rows."""
        return self.num_rows / ROWS_A_SECOND

    def _look(self, candidate: Candidate) -> float:
        return look_seconds(candidate, self.seeds)


def _unusable(candidate: Candidate, facts: CorpusFacts) -> str | None:
    """Return why a candidate cannot do well here, whatever the budget."""
    needed = FEWEST_BYTES.get(candidate.group, 0)
    if facts.corpus_bytes < needed:
        return message("findings.status.little_text", found=facts.corpus_bytes, needed=needed)
    if facts.have_scores and "word_features" in candidate.settings.get("task", {}):
        return message("findings.status.needs_labels")
    if candidate.needs_network and find_spec("torch") is None:
        return message("findings.status.needs_torch")
    if candidate.recipe == "ernie" and facts.language == "zh" and not is_jieba_installed():
        return message("findings.status.needs_jieba")
    return None


def configured(candidate: Candidate, sections: Sections) -> Candidate:
    """Return a candidate with settings of the user's over its own.

    Args:
        candidate: any.
        sections: settings of its pretraining and of its fine-tuning; [training] is that of the
            fine-tuning.

    Raises:
        SettingError: it has no such section; a setting is unknown or wrong, or a length of time.
    """
    own = OF_PRETRAINING.get(candidate.group, ()) if candidate.pretrains else ()
    for name, values in sections.items():
        _check(f"--set '{candidate.name}:{name}", name, values, own)
    pretraining = {name: values for name, values in sections.items() if name in own}
    others = {name: values for name, values in sections.items() if name not in own}
    found = replace(
        candidate,
        pretraining=_over(candidate.pretraining, pretraining),
        settings=_over(candidate.settings, others),
    )
    if found.recipe is not None and pretraining:
        _check_recipe(found.recipe, found.pretraining)
    return found


def _check(option: str, section: str, values: Mapping[str, Any], own: Sequence[str]) -> None:
    """Refuse a section that a candidate does not have, and settings that can have no effect.

    Args:
        option: what the user wrote.
        section: its name.
        values: its settings.
        own: sections of the candidate's pretraining.

    Raises:
        SettingError: there is such a one.
    """
    known = {*own, *SECTIONS} - {"rows"}
    if section not in known:
        raise SettingError(
            f"{option}': a candidate has no such section. There are: {', '.join(sorted(known))}."
        )
    if lengths := sorted(LENGTHS & values.keys() if section in TIMED else ()):
        raise SettingError(
            f"{option}.{lengths[0]}': the budget of a comparison says how long everybody learns; "
            "leave it out."
        )
    if section not in own and section in CHECKED:
        imported(CHECKED[section]).checked(dict(values), section)


def _over(sections: Sections, chosen: Sections) -> dict[str, dict[str, Any]]:
    merged = {name: dict(values) for name, values in sections.items()}
    for name, values in chosen.items():
        merged.setdefault(name, {}).update(values)
    return merged


def _check_recipe(recipe: str, sections: Sections) -> None:
    """Refuse what the recipe does not have, before anything is trained by it."""
    assignments = [
        f"{section}.{name}={json.dumps(value, ensure_ascii=False)}"
        for section, values in sections.items()
        for name, value in values.items()
    ]
    Recipe.load(recipe, assignments)
