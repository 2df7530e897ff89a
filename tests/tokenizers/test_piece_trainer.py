"""Pieces of a unigram model: the same at every run, and as good as those of the library."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from foretext.corpus import Corpus
from foretext.tokenizers.piece_seeds import seed_pieces
from foretext.tokenizers.piece_trainer import _digamma, learn_pieces
from foretext.tokenizers.subwords import learn_subwords
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

STEMS = ["walk", "talk", "paint", "work", "open", "learn", "jump", "cook", "play", "look", "ask"]
ENDINGS = ["", "s", "ed", "ing", "er", "ers"]


def sentences(number: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    names = ["".join(rng.choices("abcdefghijklmnop", k=rng.randint(2, 6))) for _ in range(400)]

    def word() -> str:
        return rng.choice(names) if rng.random() < 0.3 else rng.choice(STEMS) + rng.choice(ENDINGS)

    return [" ".join(word() for _ in range(12)) for _ in range(number)]


def counted(lines: list[str]) -> Counter[str]:
    return Counter("▁" + word for line in lines for word in line.split(" "))


def learned(lines: list[str], number: int, longest: int = 16) -> dict[str, float]:
    words = counted(lines)
    pieces = learn_pieces(list(words), np.array(list(words.values())), number, longest)
    return {piece.text: piece.score for piece in pieces}


def figures(scores: dict[str, float], lines: list[str]) -> tuple[float, float]:
    """Pieces a word and the logarithm of the likelihood a character, of the best segmentations."""
    library = Tokenizer(models.Unigram([("[UNK]", 0.0), *scores.items()], 0, False))
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    tokens = [token for line in lines for token in library.encode(line).tokens]
    characters = sum(map(len, lines))
    return len(tokens) / sum(counted(lines).values()), sum(
        map(scores.__getitem__, tokens)
    ) / characters


def test_it_is_as_good_as_the_librarys() -> None:
    lines, others = sentences(600, 1), sentences(200, 1)
    library = Tokenizer(models.Unigram())
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=200, special_tokens=["[UNK]"], unk_token="[UNK]", show_progress=False
    )
    library.train_from_iterator(lines, trainer)
    vocabulary = json.loads(library.to_str())["model"]["vocab"]
    theirs = figures({piece: score for piece, score in vocabulary if piece != "[UNK]"}, others)
    ours = figures(learned(lines, 199), others)
    assert ours[0] < theirs[0] * 1.02
    assert ours[1] > theirs[1] - 0.02 * abs(theirs[1])


def test_stems_and_endings_are_found() -> None:
    found = learned(sentences(600, 3), 120)
    assert {"▁walk", "▁paint", "ing"} <= found.keys()
    assert len(found) == 120
    assert list(found.values()) == sorted(found.values(), reverse=True)


@pytest.mark.parametrize("longest", [1, 3])
def test_no_piece_is_longer_than_asked(longest: int) -> None:
    found = learned(sentences(100, 4), 80, longest)
    assert max(map(len, found)) == longest


def test_all_characters_are_kept() -> None:
    lines = [*sentences(200, 5), "ß東京 𝄞"]
    found = learned(lines, 60)
    assert set("".join(counted(lines))) <= found.keys()


def test_equal_runs_give_equal_pieces(tmp_path: Path) -> None:
    """Processes with other numbers of threads and other seeds of Python's hashes, too."""
    (tmp_path / "text.txt").write_text("\n".join(sentences(300, 6)), encoding="utf-8")
    program = (
        "import sys; from pathlib import Path; from foretext.corpus import Corpus;"
        "from foretext.tokenizers.subwords import learn_subwords;"
        "learn_subwords('unigram', {'vocab_size': 150},"
        " Corpus(Path(sys.argv[1]) / 'text.txt')).save(Path(sys.argv[2]))"
    )
    results = []
    for number in ("1", "2"):
        out = tmp_path / f"{number}.json"
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path), str(out)],
            env={"PATH": "", "PYTHONHASHSEED": number, "RAYON_NUM_THREADS": number,
                 "OMP_NUM_THREADS": number, "HOME": str(tmp_path)},
            check=True,
            timeout=120,
        )  # fmt: skip
        results.append(out.read_bytes())
    assert results[0] == results[1]


def test_a_text_of_one_word_and_one_of_equal_characters(tmp_path: Path) -> None:
    assert set(learned(["tower"], 20)) == set("▁tower")
    found = learned(["a" * 3_000], 20)
    assert {"▁", "a"} <= found.keys()
    assert all(math.isfinite(score) for score in found.values())


def test_a_piece_that_is_named_like_a_special_token(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("a [MASK] b [MASK]x [MASK]y\n" * 20, encoding="utf-8")
    tokenizer = learn_subwords("unigram", {"vocab_size": 60}, Corpus(tmp_path / "text.txt"))
    assert len(set(tokenizer.tokens)) == len(tokenizer.tokens)


def test_seeds_occur_twice_and_are_not_always_continued_alike() -> None:
    words = ["▁banana", "▁band", "▁an"]
    seeds = seed_pieces(words, np.array([5, 1, 1]), 16)
    text = "".join(words)
    names = [
        text[place : place + size]
        for place, size in zip(seeds.places.tolist(), seeds.sizes.tolist(), strict=True)
    ]
    assert names[: seeds.num_characters] == sorted(set(text))
    # "▁b" and "▁ba" are always continued to "▁ban".
    assert set(names[seeds.num_characters :]) == {"an", "ana", "▁ban", "ban", "na"}


def test_digamma() -> None:
    values = np.array([0.5, 1.0, 2.0, 6.5, 1e6])
    euler = 0.5772156649015329
    wanted = [-euler - 2 * math.log(2), -euler, 1 - euler]
    assert _digamma(values)[:3] == pytest.approx(wanted)
    assert _digamma(values + 1) == pytest.approx(_digamma(values) + 1 / values)
