"""Columns of a training by number, and other files with and without a header."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.data.rows.pairs import PairsConfig
from foretext.data.rows.reading import fitting
from foretext.data.rows.sentences import SentencesConfig
from foretext.data.rows.settings import LabelledConfig

PUBLISHED = "news\tA\t0\t4.4\ta ship\ta boat\nnews\tA\t1\t1.2\ta judge\ta ship\n"
NAMED = "score\ttext_a\ttext_b\n4.4\ta ship\ta boat\n1.2\ta judge\ta ship\n"


@pytest.mark.parametrize("kind", [SentencesConfig, PairsConfig])
def test_scored_pairs_by_number_are_read_with_and_without_a_header(
    kind: type[LabelledConfig], tmp_path: Path
) -> None:
    learned = kind.checked({"text_a": 5, "text_b": 6, "score": 4, "ragged": True}, "rows")
    published, named = tmp_path / "sts.tsv", tmp_path / "named.tsv"
    published.write_text(PUBLISHED)
    named.write_text(NAMED)
    assert fitting(published, learned) == learned
    found = fitting(named, learned)
    assert found.columns == ("text_a", "text_b", "score")
    assert found.model_dump()["ragged"] is True


def test_triples_by_number_keep_their_negative(tmp_path: Path) -> None:
    learned = SentencesConfig.checked({"text_a": 1, "text_b": 2, "negative": 3}, "rows")
    path = tmp_path / "triples.tsv"
    path.write_text("negative\ttext_b\ttext_a\nno\tyes\tasked\n")
    assert {*fitting(path, learned).columns} == {"text_a", "text_b", "negative"}
    path.write_text("asked\tyes\tno\n")
    assert fitting(path, learned) == learned
