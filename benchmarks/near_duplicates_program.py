"""One search for near duplicates by one of the programs; figures as JSON.

``python -m benchmarks.near_duplicates_program PROGRAM NUM SEED``

NUM paragraphs of enwiki and a copy of every fifth, from 0 to 40 % of its words replaced. A program
is from text to duplicates (foretext, rensa, datasketch), or from hashes of n-grams, which all get
from foretext (foretext-hashes, rensa-hashes). All use 14 bands of 8 numbers, one thread.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
import time
from collections.abc import Callable

from benchmarks.inputs import enwiki_paragraphs

os.environ["RAYON_NUM_THREADS"] = "1"  # of rensa

THRESHOLD, NUM_PERM, NUM_BANDS, GRAM = 0.8, 112, 14, 5
MOST_EDITED, EVERY = 0.4, 5

Twins = dict[int, int]  # of a document that is dropped, the one that is kept; -1: not said


def main() -> None:
    program, num, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    texts = planted(num, seed)
    PROGRAMS[program](texts[:10])()  # loads code and tables, once a process
    find = PROGRAMS[program](texts)
    wall, cpu = time.perf_counter(), time.process_time()
    found = find()
    spent = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    print(json.dumps(spent | quality(texts, num, found)))


def planted(num: int, seed: int) -> list[str]:
    """Paragraphs, and after them copies with replaced words."""
    rng = random.Random(seed)
    first = enwiki_paragraphs(num)
    vocabulary = " ".join(first[:2000]).split()
    return first + [
        " ".join(rng.choice(vocabulary) if rng.random() < rate else w for w in text.split())
        for text in first[::EVERY]
        for rate in [rng.random() * MOST_EDITED]
    ]


def quality(texts: list[str], num: int, found: Twins) -> dict[str, float]:
    """Precision and recall of the copies, by the Jaccard index of each with its original."""
    from foretext.cleaning.signatures import jaccard

    copies = range(num, len(texts))
    truth = {n for n in copies if jaccard(texts[n], texts[EVERY * (n - num)]) >= THRESHOLD}
    named = {number for number in found if number >= num}
    right = len(named & truth)
    f1 = 2 * right / max(len(named) + len(truth), 1)
    return {"truth": len(truth), "found": len(found), "f1": f1}


def foretext(texts: list[str]) -> Callable[[], Twins]:
    from foretext.base.files import temporary_folder
    from foretext.cleaning.near_duplicates import DuplicateIndex
    from foretext.cleaning.signatures import signatures

    def find() -> Twins:
        with temporary_folder() as folder:
            index = DuplicateIndex(folder, THRESHOLD)
            index.add(signatures(texts), range(len(texts)))
            return {each.document: each.twin for each in index.found(texts.__getitem__)}

    return find


def rensa(texts: list[str]) -> Callable[[], Twins]:
    """Digests of all texts at once, then its index; what that says is verified by digests."""
    from rensa import RMinHash, RMinHashDeduplicator

    def find() -> Twins:
        signed = RMinHash.from_token_sets(map(gram_texts, texts), NUM_PERM, 42)
        kept = RMinHashDeduplicator(THRESHOLD, NUM_PERM, True, NUM_BANDS)
        added = kept.add_pairs([(str(number), each) for number, each in enumerate(signed)])
        return {number: -1 for number, is_new in enumerate(added) if not is_new}

    return find


def datasketch(texts: list[str]) -> Callable[[], Twins]:
    from datasketch import MinHash, MinHashLSH

    def find() -> Twins:
        index = MinHashLSH(num_perm=NUM_PERM, params=(NUM_BANDS, NUM_PERM // NUM_BANDS))
        grams = ([gram.encode() for gram in gram_texts(text)] for text in texts)
        found: Twins = {}
        signed = MinHash.bulk(grams, num_perm=NUM_PERM)
        for number, each in enumerate(signed):
            others = [n for n in index.query(each) if each.jaccard(signed[n]) >= THRESHOLD]
            if others:
                found[number] = min(others)
            else:
                index.insert(number, each)
        return found

    return find


def gram_texts(text: str) -> list[str]:
    """The n-grams of a text as strings, as peers want them."""
    words = re.findall(r"\w+", text.lower())
    return [" ".join(words[at : at + GRAM]) for at in range(max(len(words) - GRAM + 1, 1))]


def foretext_hashes(texts: list[str]) -> Callable[[], Twins]:
    import numpy as np

    from foretext.base.files import temporary_folder
    from foretext.cleaning import signatures
    from foretext.cleaning.near_duplicates import DuplicateIndex
    from foretext.kernels.minhash import minhash

    grams = signatures.hash_words(texts).grams(GRAM)

    def find() -> Twins:
        signed = np.empty((len(texts), NUM_PERM), np.uint32)
        minhash(*grams, *signatures.permutations(), signed)
        with temporary_folder() as folder:
            index = DuplicateIndex(folder, THRESHOLD)
            index.add(signed, range(len(texts)))
            return {each.document: each.twin for each in index.found()}

    return find


def rensa_hashes(texts: list[str]) -> Callable[[], Twins]:
    """Its fastest way: a matrix of digests and one pass of its index, which verifies nothing."""
    from rensa import RMinHash, RMinHashLSH

    from foretext.cleaning.signatures import hash_words

    grams, starts = hash_words(texts).grams(GRAM)
    offsets = starts.astype("uint64")

    def find() -> Twins:
        digests = RMinHash.digest_matrix_from_flat_token_hashes(grams, offsets, NUM_PERM, 42)
        index = RMinHashLSH(THRESHOLD, NUM_PERM, NUM_BANDS)
        flags = index.query_duplicate_flags_matrix_one_shot(digests)
        return {number: -1 for number, is_flagged in enumerate(flags) if is_flagged}

    return find


PROGRAMS: dict[str, Callable[[list[str]], Callable[[], Twins]]] = {
    "foretext": foretext,
    "rensa": rensa,
    "datasketch": datasketch,
    "foretext-hashes": foretext_hashes,
    "rensa-hashes": rensa_hashes,
}

if __name__ == "__main__":
    main()
