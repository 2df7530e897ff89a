"""The candidates of a comparison: foretext's choice, and what the user says over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from foretext.base.errors import SettingError, did_you_mean
from foretext.comparison.candidate import (
    GROUPS,
    OVER,
    Candidate,
    Sections,
    named_candidate,
    untouched_name,
)
from foretext.comparison.candidates import (
    Choice,
    CorpusFacts,
    configured,
    default_candidates,
    usual_names,
)
from foretext.comparison.checks import too_short
from foretext.finetuning.base_names import LEARNERS, OF_TASKS
from foretext.finetuning.bases import NamedBackbone, is_name
from foretext.messages import message
from foretext.objectives import OBJECTIVES
from foretext.recipe import Recipe

__all__ = ["check_candidate", "choose_candidates"]

WRITTEN = "text_to_text"
CHARACTERS = "chinese_characters"  # a pre-tokenizer
OF_NETWORKS = {"training", "task", "backbone"}  # sections that no linear head has
READ_AS_ONE = {"span_qa", WRITTEN}  # tasks whose two texts stand in one row


def choose_candidates(
    task: str,
    facts: CorpusFacts,
    budget_seconds: float,
    *,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
    given: Sequence[str] = (),
    settings: Mapping[str, Sections] | None = None,
    seeds: float = 1,
) -> Choice:
    """Return the candidates of a comparison.

    Args:
        task: a name, or "module:Class".
        facts: of text and rows.
        budget_seconds: of the first round, for all candidates together.
        only: names of candidates or groups, in place of foretext's choice; (): its choice.
        without: names or groups to leave out.
        given: names and paths that take part beside the others, whatever the budget.
        settings: of candidates, by their names or those of groups.
        seeds: fine-tunings of each candidate, as multiples of one from all rows.

    Raises:
        SettingError: a name is unknown, cannot learn the task, or nothing is left; or settings are
            wrong, or of what is no candidate.
    """
    usual = usual_names(task, facts.language)
    unwanted = [name for each in without for name in _members(each, task, usual)]
    beside = [named_candidate(name, task) for name in given]
    named = [named_candidate(name, task) for each in only for name in _members(each, task, usual)]
    choose = partial(default_candidates, task, facts, seeds=seeds, without=unwanted, beside=beside)
    choice = Choice(named, {}) if only else choose(budget_seconds)
    found = [each for each in [*choice.candidates, *beside] if each.name not in unwanted]
    if not found:
        if only or not choice.left_out:
            raise SettingError(message("options.compare.none_left"))
        raise SettingError(too_short(lambda longer: choose(longer).candidates, budget_seconds))
    if facts.have_scores:
        found += _as_they_are(found, task, unwanted)
    kept = [_suited(each, facts) for each in _distinct(found)]
    for candidate in kept:
        if candidate.name not in usual:
            check_candidate(candidate, task)
    for name, sections in (settings or {}).items():
        kept = _configured(kept, _members(name, task, usual), name, sections)
    return Choice(kept, choice.left_out)


def _as_they_are(
    candidates: Sequence[Candidate], task: str, unwanted: Sequence[str]
) -> list[Candidate]:
    """Return the bases of given candidates without any training: pairs with scores need none."""
    given = [each for each in candidates if each.group == "given" and each.base == each.name]
    twins = [named_candidate(untouched_name(each.name), task) for each in given]
    return [each for each in twins if each.name not in unwanted]


def _suited(candidate: Candidate, facts: CorpusFacts) -> Candidate:
    """Return a candidate whose word vectors are those of the tokens that the rows have."""
    if candidate.group == "vectors" and facts.are_characters:
        return replace(candidate, pretraining={"tokenizer": {"pre_tokenizer": CHARACTERS}})
    return candidate


def _members(name: str, task: str, usual: Sequence[str]) -> list[str]:
    """Return the candidates of a group, all networks over the vectors of a recipe, or the one."""
    if name in GROUPS:
        return [each for each in usual if named_candidate(each, task).group == name]
    over = [each for each in usual if each.startswith(f"{name}{OVER}")]
    is_recipe = over and OVER not in name and name not in usual
    return over if is_recipe else [named_candidate(name, task).name]


def _names(candidates: Sequence[Candidate]) -> list[str]:
    return [each.name for each in candidates]


def _configured(
    candidates: list[Candidate], members: Sequence[str], name: str, sections: Sections
) -> list[Candidate]:
    """Return the candidates, those that a name means with settings over their own.

    Raises:
        SettingError: the settings are wrong, or of what is no candidate.
    """
    names = _names(candidates)
    if not {*members} & {*names}:
        hint = did_you_mean(name, names) or f" There are: {', '.join(names)}."
        raise SettingError(f"--set '{name}:…' has no effect: no candidate has this name.{hint}")

    def is_meant(each: Candidate) -> bool:
        """Whether settings go to a candidate: of a group, those of networks pass others by."""
        passes_by = each.is_frozen and each.name != name and OF_NETWORKS & {*sections}
        return each.name in members and not passes_by

    return [configured(each, sections) if is_meant(each) else each for each in candidates]


def _distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, each once.

    Raises:
        SettingError: the folders of two would be one.
    """
    found: dict[str, Candidate] = {}
    for each in candidates:
        other = found.setdefault(each.folder, each)
        if other.name != each.name:
            raise SettingError(
                f"The candidates '{other.name}' and '{each.name}' would be kept in one folder, "
                f"{each.folder}; leave one out, or rename what it names."
            )
    return [*found.values()]


def check_candidate(candidate: Candidate, task: str) -> None:
    """Refuse a candidate that cannot learn the task, before anything is pretrained for it.

    Of a path nothing is known before it is opened.

    Raises:
        SettingError: it cannot, or a setting of its recipe is wrong.
    """
    reason = None
    learns = task == "classification" or (candidate.base, task) in OF_TASKS
    if (candidate.is_frozen or candidate.base in LEARNERS) and not learns:
        reason = "learns other tasks"
    elif task in READ_AS_ONE and _reads_words(candidate) and not _reads_pairs(candidate, task):
        reason = "reads whole words, and has no token between two texts"
    elif task == WRITTEN and candidate.recipe is not None and not _continues(candidate.recipe):
        reason = "is pretrained to read texts, and writes none"
    if reason is not None:
        raise SettingError(
            f"The candidate '{candidate.name}' cannot learn {task}: it {reason}. "
            f"`foretext list --candidates {task}` shows what can."
        )


def _reads_words(candidate: Candidate) -> bool:
    """Whether the network of a candidate has a vocabulary of whole words."""
    if candidate.recipe is not None:
        return Recipe.load(candidate.recipe).parts["tokenizer"].name in (None, "word")
    base = candidate.base or ""
    if base in LEARNERS or not is_name(base):
        return False
    return NamedBackbone.of(base).component.reads_words


def _reads_pairs(candidate: Candidate, task: str) -> bool:
    """Whether a network over words finds answers without a token between two texts."""
    name = str(candidate.settings.get("backbone", {}).get("name", candidate.base or ""))
    return task != WRITTEN and is_name(name) and NamedBackbone.of(name).component.reads_pairs


def _continues(recipe: str) -> bool:
    """Whether a recipe's language model can be taught to write texts."""
    objective = OBJECTIVES.resolve(str(Recipe.load(recipe).parts["objective"].name))
    return bool(objective.continues)
