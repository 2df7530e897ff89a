"""How the files beside this one were made, with the program itself (``pip install fasttext``)."""

from __future__ import annotations

import json
from pathlib import Path

import fasttext

HERE = Path(__file__).parent
TEXT = "the naïve banana sang to 北京 while the bananas went on singing in 東京\n"
LABELLED = "__label__sea the ship sails\n__label__farm the cow eats\n"
ASKED = ["the", "naïve", "banana", "北京", "</s>", "bananarama", "singer", "東北", "tönung", "a"]


def main() -> None:
    text = HERE / "text.txt"
    text.write_text(TEXT * 20, encoding="utf-8")
    model = fasttext.train_unsupervised(
        str(text), dim=4, bucket=20, minn=3, maxn=4, minCount=1, epoch=3, thread=12, verbose=0
    )
    model.save_model(str(HERE / "skipgram.bin"))
    expected = {"words": model.words, "skipgram": vectors_of(model)}
    text.write_text(LABELLED * 20, encoding="utf-8")
    model = fasttext.train_supervised(
        str(text), dim=4, bucket=20, wordNgrams=2, minCount=1, epoch=3, thread=12, verbose=0
    )
    model.save_model(str(HERE / "supervised.bin"))
    expected["supervised"] = {word: model.get_word_vector(word).tolist() for word in model.words}
    text.unlink()
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


def vectors_of(model: fasttext.FastText) -> dict[str, list[float]]:
    return {word: model.get_word_vector(word).tolist() for word in ASKED}


if __name__ == "__main__":
    main()
