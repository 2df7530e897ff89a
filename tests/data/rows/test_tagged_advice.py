"""What errors and notes about tagged rows advise, followed to the letter."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import TaggedConfig, TaggedSentence, find_tag_problems, read_tagged
from foretext.recipe.recipe import overridden


def followed(sentence: str, **values: int) -> TaggedConfig:
    """Return the settings that a sentence advises; `values` stand for what it leaves open."""
    (found,) = re.findall(r"--set (\S+='[^']*'|[^ )]+)", sentence)
    ((section, settings),) = overridden({}, shlex.split(found)).items()
    assert section == "rows"
    return TaggedConfig.checked({**settings, **values}, "rows")


def test_comments(tmp_path: Path) -> None:
    path = tmp_path / "rows.conll"
    path.write_text("# id 1\nAda B-PER\nleft O\n", encoding="utf-8")
    with pytest.raises(CorpusError) as caught:
        read_tagged(path)
    assert read_tagged(path, followed(str(caught.value)))[0].tokens == ("Ada", "left")


def test_long_sentences(tmp_path: Path) -> None:
    path = tmp_path / "rows.conll"
    path.write_text("a O\n" * 5000, encoding="utf-8")
    with pytest.raises(CorpusError) as caught:
        read_tagged(path)
    config = followed(str(caught.value), max_tokens=9000)
    assert len(read_tagged(path, config)[0].tokens) == 5000


def test_class_ids(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"tokens": ["Ada", "left"], "ner_tags": [1, 0]}\n' * 9, encoding="utf-8")
    rows = read_tagged(path)
    note = next(each for each in find_tag_problems(rows) if "numbers" in each.sentence)
    assert note.severity == "note"
    assert note.sentence == (
        "The tags are numbers; give their names in the order of the numbers, from 0 (--set "
        'rows.tag_names=\'["O", "B-PER"]\'), or F1 of entities cannot be measured.'
    )
    named = read_tagged(path, followed(note.sentence))
    assert named[0].tags == ("B-PER", "O")
    assert not any("numbers" in each.sentence for each in find_tag_problems(named))


def test_numbers_beside_names_are_no_ids() -> None:
    row = TaggedSentence(("a", "b"), ("1", "NN"), "rows.conll", (1, 2))
    assert find_tag_problems([row]) == []
