"""Few labelled sentences: taggers of ``auto``, which also learns from texts, beside others.

The sentences to learn from, without their tags, and some Wikipedia are the text without labels;
vectors are pretrained once for a data set, with the settings of ``auto``, which does so in each
run. Draws are nested: 50 sentences contain the 20. The figure is the F1 of entities on the same
1,000 test sentences, the mean of the draws that ``auto`` and the peer both have.

`FORETEXT_SETS`, `FORETEXT_LABELS` and `FORETEXT_DRAWS` choose less; `FORETEXT_PEERS` names other
candidates than the usual ones, such as ``chain`` and ``network``: those that ``auto`` learns from
few and from many sentences. A file keeps what was measured; another version of foretext, and other
constants of this file, measure anew.
"""

from __future__ import annotations

import json
import lzma
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.harness import Row, data_folder, work_folder

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "python-crfsuite", "numpy", "numba")
SENTENCES = (20, 50, 100, 200, 500, 1000)
TEST_SENTENCES = 1000
PEERS = ("auto", "without vectors", "CRFsuite", "chain", "network")
USUAL = PEERS[:3]
PENALTY = 1 / 6  # c2 of CRFsuite, as of ours, whose inverse penalty is 3
PASSES = 200

Tags = list[list[str]]
Answers = Callable[[Sequence[Any]], Tags]  # tagged sentences, to the tags of the test sentences


class TaggedSet(NamedTuple):
    """A data set, and how much text of a Wikipedia is read beside its sentences."""

    train: str
    test: str
    wiki: str
    wiki_bytes: int


SETS = {
    "conll2003": TaggedSet(
        "conll2003/eng.train.xz", "conll2003/eng.testb", "enwiki/enwiki.txt.xz", 30_000_000
    ),
    "msra_ner": TaggedSet(
        "msra_ner/msra.train.txt.xz", "msra_ner/msra.test.txt.xz", "zhwiki/zhwiki.txt.xz",
        30_000_000,
    ),
}  # fmt: skip


def _sentences(name: str) -> list[Any]:
    """Return sentences with tags of one scheme, shuffled."""
    from foretext.data.rows import TaggedConfig, read_tagged
    from foretext.tasks.tagging.rows import in_own_notation

    found = [*in_own_notation(read_tagged(data_folder() / name, TaggedConfig()))]
    random.Random(0).shuffle(found)
    return found


def _texts(name: str, train: Sequence[Any]) -> Path:
    """Return the file of the text without labels; it is written once."""
    from foretext.base.files import atomic_file
    from foretext.tasks.task import task_named

    path = work_folder() / f"few-tags-{name}.jsonl"
    if path.is_file():
        return path
    texts, read = list[str](), 0
    with lzma.open(data_folder() / SETS[name].wiki, "rt", encoding="utf-8") as file:
        for line in file:
            read += len(line.encode())
            texts += [line.strip()] if line.strip() else []
            if read >= SETS[name].wiki_bytes:
                break
    texts += task_named("tagging").texts(train).running
    lines = [json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts]
    with atomic_file(path) as temporary:
        temporary.write_text("".join(lines), encoding="utf-8")
    return path


def _pretrained(recipe: str, name: str, train: Sequence[Any]) -> Path:
    """Return the run of vectors that are pretrained as ``auto`` does it."""
    from foretext import pretrain
    from foretext.finetuning.auto import usual_settings
    from foretext.tasks.task import task_named

    run, path = work_folder() / f"few-tags-{name}-{recipe}", _texts(name, train)
    if not (run / "config.json").is_file():
        settings = usual_settings(path.stat().st_size)
        settings["tokenizer"] |= task_named("tagging").texts(train).running_settings()
        pretrain(recipe, path, run, settings=settings, resume=(run / "recipe.toml").is_file())
    return run


def _candidates(name: str, train: Sequence[Any], test: Sequence[Any]) -> dict[str, Answers]:
    """Return what learns from tagged sentences, by name; each tags the test sentences."""
    import foretext as ft
    from foretext.finetuning.auto import MANY_SENTENCES, OF_CHAIN, PRETRAINED, TAGGER

    tokens = [row.tokens for row in test]

    def over(vectors: Any) -> Answers:
        def answers(own: Sequence[Any]) -> Tags:
            model = ft.LinearTagger(vectors).fit_rows(own)
            return [[*map(str, tags)] for tags in model.predict(tokens)]

        return answers

    def chain(own: Sequence[Any]) -> Tags:
        return over(str(_pretrained(OF_CHAIN[0], name, train)))(own)

    def network(own: Sequence[Any]) -> Tags:
        vectors = _pretrained(PRETRAINED["tagging"][0], name, train)
        given = [([*row.tokens], [*row.tags]) for row in own]
        settings: dict[str, Any] = {
            "backbone": {"name": TAGGER},
            "finetuning": {"baseline": False},
        }
        model = ft.finetune("tagging", vectors, given, settings=settings, quiet=True)
        return [[*map(str, tags)] for tags in model.predict(tokens)]

    def auto(own: Sequence[Any]) -> Tags:
        return chain(own) if len(own) <= MANY_SENTENCES else network(own)

    def crfsuite(own: Sequence[Any]) -> Tags:
        import pycrfsuite

        from foretext.tasks.tagging.linear_features import named_features
        from foretext.tasks.tagging.rows import are_characters

        by_character = are_characters(own)
        trainer = pycrfsuite.Trainer(verbose=False)
        for row in own:
            trainer.append(named_features(row.tokens, by_character=by_character), [*row.tags])
        trainer.set_params({"c1": 0.0, "c2": PENALTY, "max_iterations": PASSES})
        with TemporaryDirectory() as folder:
            trainer.train(str(Path(folder, "model")))
            tagger = pycrfsuite.Tagger()
            tagger.open(str(Path(folder, "model")))
            return [tagger.tag(named_features(each, by_character=by_character)) for each in tokens]

    every = (auto, over(None), crfsuite, chain, network)
    return dict(zip(PEERS, every, strict=True))


def _kept(path: Path, made_by: list[Any]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return the cells that a file has, of this version and these constants.

    Args:
        path: a line for each cell, the last one cut short where a run was killed.
        made_by: version and constants.
    """
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        try:
            cell = json.loads(line)
        except json.JSONDecodeError:
            continue
        if cell.get("made_by") == made_by:
            found[cell["name"], cell["labels"], cell["draw"]] = cell
    return found


def _measured(
    name: str, sizes: Sequence[int | None], draws: int, peers: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield the F1 of each candidate by number of sentences and draw; a file keeps them."""
    import foretext as ft
    from foretext.metrics import tagging_scores

    train, test = _sentences(SETS[name].train), _sentences(SETS[name].test)[:TEST_SENTENCES]
    right = [[*row.tags] for row in test]
    path = work_folder() / f"few-tags-{name}-cells.jsonl"
    made_by = [ft.__version__, TEST_SENTENCES, PENALTY, PASSES, SETS[name].wiki_bytes]
    kept = _kept(path, made_by)
    learners = _candidates(name, train, test)
    for size in sizes:
        for draw in range(draws if size else 1):
            own = random.Random(draw).sample(train, len(train))[: size or len(train)]
            for peer in peers:
                if (peer, size, draw) in kept:
                    yield kept[peer, size, draw]
                    continue
                began = time.monotonic()
                found = learners[peer](own)
                cell = {
                    "name": peer, "labels": size, "draw": draw,
                    "score": float(tagging_scores(right, found).f1),
                    "seconds": round(time.monotonic() - began, 1), "made_by": made_by,
                }  # fmt: skip
                with path.open("a", encoding="utf-8") as file:
                    file.write("\n" + json.dumps(cell) + "\n")  # behind a line that was cut short
                yield cell


def _row(work: str, peer: str, cells: Sequence[dict[str, Any]]) -> Row:
    """Return the means of `auto` and of a peer over the draws that both have.

    Args:
        work: of the row.
        peer: beside `auto`.
        cells: with one number of sentences.
    """
    scores, ours = (
        {cell["draw"]: cell["score"] for cell in cells if cell["name"] == each}
        for each in (peer, "auto")
    )
    draws = sorted(scores.keys() & ours.keys() if ours else scores)
    of_auto, of_peer = (
        f"{statistics.mean(own[draw] for draw in draws):.3f}" if own else ""
        for own in (ours, scores)
    )
    counted = f"{len(draws)} draw{'s' * (len(draws) != 1)}"
    return Row(f"{work}, {counted}", peer, of_auto, "" if peer == "auto" else of_peer)


def rows() -> Iterator[Row]:
    """Yield a line for each data set, number of sentences and peer."""
    names = os.environ.get("FORETEXT_SETS", ",".join(SETS)).split(",")
    chosen = os.environ.get("FORETEXT_LABELS", ",".join(map(str, SENTENCES))).split(",")
    sizes = [None if each == "all" else int(each) for each in chosen]
    draws = int(os.environ.get("FORETEXT_DRAWS", "5"))
    peers = os.environ.get("FORETEXT_PEERS", ",".join(USUAL)).split(",")
    if unknown := [peer for peer in peers if peer not in PEERS]:
        sys.exit(f"FORETEXT_PEERS: there is no {unknown[0]!r}; take of {', '.join(PEERS)}.")
    for name in names:
        cells = list(_measured(name, sizes, draws, peers))
        for size in sizes:
            own = [cell for cell in cells if cell["labels"] == size]
            for peer in [each for each in peers if each != "auto"] or ["auto"]:
                yield _row(f"{name}, {size or 'all'} sentences, F1", peer, own)
