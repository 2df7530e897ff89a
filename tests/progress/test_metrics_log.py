from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import BaseModel

from foretext.base.errors import OutputError
from foretext.progress import MetricsLog


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run" / "metrics.jsonl"


def test_records_come_back_as_they_were(path: Path) -> None:
    records = [{"words": 1, "loss": 2.5, "valid_loss": None}, {"words": 2, "loss": 1 / 3}]
    with MetricsLog(path) as log:
        for record in records:
            log.append(record)
        assert [json.loads(line) for line in path.read_text().splitlines()] == records  # flushed
    assert MetricsLog(path).read() == records
    assert len(MetricsLog(path)) == 2


def test_no_file_is_no_records(path: Path) -> None:
    assert MetricsLog(path).read() == []


def test_what_came_after_the_checkpoint_is_dropped(path: Path) -> None:
    with MetricsLog(path) as log:
        for step in range(5):
            log.append({"step": step})
        log.truncate(3)
        log.append({"step": 3})
    assert [record["step"] for record in MetricsLog(path).read()] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "torn", ['{"step": 1', '{"step": 1, "loss": "\\ud8', "\0\0\0\n", "17", "n"]
)
def test_a_torn_last_line_is_no_record_and_harms_no_later_one(path: Path, torn: str) -> None:
    path.parent.mkdir()
    path.write_text('{"step": 0}\n' + torn)
    log = MetricsLog(path)
    assert log.read() == [{"step": 0}]
    with log:
        log.append({"step": 1})
    assert path.read_text() == '{"step": 0}\n{"step": 1}\n'


def test_a_whole_line_without_its_end_is_kept(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('{"step": 0}\n{"step": 1}')
    with MetricsLog(path) as log:
        log.append({"step": 2})
    assert [record["step"] for record in MetricsLog(path).read()] == [0, 1, 2]


def test_a_damaged_line_in_the_middle_is_named(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('{"step": 0}\n\nloss went down\n{"step": 2}\n')
    with pytest.raises(
        OutputError, match=r"metrics\.jsonl, line 3: this is not a JSON object; del"
    ):
        MetricsLog(path).read()


@pytest.mark.parametrize(
    "line",
    [b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe", b'{"a": "\xe4"}', b"\0", b"[1]", b"17", b"{"],
)
def test_every_damage_is_one_sentence(path: Path, line: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(b'{"step": 0}\n' + line + b'\n{"step": 2}\n')
    for use in (MetricsLog(path).read, lambda: MetricsLog(path).append({"step": 3})):
        with pytest.raises(OutputError, match=r"line 2: this is not a JSON object"):
            use()
    path.write_bytes(b'{"step": 0}\n' + line)
    assert MetricsLog(path).read() == [{"step": 0}]


def test_a_record_of_another_type_is_named(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('{"step": 0}\n\n{"step": "one"}\n')
    with pytest.raises(OutputError, match=r"line 3, is damaged: 'step' = 'one' should be a valid"):
        MetricsLog(path).read(dict[str, int])
    with pytest.raises(OutputError, match=r"line 1, is damaged: 'loss' is missing"):
        MetricsLog(path).read(_Losses)


def test_a_folder_is_no_log(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(OutputError, match=r"metrics\.jsonl is no file"):
        MetricsLog(path).read()


class _Losses(BaseModel):
    loss: float


def test_not_a_number_has_no_json(path: Path) -> None:
    with MetricsLog(path) as log, pytest.raises(ValueError, match="not JSON compliant"):
        log.append({"loss": float("nan")})


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"metrics\.jsonl cannot be written"):
        MetricsLog(tmp_path / "file" / "metrics.jsonl").append({"loss": 1.0})


def test_what_a_checkpoint_knew_of_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    with MetricsLog(path) as log:
        for step in range(3):
            log.append({"step": step})
        log.restore([{"step": 0}, {"step": "é"}])
        log.append({"step": 5})
    assert MetricsLog(path).read() == [{"step": 0}, {"step": "é"}, {"step": 5}]


@pytest.mark.parametrize("steps", [0, 2])
def test_a_checkpoint_that_knew_of_no_record_leaves_no_file(tmp_path: Path, steps: int) -> None:
    path = tmp_path / "metrics.jsonl"
    with MetricsLog(path) as log:
        for step in range(steps):
            log.append({"step": step})
        log.restore([])
        assert not path.exists()
        log.append({"step": 7})
    assert MetricsLog(path).read() == [{"step": 7}]
