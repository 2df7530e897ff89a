"""What a comparison decides before its first candidate begins: rows, text, candidates."""

from __future__ import annotations

from pathlib import Path

from foretext._version import __version__
from foretext.comparison.choosing import CorpusFacts, choose_candidates
from foretext.comparison.corpus_leaks import corpus_leak
from foretext.comparison.ledger import Ledger, Plan
from foretext.comparison.request import CompareRequest
from foretext.comparison.rounds import by_need
from foretext.comparison.rows import ComparisonRows, read_rows
from foretext.comparison.shares import Stopwatch
from foretext.comparison.text_facts import text_facts
from foretext.corpus import Corpus
from foretext.corpus.settings import CorpusConfig
from foretext.errors import SettingError

__all__ = ["kept_plan", "make_plan"]

SEARCHING_RATE = 0.03  # of the time, at most, to look for rows in the corpus


def make_plan(request: CompareRequest, ledger: Ledger, watch: Stopwatch) -> Plan:
    """Read the rows, look at the text, choose the candidates; all that is kept is in the ledger.

    Raises:
        ForetextError: rows, text or settings will not do; the message says why.
    """
    content = request.content()
    rows = read_rows(request.task, request.sources, request.rows, seed=request.seed)
    rows.write(ledger.rows)
    files, notes = _corpus(request, ledger, rows)
    text = dict(request.text) if request.corpus else {}
    corpus = Corpus([*files], CorpusConfig.checked(text, "corpus"))
    facts = text_facts(corpus)
    choice = choose_candidates(
        request.task,
        CorpusFacts(facts.language, facts.num_bytes, len(rows.train)),
        request.budget_seconds / request.rounds,
        only=request.only,
        without=request.without,
        given=request.given,
        settings=request.settings,
    )
    warnings = [*rows.warnings]
    if request.corpus and any(each.pretrains for each in choice.candidates):
        until = watch() + SEARCHING_RATE * request.budget_seconds
        leak = corpus_leak(rows.test or rows.valid, corpus, rows.measured, lambda: watch() > until)
        if leak is not None:
            (warnings if leak.is_grave else notes).append(str(leak))
    return Plan(
        foretext=__version__,
        request=request.kept(),
        content=content,
        seconds=watch(),
        rows=rows.counts(),
        reading=dict(rows.settings),
        corpus=[*files],
        text=text,
        text_bytes=None,
        candidates=by_need(choice.candidates),
        left_out=choice.left_out,
        warnings=warnings,
        notes=notes,
    )


def kept_plan(request: CompareRequest, plan: Plan, folder: Path) -> Plan:
    """Return the plan that a resumed comparison began with.

    Raises:
        SettingError: it began with another request, or with other files.
    """
    before, now = plan.request, request.kept()
    for name in sorted(before.keys() | now.keys()):
        if before.get(name) != now.get(name):
            raise SettingError(
                f"{folder} began with {name} = {before.get(name)!r}, not {now.get(name)!r}; resume "
                "with the same settings, or begin a comparison in another folder."
            )
    if plan.content != request.content():
        raise SettingError(
            f"The rows or the text that {folder} began with have changed since; give the same "
            "files, or begin a comparison in another folder."
        )
    return plan


def _corpus(
    request: CompareRequest, ledger: Ledger, rows: ComparisonRows
) -> tuple[tuple[str, ...], list[str]]:
    """Return the files to pretrain on, and a note where nobody named them."""
    if request.corpus:
        return request.corpus, []
    texts = rows.write_texts(ledger.rows)
    note = f"no corpus was given: the texts of the {len(rows.train):,} rows to learn from are it"
    return (str(texts),), [note]
