from __future__ import annotations

from collections import Counter
from typing import Any

from foretext.data.rows import TaggedSentence
from foretext.tasks.tagging.answers import kind_counts, tag_findings


def findings(*pairs: tuple[str, str], of_entities: bool = True) -> dict[str, Any]:
    """Of sentences with right and given tags."""
    gold, given = ([side.split() for side in sides] for sides in zip(*pairs, strict=True))
    rows = [
        TaggedSentence(
            tuple(f"t{n}" for n in range(len(tags))),
            tuple(tags),
            "a.conll",
            tuple(range(len(tags))),
        )
        for tags in gold
    ]
    return tag_findings(rows, gold, given, of_entities=of_entities)


def test_what_becomes_of_entities() -> None:
    found = findings(
        ("B-PER I-PER O B-LOC O", "B-PER I-PER O B-ORG O"),  # right, other kind
        ("B-PER I-PER O O B-LOC", "B-PER O O B-LOC O"),  # other bounds, missed, invented
        ("B-LOC I-LOC", "B-ORG O"),  # both wrong
    )
    fates = {row.pop("kind"): row for row in found["tables"][0]["rows"]}
    assert fates["PER"] == {
        "right": 1, "other kind": 0, "other bounds": 1, "both wrong": 0, "missed": 0, "invented": 0,
    }  # fmt: skip
    assert fates["LOC"] == {
        "right": 0, "other kind": 1, "other bounds": 0, "both wrong": 1, "missed": 1, "invented": 1,
    }  # fmt: skip
    assert fates["ORG"]["invented"] == 0
    assert found["confusion"] == {
        "labels": ["LOC", "ORG", "PER", "no entity"],
        "counts": [[0, 2, 0, 1], [0, 0, 0, 0], [0, 0, 2, 0], [1, 0, 0, 0]],
    }


def test_the_same_bounds_come_before_a_larger_overlap() -> None:
    # The given entity has the bounds of none; of two that it overlaps the longer one is its own.
    found = findings(("B-A B-B I-B I-B", "B-A I-A I-A O"))
    counts = Counter({row["kind"]: row["missed"] for row in found["tables"][0]["rows"]})
    assert counts == {"A": 1, "B": 0}


def test_sentences_with_most_errors_come_first() -> None:
    found = findings(("O O", "O O"), ("B-A O", "O O"), ("B-A I-A", "O B-A"))
    assert (found["num_errors"], found["num_wrong_sentences"]) == (3, 2)
    assert [each["errors"] for each in found["sentences"]] == [2, 1]
    worst = found["sentences"][0]
    assert (worst["tokens"], worst["right"], worst["given"]) == (
        ["t0", "t1"],
        ["B-A", "I-A"],
        ["O", "B-A"],
    )


def test_a_long_sentence_is_shown_about_its_first_error() -> None:
    found = findings((" ".join(["O"] * 150 + ["B-A"]), " ".join(["O"] * 151)))
    [worst] = found["sentences"]
    assert worst["tokens"][0] == "t130"
    assert worst["right"][20] == "B-A"


def test_tags_that_are_of_no_entities_are_confused_by_token() -> None:
    found = findings(("N V N", "N N N"), of_entities=False)
    assert found["confusion"] == {"labels": ["N", "V"], "counts": [[2, 0], [1, 0]]}
    assert "tables" not in found


def test_kinds_are_counted_by_entity() -> None:
    sentences = [["B-A", "I-A", "O"], ["B-A", "B-B"]]
    assert kind_counts(sentences, of_entities=True) == {"A": 2, "B": 1}
    assert kind_counts([["B", "I", "O"]], of_entities=True) == {"entity": 1}
    assert kind_counts([["N", "N"]], of_entities=False) == {"N": 2}
