from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from foretext.base.config import Config
from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import (
    InputColumns,
    TaggedConfig,
    input_files,
    read_tagged,
    read_texts,
    tagged_inputs,
)

pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")

SENTENCES = [["Anna", "van", "Keller"], ["sails"], ["New", "York"]]
NUMBERS = [[1, 2, 2], [0], [1, 2]]
NAMES = ("O", "B-PER", "I-PER")
TAGS = [tuple(NAMES[number] for number in row) for row in NUMBERS]


def written(path: Path, **columns: Any) -> Path:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    path.write_bytes(gzip.compress(out.getvalue()) if path.suffix == ".gz" else out.getvalue())
    return path


def inputs(path: Path, config: Config, **wanted: Any) -> list[tuple[str, ...]]:
    columns = InputColumns(("text",), config, **wanted)
    files = input_files(path, columns.reading)
    return [tuple(each.texts) for file in files for each in tagged_inputs(file, columns)]


@pytest.mark.parametrize("name", ["rows.parquet", "rows.bin", "rows.parquet.gz"])
def test_ids_of_classes_get_their_names(name: str, tmp_path: Path) -> None:
    numbers = pa.array(NUMBERS, pa.list_(pa.int8()))
    path = written(tmp_path / name, id=["0", "1", "2"], tokens=SENTENCES, ner_tags=numbers)
    found = read_tagged(path, TaggedConfig(tag_names=NAMES))
    assert [each.tokens for each in found] == list(map(tuple, SENTENCES))
    assert [each.tags for each in found] == TAGS
    assert found[2].place == f"{path}:3"
    assert read_tagged(path)[0].tags == ("1", "2", "2")
    assert read_tagged(path, TaggedConfig(tag=None))[0].tags == ()


def test_lists_are_chosen_by_name(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", w=SENTENCES, pos_tags=[["N"] * 3, ["V"], ["N"] * 2])
    config = TaggedConfig(token="w", tag="pos_tags")
    assert [each.tags for each in read_tagged(path, config)] == [("N",) * 3, ("V",), ("N",) * 2]
    assert inputs(path, config) == [(" ".join(own), *own) for own in SENTENCES]
    assert inputs(path, TaggedConfig(), columns={"token": "w"}) == inputs(path, config)
    with pytest.raises(CorpusError, match=r"line 1: there is no column 'tokens'"):
        read_tagged(path)
    with pytest.raises(SettingError, match=r"token has no effect .* rows has the lists"):
        read_tagged(path, TaggedConfig(token=2))


@pytest.mark.parametrize("name", ["tokens", "words"])
def test_inputs_of_parquet_and_of_json_are_the_same(name: str, tmp_path: Path) -> None:
    columns: dict[str, Any] = {name: SENTENCES}
    path = written(tmp_path / "a.parquet", **columns)
    lines = tmp_path / "a.jsonl"
    lines.write_text("".join(f'{{"{name}": {own}}}\n'.replace("'", '"') for own in SENTENCES))
    wanted = [(" ".join(own), *own) for own in SENTENCES]
    assert inputs(path, TaggedConfig()) == inputs(lines, TaggedConfig()) == wanted


def test_words_that_are_no_texts_leave_the_text(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", text=["Anna sails"], words=[2])
    assert inputs(path, TaggedConfig()) == [("Anna sails",)]


def test_uneven_lists_have_their_row(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", tokens=SENTENCES, tags=[["O"] * 3, ["O"] * 2, ["O"] * 2])
    with pytest.raises(CorpusError, match="line 2: 1 token and 2 tags"):
        read_tagged(path)


def of_datasets(path: Path, features: dict[str, Any], **columns: Any) -> Path:
    """Write a file as the library `datasets` does, which keeps names in the metadata."""
    kept = json.dumps({"info": {"features": features}})
    pq.write_table(pa.table(columns).replace_schema_metadata({"huggingface": kept}), path)
    return path


CLASSES = {"names": list(NAMES), "_type": "ClassLabel"}


@pytest.mark.parametrize(
    "feature",
    [{"feature": CLASSES, "_type": "Sequence"}, {"feature": CLASSES, "_type": "List"}, [CLASSES]],
)
def test_names_of_tags_are_those_of_the_file(tmp_path: Path, feature: Any) -> None:
    given = {"ner_tags": feature}
    path = of_datasets(tmp_path / "a.parquet", given, tokens=SENTENCES, ner_tags=NUMBERS)
    assert [each.tags for each in read_tagged(path)] == TAGS
    others = read_tagged(path, TaggedConfig(tag_names=("O", "B-X", "I-X")))
    assert others[0].tags == ("B-X", "I-X", "I-X")  # the user's go before


def test_names_of_labels_are_those_of_the_file(tmp_path: Path) -> None:
    features = {
        "label": {"names": ["negative", "positive"], "_type": "ClassLabel"},
        "text": {"dtype": "string", "_type": "Value"},
    }
    path = of_datasets(tmp_path / "a.parquet", features, text=["b", "a", "c"], label=[1, 0, -1])
    assert [row.labels for row in read_texts(path)] == [("positive",), ("negative",), ("-1",)]


@pytest.mark.parametrize(
    "metadata", [b"{", b"[]", b'{"info": {"features": {"label": 3}}}', b"\xff"]
)
def test_other_metadata_names_nothing(tmp_path: Path, metadata: bytes) -> None:
    table = pa.table({"text": ["b", "a"], "label": [1, 0]})
    pq.write_table(table.replace_schema_metadata({"huggingface": metadata}), tmp_path / "a.parquet")
    assert [row.labels for row in read_texts(tmp_path / "a.parquet")] == [("1",), ("0",)]
