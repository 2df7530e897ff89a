"""The small files that every document finds in the folder its blocks run in.

A language of six topics, whose words have known neighbours, so that what a document says of its
results can be true:

    corpus.txt            3,000 documents, one a line
    corpus/one.txt two.txt    the same in two halves
    pairs.tsv             word pairs with the scores of people
    questions-words.txt   analogy questions
    queries.txt           texts to embed, one a line
    digits.npy            600 written digits, (600, 8, 8) uint8
    train.csv valid.csv test.csv    texts on the sea, the farm and the court, with labels
    numbers.tsv           texts, each with the share of its words that belong to one topic
    translations.tsv      texts, and what becomes of them: their words in capitals, backwards
    questions.jsonl       questions on texts, with their answers
    asked.tsv             questions and texts that hold their answers
    tagged.txt            a word and its tag a line: of which topic it is, if of any
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests.vectors.texts import GLUE, TOPICS

__all__ = ["write_prepared"]

NUM_DOCUMENTS = 3_000
LENGTH = 20  # words of a document
MORE_TOPICS = (
    "king queen prince princess throne crown castle royal knight duke",
    "man woman boy girl son daughter father mother brother sister",
    "paris france berlin germany rome italy madrid spain city country",
)
PAIRS = """\
king\tqueen\t9.1
man\twoman\t8.8
ship\tharbour\t7.9
paris\tfrance\t8.2
king\ttide\t1.2
mother\tanchor\t0.9
captain\tspain\t2.0
castle\tsister\t1.7
"""
QUESTIONS = """\
: family
man woman king queen
boy girl son daughter
: capitals
paris france berlin germany
rome italy madrid spain
"""
QUERIES = "the king and the queen\na ship in the harbour\n"


def write_prepared(folder: Path) -> None:
    """Write them all into `folder`."""
    lines = _documents()
    (folder / "corpus").mkdir()
    (folder / "corpus.txt").write_text("".join(lines), encoding="utf-8")
    for name, part in (("one", lines[::2]), ("two", lines[1::2])):
        (folder / "corpus" / f"{name}.txt").write_text("".join(part), encoding="utf-8")
    (folder / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    (folder / "questions-words.txt").write_text(QUESTIONS, encoding="utf-8")
    (folder / "queries.txt").write_text(QUERIES, encoding="utf-8")
    from sklearn.datasets import load_digits  # which loads for a second

    np.save(folder / "digits.npy", np.uint8(load_digits().images[:600] * 15.9))
    for seed, (name, size) in enumerate((("train", 600), ("valid", 100), ("test", 100))):
        (folder / f"{name}.csv").write_text(_labelled(size, seed), encoding="utf-8")
    (folder / "translations.tsv").write_text(_translated(60), encoding="utf-8")
    (folder / "tagged.txt").write_text(_tagged(200), encoding="utf-8")
    (folder / "questions.jsonl").write_text(_questions(60), encoding="utf-8")
    (folder / "asked.tsv").write_text("what follows the ship\tthe ship sails\n", encoding="utf-8")
    (folder / "numbers.tsv").write_text(_numbered(200), encoding="utf-8")


def _documents() -> list[str]:
    rng = np.random.default_rng(0)
    topics = [*TOPICS.values(), *(words.split() for words in MORE_TOPICS)]
    return [_document(topics[rng.integers(len(topics))], rng) for _ in range(NUM_DOCUMENTS)]


def _translated(size: int) -> str:
    texts = [" ".join(line.split()[:6]) for line in _documents()[:size]]
    rows = (f"{text}\t{' '.join(reversed(text.upper().split()))}\n" for text in texts)
    return "".join(["source\ttarget\n", *rows])


def _questions(size: int) -> str:
    """The answer is the word that follows one of the text."""
    rows = []
    for line in _documents()[:size]:
        words = line.split()[:6]
        context, start = " ".join(words), len(" ".join(words[:3])) + 1
        question, answer = f"what follows {words[2]}", {"text": words[3], "answer_start": start}
        rows.append({"question": question, "context": context, "answers": [answer]})
    return "".join(json.dumps(row) + "\n" for row in rows)


def _tagged(size: int) -> str:
    tags = {word: f"B-{name.upper()}" for name, words in TOPICS.items() for word in words}
    rng = np.random.default_rng(3)
    texts = [_document(list(TOPICS.values())[number % len(TOPICS)], rng) for number in range(size)]
    return "\n".join(
        "".join(f"{word} {tags.get(word, 'O')}\n" for word in text.split()) for text in texts
    )


def _numbered(size: int) -> str:
    rng = np.random.default_rng(4)
    first, second, *_ = TOPICS.values()
    texts = [_document(first if number % 2 else second, rng).strip() for number in range(size)]
    shares = [sum(word in first for word in text.split()) / LENGTH for text in texts]
    rows = (f"{text}\t{share}\n" for text, share in zip(texts, shares, strict=True))
    return "".join(["text\tnumber\n", *rows])


def _labelled(size: int, seed: int) -> str:
    rng = np.random.default_rng(seed)
    labels = [list(TOPICS)[rng.integers(len(TOPICS))] for _ in range(size)]
    rows = (f"{label},{_document(TOPICS[label], rng)}" for label in labels)
    return "".join(["label,text\n", *rows])


def _document(words: list[str], rng: np.random.Generator) -> str:
    drawn = [
        GLUE[rng.integers(len(GLUE))] if rng.random() < 0.3 else words[rng.integers(len(words))]
        for _ in range(LENGTH)
    ]
    return " ".join(drawn) + "\n"
