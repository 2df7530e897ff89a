"""The files that the README's systems learn from, in Chinese."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

__all__ = ["IN_CHINESE", "write_chinese"]

IN_CHINESE = {  # what the README's commands say
    "ship": "轮船",
    "the captain": "船长",
    "the ship in the [MASK]": "轮船在海[MASK]航行",
}
TOPICS = {
    "sea": ("轮船", "港口", "船长", "海浪", "水手", "灯塔"),
    "farm": ("农民", "牧场", "小麦", "拖拉机", "奶牛", "果园"),
    "court": ("法官", "律师", "法院", "证人", "判决", "被告"),
}
PATTERNS = ("{}和{}在{}旁边。", "我们看见{}的{}，还有{}。", "昨天{}离开了{}，今天{}来了。")


def write_chinese(folder: Path) -> None:
    """Write them all into `folder`."""
    rng = np.random.default_rng(0)
    texts = [_text(rng, list(TOPICS)[row % 3]) for row in range(600)]
    (folder / "corpus.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    (folder / "queries.txt").write_text("轮船在港口。\n法官和律师。\n", encoding="utf-8")
    rows = (f"{list(TOPICS)[row % 3]},{text}\n" for row, text in enumerate(texts[:120]))
    (folder / "train.csv").write_text("".join(["label,text\n", *rows]), encoding="utf-8")
    (folder / "tagged.txt").write_text("\n".join(map(_tagged, texts[:60])), encoding="utf-8")
    (folder / "questions.jsonl").write_text("".join(map(_asked, texts[:60])), encoding="utf-8")
    (folder / "asked.tsv").write_text("船长在哪里？\t船长和水手在港口旁边。\n", encoding="utf-8")
    pairs = (f"{text}\t{row % 3} {len(text)} ships\n" for row, text in enumerate(texts[:60]))
    (folder / "translations.tsv").write_text(
        "".join(["source\ttarget\n", *pairs]), encoding="utf-8"
    )


def _text(rng: np.random.Generator, topic: str) -> str:
    return PATTERNS[rng.integers(len(PATTERNS))].format(*rng.choice(TOPICS[topic], 3))


def _asked(text: str) -> str:
    """A question on the word that stands last in a text."""
    words = [word for topic in TOPICS.values() for word in topic if word in text]
    start, word = max((text.rindex(word), word) for word in words)
    answer = {"text": word, "answer_start": start}
    row = {"question": "最后有什么？", "context": text, "answers": [answer]}
    return json.dumps(row, ensure_ascii=False) + "\n"


def _tagged(text: str) -> str:
    """A character and its tag a line: whether it is of the sea."""
    tags = {character: "B-SEA" for word in TOPICS["sea"] for character in word}
    return "".join(f"{character} {tags.get(character, 'O')}\n" for character in text)
