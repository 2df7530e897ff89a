"""What a comparison decides before its first candidate begins: rows, text, candidates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from foretext._version import __version__
from foretext.base.counted import number_of
from foretext.base.errors import SettingError
from foretext.comparison.candidate import Candidate
from foretext.comparison.candidates import CorpusFacts
from foretext.comparison.cells import Cell, cells_of, total_weight
from foretext.comparison.checks import check_budget, check_disk, needed_bytes
from foretext.comparison.chosen_candidates import choose_candidates
from foretext.comparison.draws import nested_draw, numbers_of
from foretext.comparison.leaks import Leak, corpus_leak
from foretext.comparison.ledger import Ledger, Plan
from foretext.comparison.request import CompareRequest
from foretext.comparison.rounds import by_need
from foretext.comparison.rows import ComparisonRows, read_rows
from foretext.comparison.shares import Stopwatch
from foretext.comparison.text_facts import text_facts
from foretext.corpus import Corpus
from foretext.corpus.settings import CorpusConfig
from foretext.data.rows import write_rows
from foretext.messages import message
from foretext.recipe.same_settings import check_same

__all__ = ["kept_plan", "make_plan"]

UTF_8 = ("utf-8", "utf8", "utf-8-sig")
SEARCHING_RATE = 0.03  # of the time, at most, to look for rows in the corpus


def make_plan(request: CompareRequest, ledger: Ledger, watch: Stopwatch, pace: float = 1.0) -> Plan:
    """Read the rows, look at the text, choose the candidates; all that is kept is in the ledger.

    Args:
        request: what the user wants.
        ledger: of the comparison's folder.
        watch: counts the seconds of the comparison.
        pace: how many times as slow as usual this machine is.

    Raises:
        ForetextError: rows, text or settings will not do; the message says why.
    """
    content = request.content()
    rows = read_rows(request.task, request.sources, request.rows, seed=request.seed)
    rows.write(ledger.rows)
    numbers, clipped = numbers_of(request.labels, len(rows.train))
    few = list(write_draws(request, ledger, rows, numbers))
    cells = cells_of(numbers, len(rows.train), draws=request.draws, seeds=request.seeds)
    text = dict(request.text) if request.corpus else {}
    config = CorpusConfig.checked(text, "corpus")
    files, notes = _corpus(request, config, ledger, rows)
    facts = text_facts(Corpus([*files], config))
    choice = choose_candidates(
        request.task,
        CorpusFacts(
            facts.language,
            facts.num_bytes,
            len(rows.train),
            rows.texts.are_characters,
            rows.task.have_scores(rows.train),
        ),
        request.budget_seconds / request.rounds,
        only=request.only,
        without=request.without,
        given=request.given,
        settings=request.settings,
        seeds=total_weight(cells),
    )
    found = choice.candidates
    warnings = [*rows.warnings, *_checked(request, ledger, found, cells, facts.num_bytes, watch)]
    pretrains = any(each.pretrains for each in found)
    leak = _leak(request, config, rows, watch) if pretrains else None
    if leak is not None:
        (warnings if leak.is_grave else notes).append(str(leak))
    return Plan(
        foretext=__version__,
        request=request.kept(),
        content=content,
        seconds=watch(),
        pace=pace,
        rows=rows.counts(),
        reading=dict(rows.settings),
        corpus=[*files],
        text=text,
        candidates=by_need(found),
        left_out=choice.left_out,
        warnings=warnings,
        notes=[*rows.notes, *filter(None, [clipped]), *few, *(notes if pretrains else [])],
        labels=numbers,
        majority=_majority(rows),
        row_length=_row_length(ledger, rows),
    )


def write_draws(
    request: CompareRequest, ledger: Ledger, rows: ComparisonRows, numbers: Sequence[int]
) -> Iterator[str]:
    """Write the rows of each number and draw; yield notes on numbers that are too small for all.

    Raises:
        OutputError: a file cannot be written.
    """
    kinds = [rows.task.stratum_of(row) for row in rows.train]
    fewer = [number for number in numbers if number < len(kinds)]
    for draw in range(request.draws if fewer else 0):
        drawn = nested_draw(kinds, fewer, seed=request.seed, draw=draw)
        for number, places in drawn.items():
            some = [rows.train[place] for place in places]
            file = ledger.learned_file(Cell(number, draw, learns_all=False))
            write_rows(rows.task.objects_of(some), file)
    for number in fewer:
        if number < len(set(kinds)):
            yield (
                f"{number:,} labels cannot show each of the {len(set(kinds)):,} kinds of rows; "
                "those that a draw lacks are answered wrong"
            )


def _majority(rows: ComparisonRows) -> float | None:
    """Return the score of the most frequent answer on the held-out rows; None: there is none."""
    found = rows.task.majority(rows.train)
    if found is None:
        return None
    answers = found.answers(rows.valid)
    score = float(answers.figures(rows.valid)[answers.judged_by])
    return 0.0 if math.isnan(score) else score


def _row_length(ledger: Ledger, rows: ComparisonRows) -> float:
    """Return the mean length of the measured rows, as a multiple of that of the held-out ones.

    The time of an answer is measured by held-out rows; a test may be of longer texts.
    """
    measured, held_out = (
        ledger.rows_file(part).stat().st_size / len(rows.parts[part])
        for part in (rows.measured, "valid")
    )
    return measured / held_out


def _checked(
    request: CompareRequest,
    ledger: Ledger,
    candidates: Sequence[Candidate],
    cells: Sequence[Cell],
    text_bytes: int,
    watch: Stopwatch,
) -> Iterator[str]:
    """Yield warnings about time and room; refuse what cannot work."""
    left = request.budget_seconds - watch()
    yield from check_budget(candidates, left, request.rounds, total_weight(cells))
    rows_bytes = sum(path.stat().st_size for path in ledger.rows.iterdir())
    needed = needed_bytes(
        candidates,
        text_bytes=text_bytes,
        rows_bytes=rows_bytes,
        seconds=request.budget_seconds,
        seeds=sum(cell.is_last for cell in cells),
        rounds=request.rounds,
    )
    check_disk(ledger.path, needed)


def _leak(
    request: CompareRequest, config: CorpusConfig, rows: ComparisonRows, watch: Stopwatch
) -> Leak | None:
    """Return which rows that figures are of stand in a corpus that the user named."""
    if not request.corpus:
        return None
    until = watch() + SEARCHING_RATE * request.budget_seconds
    measured = rows.parts[rows.measured]
    corpus = Corpus([*request.corpus], config)
    return corpus_leak(measured, corpus, rows.measured, lambda: watch() > until)


def kept_plan(request: CompareRequest, plan: Plan, folder: Path) -> Plan:
    """Return the plan that a resumed comparison began with.

    Raises:
        SettingError: it began with another request, or with other files.
    """
    check_same(folder, plan.request, request.kept())
    if plan.content != request.content():
        raise SettingError(message("files.comparison.changed", folder=folder))
    return plan


def _corpus(
    request: CompareRequest, config: CorpusConfig, ledger: Ledger, rows: ComparisonRows
) -> tuple[tuple[str, ...], list[str]]:
    """Return the files to pretrain on, and a note on the texts of the rows.

    Those come first: nothing else is as close to what the model will read, and a budget may be too
    short for all of a corpus.
    """
    if request.corpus and not _takes_json_lines(config):
        return request.corpus, []
    texts = str(rows.write_texts(ledger.rows, config.column))
    number = number_of("row", len(rows.train))
    if request.corpus:
        return (texts, *request.corpus), [message("findings.status.with_corpus", rows=number)]
    return (texts,), [message("findings.status.no_corpus", rows=number)]


def _takes_json_lines(config: CorpusConfig) -> bool:
    """Whether a file of ours can be read by the settings of the user's corpus."""
    return config.format in ("auto", "jsonl") and config.encoding.lower() in UTF_8
