"""Corpora with everything that a cleaning drops, and what it left in a folder."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import zstandard

__all__ = ["CHINESE", "contents", "kept_rows", "rows_of", "sentence", "write_corpus"]

NOUN = "harbour ship captain sailor wave storm rope anchor island market letter river"
VERB = "finds leaves carries remembers watches repairs follows sells paints describes"
NOUNS, VERBS = NOUN.split(), VERB.split()
CHINESE = (
    "北京是中华人民共和国的首都，也是全国的政治和文化中心。这座城市有三千多年的历史，有许多著名的建筑。"
    "每年都有很多人来到这里，了解古老的故事，不少人在这里学习和工作。春天的时候，公园里的花都开了，"
    "大家在湖边散步、唱歌、下棋，生活得很愉快。"
)


def sentence(draw: random.Random) -> str:
    """A sentence with stop words in it."""
    first, second, third = draw.sample(NOUNS, 3)
    number = draw.randrange(10_000)
    return (
        f"The {first} of the {second} {draw.choice(VERBS)} that {third} number {number} "
        f"with a {draw.choice(NOUNS)} and the {draw.choice(NOUNS)}."
    )


def write_corpus(path: Path, num_documents: int = 60) -> Path:
    """Write documents with empty lines between them: good, repeated, nearly so, short, Chinese."""
    draw = random.Random(1)
    documents: list[str] = []
    for number in range(num_documents):
        lines = [" ".join(sentence(draw) for _ in range(2)) for _ in range(3)]
        if number % 10 == 3:
            lines = documents[number // 2].split("\n")
        elif number % 10 == 5:
            lines = [*documents[number - 1].split("\n")]
            lines[-1] += " It ends."
        elif number % 10 == 7:
            lines = ["too short", f"a title {number}"]
        elif number % 10 == 9:
            lines = [f"{CHINESE}编号{number}。"]
        documents.append("\n".join(lines))
    path.write_text("\n\n".join(documents) + "\n", encoding="utf-8")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    """What a cleaning left, but for times and pages."""
    files = [*(folder / "kept").iterdir(), folder / "dropped.jsonl"]
    return {path.name: path.read_bytes() for path in files}


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    data = path.read_bytes()
    if path.suffix == ".zst":
        data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
    return [json.loads(line) for line in data.decode().split("\n")[:-1]]


def kept_rows(folder: Path) -> list[dict[str, Any]]:
    """The rows of the clean corpus."""
    return [row for path in sorted((folder / "kept").iterdir()) for row in rows_of(path)]
