from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import LabelledPair, PairsConfig, read_pairs


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text", "settings"),
    [
        ("a.csv", "text_a,text_b,label\na,b,1\n", {}),
        ("a.txt", "a\tb\t1\n", {}),
        ("a.txt", "1\tx\ta\tb\n", {"label": 1, "text_a": 3, "text_b": 4}),
        ("a.jsonl", '{"text_a": "a", "text_b": "b", "label": 1}\n', {}),
        ("a.txt", "\ufeffQ\t#1\t#2\n1\ta\tb\n", {"label": "Q", "text_a": "#1", "text_b": "#2"}),
    ],
)
def test_the_same_pair_in_every_shape(
    tmp_path: Path, name: str, text: str, settings: dict[str, Any]
) -> None:
    (pair,) = read_pairs(written(tmp_path, name, text), PairsConfig(**settings))
    assert pair[:4] == ("a", "b", "1", None)
    assert pair.labels == ("1",)


def test_scores(tmp_path: Path) -> None:
    path = written(tmp_path, "a.tsv", "text_a\ttext_b\tscore\na\tb\t3.5\n")
    pairs = read_pairs(path, PairsConfig(score="score"))
    assert pairs == [LabelledPair("a", "b", None, 3.5, f"{path}:2")]
    assert pairs[0].labels == ()


def test_pairs_without_labels(tmp_path: Path) -> None:
    (pair,) = read_pairs(
        written(tmp_path, "a.csv", "text_a,text_b\na,b\n"), PairsConfig(label=None)
    )
    assert (pair.label, pair.score) == (None, None)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("text_a,text_b,score\na,b,\n", "line 2: 'score' holds '' where a finite number"),
        ("text_a,text_b,score\na,b,nan\n", "line 2: 'score' holds 'nan' where a finite number"),
        ("text_a,score\na,1\n", "line 1: there is no column 'text_b', only 'text_a', 'score'. Did"),
        ("text_a,text_b,score\n", "a.csv has no rows; give a file with pairs of texts."),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(CorpusError) as caught:
        read_pairs(written(tmp_path, "a.csv", text), PairsConfig(score="score"))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "__label__x a ship\n",
            "a.txt, line 1: the row is a single text, marked with __label__",
        ),
        ("a ship at sea\n", "a.txt, line 1: the row is neither JSON nor separated by tabs; set"),
    ],
)
def test_a_file_without_pairs_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(CorpusError) as caught:
        read_pairs(written(tmp_path, "a.txt", text))
    assert sentence in str(caught.value)
    assert "fasttext" not in str(caught.value)


def test_a_boolean_is_no_score(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", '{"text_a": "a", "text_b": "b", "score": true}\n')
    with pytest.raises(CorpusError, match="line 1: 'score' holds a boolean where"):
        read_pairs(path, PairsConfig(score="score"))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"score": "s", "label": "l"}, "pairs have a label or a score: set one of the two"),
        ({"format": "fasttext"}, "files of format = 'fasttext' hold single texts, not pairs"),
    ],
)
def test_settings_that_contradict(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        PairsConfig.checked(settings, "rows")


@pytest.mark.shared_data
def test_mrpc(shared_data: Path) -> None:
    config = PairsConfig(text_a="#1 String", text_b="#2 String", label="Quality")
    pairs = read_pairs(shared_data / "mrpc" / "msr_paraphrase_train.txt.xz", config)
    assert len(pairs) == 4076
    assert '"' in pairs[0].text_a


def test_a_score_of_hundreds_of_digits(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text_a": "a", "text_b": "b", "score": 1%s}\n' % ("0" * 400))
    with pytest.raises(CorpusError, match="'score' holds a number where a finite number"):
        read_pairs(path, PairsConfig(score="score"))
