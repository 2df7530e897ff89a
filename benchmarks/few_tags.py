"""Few labelled sentences: what ``auto`` learns of tags from them and from texts, beside others.

The sentences to learn from, without their tags, and some Wikipedia are the text without labels;
vectors are pretrained once for a data set, with the settings of ``auto``, which does so in each
run. Draws are nested: 50 sentences contain the 20. The figure is the F1 of entities on the same
1,000 test sentences. `FORETEXT_SETS`, `FORETEXT_LABELS` and `FORETEXT_DRAWS` choose less;
`FORETEXT_PEERS` names other candidates than the usual ones, such as ``network``: what ``auto``
learns of many sentences.
"""

from __future__ import annotations

import json
import lzma
import os
import random
import statistics
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
USUAL = ("auto", "without vectors", "CRFsuite")
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
    path.write_text("".join(lines), encoding="utf-8")
    return path


def pretrained(recipe: str, name: str, train: Sequence[Any]) -> Path:
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


def candidates(name: str, train: Sequence[Any], test: Sequence[Any]) -> dict[str, Answers]:
    """Return what learns from tagged sentences, by name; each tags the test sentences."""
    import foretext as ft
    from foretext.finetuning.auto import OF_CHAIN, PRETRAINED, TAGGER

    asked = [row.tokens for row in test]

    def chain(vectors: Any) -> Answers:
        def answers(own: Sequence[Any]) -> Tags:
            model = ft.LinearTagger(vectors).fit_rows(own)
            return [[*map(str, tags)] for tags in model.predict(asked)]

        return answers

    def auto(own: Sequence[Any]) -> Tags:
        return chain(str(pretrained(OF_CHAIN[0], name, train)))(own)

    def network(own: Sequence[Any]) -> Tags:
        vectors = pretrained(PRETRAINED["tagging"][0], name, train)
        given = [([*row.tokens], [*row.tags]) for row in own]
        settings: dict[str, Any] = {
            "backbone": {"name": TAGGER},
            "finetuning": {"baseline": False},
        }
        model = ft.finetune("tagging", vectors, given, settings=settings, quiet=True)
        return [[*map(str, tags)] for tags in model.predict(asked)]

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
            return [tagger.tag(named_features(each, by_character=by_character)) for each in asked]

    return {
        "auto": auto, "without vectors": chain(None), "CRFsuite": crfsuite, "network": network,
    }  # fmt: skip


def measured(
    name: str, sizes: Sequence[int | None], draws: int, peers: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield the F1 of each candidate by number of sentences and draw; a file keeps them."""
    from foretext.metrics import tagging_scores

    train, test = _sentences(SETS[name].train), _sentences(SETS[name].test)[:TEST_SENTENCES]
    right = [[*row.tags] for row in test]
    path = work_folder() / f"few-tags-{name}-cells.jsonl"
    cells = [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []
    done = {(cell["name"], cell["labels"], cell["draw"]) for cell in cells}
    yield from cells
    learners = candidates(name, train, test)
    for size in sizes:
        for draw in range(draws if size else 1):
            own = random.Random(draw).sample(train, len(train))[: size or len(train)]
            for peer in peers:
                if (peer, size, draw) in done:
                    continue
                began = time.monotonic()
                found = learners[peer](own)
                cell = {
                    "name": peer, "labels": size, "draw": draw,
                    "score": float(tagging_scores(right, found).f1),
                    "seconds": round(time.monotonic() - began, 1),
                }  # fmt: skip
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(cell) + "\n")
                yield cell


def rows() -> Iterator[Row]:
    """Yield a line for each data set, number of sentences and peer."""
    names = os.environ.get("FORETEXT_SETS", ",".join(SETS)).split(",")
    chosen = os.environ.get("FORETEXT_LABELS", ",".join(map(str, SENTENCES))).split(",")
    sizes = [None if each == "all" else int(each) for each in chosen]
    draws = int(os.environ.get("FORETEXT_DRAWS", "5"))
    peers = os.environ.get("FORETEXT_PEERS", ",".join(USUAL)).split(",")
    for name in names:
        cells = list(measured(name, sizes, draws, peers))
        for size in sizes:
            own = [cell for cell in cells if cell["labels"] == size]
            scores = {
                peer: [cell["score"] for cell in own if cell["name"] == peer]
                for peer in dict.fromkeys(cell["name"] for cell in own)
            }
            ours = statistics.mean(scores.pop("auto")) if "auto" in scores else None
            work = f"{name}, {size or 'all'} sentences, F1"
            for peer, found in scores.items():
                mean = f"{statistics.mean(found):.3f}"
                yield Row(work, peer, "" if ours is None else f"{ours:.3f}", mean)
