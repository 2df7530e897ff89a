"""Few labels: what ``auto`` learns from them and from texts without labels, beside others.

Of each data set the texts to learn from are the text without labels; labels are drawn stratified
and nested; the same test rows are answered throughout. Vectors are pretrained once for a data set
with the settings of ``auto``, which does so in each run. `FORETEXT_SETS`, `FORETEXT_LABELS` and
`FORETEXT_DRAWS` choose less.

The questions are those of SQuAD without their first word, which is to be found: what, who, how,
when, which, where or why. Each is there as often as the rarest. Of the pairs of mrpc ``auto``
learns what both texts share; all 1,725 test pairs are answered.
"""

from __future__ import annotations

import csv
import json
import lzma
import os
import random
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Row, data_folder, work_folder

PACKAGES = ("foretext", "scikit-learn", "numpy", "numba")
LABELS = (20, 50, 100, 200, 500, 1000)
TEST_ROWS, MOST_UNLABELLED = 1000, 75_000
TEST_PAIRS = 1725
PENALTIES = 11  # that are chosen from, 0.01 to 1000
FIRST_WORDS = ("what", "who", "how", "when", "which", "where", "why")

Texts = Sequence[Any]  # or pairs of texts
Answers = Callable[[Texts, Texts], Any]  # texts with labels, to the labels of test texts


class LabelledSet(NamedTuple):
    """A data set: rows to draw from, rows to test on, and texts without labels."""

    train: list[tuple[Any, str]]  # texts, or pairs of texts
    test: list[tuple[Any, str]]
    texts: list[str]
    of_pairs: bool = False


def _lines(name: str) -> Iterator[str]:
    with lzma.open(data_folder() / name, "rt", encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n")


def _imdb() -> LabelledSet:
    parts = [
        [(line.split("\t")[2], line.split("\t")[0]) for line in _lines(f"imdb/{part}.tsv.xz")]
        for part in ("train", "test")
    ]
    texts = [*(text for text, _ in parts[0]), *_lines("imdb/unsup.txt.xz")]
    return LabelledSet(parts[0], parts[1], texts)


def _r8() -> LabelledSet:
    parts = [
        [(line.split("\t", 1)[1], line.split("\t", 1)[0]) for line in _lines(f"r8/{part}.txt.xz")]
        for part in ("train", "test")
    ]
    return LabelledSet(parts[0], parts[1], [text for text, _ in parts[0]])


def _ag_news() -> LabelledSet:
    parts = []
    for part in ("train_subset", "test"):
        rows = list(csv.reader(_lines(f"ag_news/{part}.csv.xz")))
        parts.append([(" ".join(row[1:]), row[0]) for row in rows if row[0].isdigit()])
    return LabelledSet(parts[0], parts[1], [text for text, _ in parts[0]])


def _tnews() -> LabelledSet:
    parts = []
    for part in ("train", "test"):
        rows = [json.loads(line) for line in _lines(f"tnews/{part}.json.xz")]
        parts.append([(row["sentence"], row["label_desc"]) for row in rows])
    return LabelledSet(parts[0], parts[1], [text for text, _ in parts[0]])


def _questions() -> LabelledSet:
    parts = []
    for part in ("train-v1.1.rebuilt", "dev-v1.1"):
        content = json.loads("\n".join(_lines(f"squad/{part}.json.xz")))
        parts.append(
            [
                (words[1], words[0].lower())
                for article in content["data"]
                for paragraph in article["paragraphs"]
                for question in paragraph["qas"]
                if len(words := question["question"].strip().split(" ", 1)) == 2
                and words[0].lower() in FIRST_WORDS
            ]
        )
    texts = [text for text, _ in parts[0]]
    return LabelledSet(_even(parts[0]), _even(parts[1]), texts)


def _even(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return as many rows of each label as the rarest has."""
    rarest = min(Counter(label for _, label in rows).values())
    drawn, seen = [], Counter[str]()
    for text, label in random.Random(0).sample(rows, len(rows)):
        seen[label] += 1
        drawn += [(text, label)] if seen[label] <= rarest else []
    return drawn


def _mrpc() -> LabelledSet:
    from foretext.data.rows import PairsConfig, read_pairs

    columns = PairsConfig(text_a="#1 String", text_b="#2 String", label="Quality")
    parts = []
    for part in ("train.txt.xz", "test.txt"):
        rows = read_pairs(data_folder() / "mrpc" / f"msr_paraphrase_{part}", columns)
        parts.append([((row.text_a, row.text_b), str(row.label)) for row in rows])
    return LabelledSet(parts[0], parts[1], [], of_pairs=True)


SETS = {
    "imdb": _imdb, "r8": _r8, "ag_news": _ag_news, "tnews": _tnews, "questions": _questions,
    "mrpc": _mrpc,
}  # fmt: skip


class Remembering:
    """An embedder that embeds each text once: draws share texts without labels and test rows."""

    def __init__(self, model: Any) -> None:
        self.model, self.known = model, dict[tuple[str, str], NDArray[Any]]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def embed(self, texts: Texts, progress: Any = None, **options: Any) -> NDArray[Any]:
        """Return the vectors of texts, (N, D)."""
        how = repr(sorted(options.items()))
        new = [text for text in dict.fromkeys(texts) if (text, how) not in self.known]
        if new:
            vectors = self.model.embed(new, **options)
            self.known |= {(text, how): each for text, each in zip(new, vectors, strict=True)}
        return np.array([self.known[text, how] for text in texts])


def nested_draws(labels: Sequence[str], seed: int) -> NDArray[np.int64]:
    """Return an order of rows whose beginnings are stratified: each has the labels' shares."""
    rng, codes = np.random.default_rng(seed), np.unique(labels, return_inverse=True)[1]
    keys = np.empty(len(codes))
    for code in np.unique(codes):
        own = rng.permutation(np.flatnonzero(codes == code))
        keys[own] = (np.arange(len(own)) + rng.random()) / len(own)
    return np.argsort(keys, kind="stable")


def pretrained(name: str, texts: Texts) -> dict[str, Remembering]:
    """Return vectors that are pretrained on texts as ``auto`` does it."""
    from foretext import load, pretrain
    from foretext.finetuning.auto import PRETRAINED, usual_settings

    path = work_folder() / f"few-labels-{name}.jsonl"
    if not path.is_file():
        lines = [json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts]
        path.write_text("".join(lines), encoding="utf-8")
    found = {}
    for recipe in PRETRAINED["classification"]:
        run = work_folder() / f"few-labels-{name}-{recipe}"
        if not (run / "config.json").is_file():
            settings = usual_settings(path.stat().st_size)
            pretrain(recipe, path, run, settings=settings, overwrite=True)
        found[recipe] = Remembering(load(run))
    return found


def candidates(known: LabelledSet, name: str) -> dict[str, Answers]:
    """Return what learns from texts with labels, by name; each answers the test texts."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.semi_supervised import SelfTrainingClassifier

    import foretext as ft

    test = [text for text, _ in known.test]
    bases = pretrained(name, known.texts)
    texts = random.Random(0).sample(known.texts, min(len(known.texts), MOST_UNLABELLED))

    def words(own: Texts, labels: Texts) -> Any:
        return ft.LinearClassifier().fit(own, labels).predict(test)

    def auto(own: Texts, labels: Texts) -> Any:
        model = ft.EmbeddingClassifier([*bases.items()]).fit(own, labels, unlabelled=texts)
        return model.predict(test)

    def single(base: str) -> Answers:
        def answers(own: Texts, labels: Texts) -> Any:
            model = ft.EmbeddingClassifier([(base, bases[base])], words=False)
            return model.fit(own, labels).predict(test)

        return answers

    def fasttext(own: Texts, labels: Texts) -> Any:
        return ft.FastTextClassifier().fit(own, labels).predict(test)

    def self_training(own: Texts, labels: Texts) -> Any:
        more = texts[:8000]
        by = (
            {"analyzer": "char", "ngram_range": (1, 3)}
            if name == "tnews"
            else {"ngram_range": (1, 2)}
        )
        vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2, **by).fit([*own, *more])
        names = sorted(set(labels))
        places = [names.index(label) for label in labels] + [-1] * len(more)
        learned = SelfTrainingClassifier(LogisticRegression(C=10, max_iter=500))
        learned.fit(vectorizer.transform([*own, *more]), places)
        return [names[place] for place in learned.predict(vectorizer.transform(test))]

    return {
        "auto": auto,
        "TF-IDF": words,
        **{base: single(base) for base in bases},
        "fastText": fasttext,
        "scikit-learn, self-training": self_training,
    }


def pair_candidates(known: LabelledSet) -> dict[str, Answers]:
    """Return what learns from pairs with labels, by name; each answers the test pairs."""
    from scipy.sparse import hstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    import foretext as ft
    from foretext.data.overlap_features import OverlapFeatures

    test = [pair for pair, _ in known.test]

    def auto(own: Texts, labels: Texts) -> Any:
        return ft.LinearMatcher().fit(own, labels).predict(test)

    def cross_validated(own: Texts, labels: Texts) -> Any:
        overlap = OverlapFeatures.for_texts(own)
        grid = np.logspace(-2, 3, PENALTIES)
        learner = LogisticRegressionCV(
            Cs=grid, cv=5, scoring="neg_log_loss", max_iter=1000, l1_ratios=(0.0,),
            use_legacy_attributes=False,
        )  # fmt: skip
        learned = make_pipeline(StandardScaler(), learner).fit(overlap.matrix(own), labels)
        return learned.predict(overlap.matrix(test))

    def words(own: Texts, labels: Texts) -> Any:
        vectorizer = TfidfVectorizer(sublinear_tf=True).fit([text for pair in own for text in pair])

        def features(pairs: Texts) -> Any:
            first, second = (vectorizer.transform(part) for part in zip(*pairs, strict=True))
            return hstack([abs(first - second), first.multiply(second)])

        learned = LogisticRegression(C=10, max_iter=1000).fit(features(own), labels)
        return learned.predict(features(test))

    return {
        "auto": auto,
        "overlaps, penalty by cross-validation": cross_validated,
        "scikit-learn, TF-IDF of both": words,
    }


def measured(name: str, sizes: Sequence[int | None], draws: int) -> Iterator[dict[str, Any]]:
    """Yield the accuracy of each candidate by number of labels and draw; a file keeps them."""
    known = SETS[name]()
    random.Random(0).shuffle(known.train)
    num_test = TEST_PAIRS if known.of_pairs else TEST_ROWS
    test = random.Random(1).sample(known.test, min(num_test, len(known.test)))
    known = known._replace(test=test)
    right = [label for _, label in test]
    path = work_folder() / f"few-labels-{name}-cells.jsonl"
    cells = [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []
    done = {(cell["name"], cell["labels"], cell["draw"]) for cell in cells}
    yield from cells
    learners = pair_candidates(known) if known.of_pairs else candidates(known, name)
    labels = [label for _, label in known.train]
    for size in sizes:
        for draw in range(draws if size else 1):
            order = nested_draws(labels, draw)[: size or len(labels)]
            own = [known.train[row] for row in order]
            for learner, answers in learners.items():
                if (learner, size, draw) in done:
                    continue
                found = answers([text for text, _ in own], [label for _, label in own])
                score = float(np.mean([a == b for a, b in zip(found, right, strict=True)]))
                cell = {"name": learner, "labels": size, "draw": draw, "score": score}
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(cell) + "\n")
                yield cell


def rows() -> Iterator[Row]:
    """Yield a line for each data set, number of labels and peer."""
    names = os.environ.get("FORETEXT_SETS", ",".join(SETS)).split(",")
    chosen = os.environ.get("FORETEXT_LABELS", ",".join(map(str, LABELS)) + ",all").split(",")
    sizes = [None if each == "all" else int(each) for each in chosen]
    draws = int(os.environ.get("FORETEXT_DRAWS", "5"))
    for name in names:
        cells = list(measured(name, sizes, draws))
        for size in sizes:
            own = [cell for cell in cells if cell["labels"] == size]
            means = {
                peer: statistics.mean(cell["score"] for cell in own if cell["name"] == peer)
                for peer in dict.fromkeys(cell["name"] for cell in own)
            }
            work = f"{name}, {size or 'all'} labels"
            for peer, score in means.items():
                if peer != "auto":
                    yield Row(work, peer, f"{means['auto']:.3f}", f"{score:.3f}")
