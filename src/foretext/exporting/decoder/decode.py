"""Words to ids, and the scores of a tagger to tags: the best path by decoding.json (Viterbi)."""

import json
import unicodedata
from pathlib import Path

KNOWN = json.loads(Path(__file__).with_name("decoding.json").read_text(encoding="utf-8"))


def encode(words, tokenizer):
    """Return the ids of a sentence, and the position of the first id of each word that has room."""
    ids, firsts = [], []
    for index, word in enumerate(words):
        ends = [words[index - 1][-1:], word[:1]] if index else ["-"]
        joined = index == 0 or any(
            a <= ord(end) <= b for end in ends if end for a, b in KNOWN["unspaced"]
        )
        if KNOWN["whole_words"] is not None:
            own = look_up(word, tokenizer)
        else:
            own = tokenizer.encode(word if joined else " " + word, add_special_tokens=False).ids
        own = (own or [KNOWN["unknown"]])[: KNOWN["room"]]
        if len(ids) + len(own) > KNOWN["room"]:
            break
        firsts.append(len(KNOWN["before"]) + len(ids))
        ids += own
    return KNOWN["before"] + ids + KNOWN["behind"] or [KNOWN["pad"]], firsts


def look_up(word, tokenizer):
    """Return the id of a whole word, in a list; []: the vocabulary lacks it."""
    rules = KNOWN["whole_words"]
    if rules["form"] != "none":
        word = unicodedata.normalize(rules["form"], word)
    if rules["lowercase"]:
        word = "".join(map(str.lower, word))
    found = tokenizer.token_to_id(word)
    return [] if found is None else [found]


def spell(words, ids):
    """Return the ids of the characters of each id's word, 0 behind its end; 1 is unknown."""
    if KNOWN["characters"] is None:
        return [[] for _ in ids]
    known = {character: index for index, character in enumerate(KNOWN["characters"], 2)}
    most, rows = KNOWN["most_characters"], []
    for word in (words or [""])[: len(ids)]:
        read = word if len(word) <= most else word[: most // 2] + word[-(most // 2) :]
        row = [known.get(character, 1) for character in read]
        rows.append(row + [0] * (most - len(row)))
    return rows


def decode(scores, firsts):
    """Return the index in "labels" of each word's tag, by the scores of all positions."""
    rows, steps, start, end = (
        [scores[index] for index in firsts],
        *(KNOWN[n] for n in ("transitions", "start", "end")),
    )
    if not rows or steps is None:
        return [max(range(len(row)), key=row.__getitem__) for row in rows]
    tags, low = range(len(start)), -1e30  # of what is forbidden
    best, ways = [rows[0][t] + (low if start[t] is None else start[t]) for t in tags], []
    for row in rows[1:]:
        step = [
            [best[a] + (low if steps[a][b] is None else steps[a][b]) for a in tags] for b in tags
        ]
        ways.append([max(tags, key=each.__getitem__) for each in step])
        best = [step[b][ways[-1][b]] + row[b] for b in tags]
    path = [max(tags, key=lambda t: best[t] + (low if end[t] is None else end[t]))]
    for way in reversed(ways):
        path.append(way[path[-1]])
    return path[::-1]
