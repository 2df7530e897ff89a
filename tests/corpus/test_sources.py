from __future__ import annotations

import io
import os
import sys
import threading
from pathlib import Path

import fsspec
import pytest

from foretext.base.errors import CorpusError
from foretext.corpus.sources import (
    Source,
    find_sources,
    left_out,
    left_out_sentence,
    local_source,
    standard_input,
    suffix_format,
)

CLEANING = ("clean.json", "dropped.jsonl", "report.html", "kept/part-00000.jsonl.zst")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.txt", "a.jsonl.gz", "deep/c.CSV", "notes.md", ".hidden.txt", ".git/d.txt"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("x")
    return tmp_path


def found(names: object, only: object = None) -> list[str]:
    return [source.name for source in find_sources(names, only)]  # type: ignore[arg-type]


def complaint(names: object, only: object = None) -> str:
    with pytest.raises(CorpusError) as caught:
        found(names, only)
    return str(caught.value)


def test_a_folder_gives_its_text_files_sorted_and_no_hidden_ones(folder: Path) -> None:
    expected = [str(folder / name) for name in ("a.jsonl.gz", "b.txt", "deep/c.CSV")]
    assert found(folder) == expected
    assert found(str(folder), "csv") == expected[2:]


def test_a_file_that_is_named_or_matched_is_taken_whatever_its_suffix(folder: Path) -> None:
    assert found([folder / "notes.md", folder / "b.txt"]) == [
        str(folder / "notes.md"),
        str(folder / "b.txt"),
    ]
    assert found(f"{folder}/*.md") == [str(folder / "notes.md")]
    assert found(f"{folder}/**/*.CSV") == [str(folder / "deep/c.CSV")]


def test_a_name_with_brackets_is_a_file_first(tmp_path: Path) -> None:
    (tmp_path / "a[1].txt").write_text("x")
    assert found(tmp_path / "a[1].txt") == [str(tmp_path / "a[1].txt")]


def test_urls() -> None:
    for name in ("one.txt", "deep/two.jsonl", "three.bin"):
        with fsspec.open(f"memory://sources/{name}", "wb") as file:
            file.write(b"x")
    assert found("memory://sources") == [
        "memory:///sources/deep/two.jsonl",
        "memory:///sources/one.txt",
    ]
    assert found("memory://sources/one.txt") == ["memory:///sources/one.txt"]
    assert found("memory://sources/*.bin") == ["memory:///sources/three.bin"]
    assert "no such file or folder; check the URL" in complaint("memory://sources/none.txt")
    assert "no file matches this pattern" in complaint("memory://sources/*.none")
    assert "contains no text files (.parquet)" in complaint("memory://sources", "parquet")
    assert complaint("nosuch://a").startswith("nosuch://a cannot be opened: Protocol not known")


def test_a_missing_file_suggests_its_neighbours(folder: Path) -> None:
    assert complaint(folder / "note.md").endswith("such file or folder. Did you mean 'notes.md'?")
    assert complaint(folder / "zzz").endswith(f"Check the name in {folder}.")
    assert complaint(folder / "no/file.txt").endswith(f"folder {folder}/no does not exist either.")


def test_a_folder_without_text(folder: Path) -> None:
    (folder / "pictures").mkdir()
    (folder / "pictures/a.png").write_bytes(b"")
    assert complaint(folder / "pictures") == (
        f"The folder {folder}/pictures contains no text files (.txt .jsonl .ndjson .csv .tsv "
        f".parquet); its files: 1 with .png; give a glob such as '{folder}/pictures/*' to read "
        "them."
    )
    (folder / "empty").mkdir()
    assert complaint(folder / "empty").endswith(".tsv .parquet).")
    assert "(.parquet); its files: " in complaint(folder, "parquet")


def test_a_glob_without_match(folder: Path) -> None:
    assert complaint(f"{folder}/*.none") == (
        f"{folder}/*.none: no file matches this pattern; check it with `ls`, and quote it so that "
        "the shell does not expand it."
    )
    assert "no file matches this pattern (only folders do)" in complaint(f"{folder}/de*")


def test_nothing_and_standard_input_twice() -> None:
    assert complaint([]).startswith("No corpus was given")
    assert complaint(["-", "-"]) == "Standard input ('-') can be given only once."
    assert found("-") == ["standard input"]


def test_suffix_format() -> None:
    assert suffix_format("a/b.jsonl.zst") == "jsonl"
    assert suffix_format("a.ndjson") == "jsonl"
    assert suffix_format("a.gz") is None


def test_pipes_and_sockets_in_a_folder_are_passed_over(folder: Path) -> None:
    os.mkfifo(folder / "pipe.txt")
    os.mkfifo(folder / "deep" / "pipe.jsonl")
    (folder / "device.txt").symlink_to("/dev/zero")
    (folder / "link.txt").symlink_to("b.txt")
    names = ("a.jsonl.gz", "b.txt", "deep/c.CSV", "link.txt")
    expected = [str(folder / name) for name in names]
    assert found(folder) == expected
    assert found(str(folder / "*.txt")) == expected[1::2]
    assert f"file://{expected[-1]}" in found(f"file://{folder}")
    assert not [name for name in found(f"file://{folder}") if "/pipe." in name]


@pytest.mark.parametrize("target", ["nowhere", "link.txt"])
def test_a_link_that_leads_nowhere_is_named(folder: Path, target: str) -> None:
    (folder / "link.txt").symlink_to(target)
    assert "cannot be read" in complaint(folder)


def test_names_that_no_file_can_have() -> None:
    assert "no such file" in complaint("a\0b.txt") or "is not a name of" in complaint("a\0b.txt")
    assert "no such file" in complaint("~nobody-of-this-name/a.txt")
    assert "cannot be opened" in complaint("zip://a.txt::no-such.zip")


def test_what_is_left_out_of_a_folder(tmp_path: Path) -> None:
    for name in ("a.txt", "b.csv.gz", "README", "c.zip", "d.ZIP", ".e.txt", "sub/f.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text")
    os.mkfifo(tmp_path / "pipe.txt")
    expected = {".zip": 2, "no suffix": 1, "hidden": 1, ".md": 1, "special": 1}
    assert left_out(tmp_path) == expected
    assert left_out([tmp_path, tmp_path / "c.zip"]) == expected
    assert left_out(str(tmp_path), "txt") == expected | {".gz": 1}
    assert left_out([tmp_path / "a.txt"]) == {}
    sentence = left_out_sentence(expected)
    assert sentence is not None
    assert sentence.startswith("6 files are not read (2 .zip, 1 ")
    assert left_out_sentence({}) is None


def test_of_a_cleaning_what_it_dropped_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "several" / "web"
    (folder / "kept").mkdir(parents=True)
    for name in CLEANING:
        (folder / name).write_text("")
    for place in (folder, tmp_path):  # itself, or a folder that it is in
        assert found(place) == [str(folder / "kept/part-00000.jsonl.zst")]
        assert left_out(place) == {".json": 1, "dropped by clean": 1, ".html": 1}
    assert found(folder / "dropped.jsonl") == [str(folder / "dropped.jsonl")]  # it is named
    (folder / "more.jsonl").write_text("")
    assert found(folder / "*.jsonl") == [str(folder / "more.jsonl")]
    (folder / "more.jsonl").unlink()
    assert found(folder / "*.jsonl") == [str(folder / "dropped.jsonl")]  # nothing else is meant
    (folder / "clean.json").unlink()
    assert found(folder)[0] == str(folder / "dropped.jsonl")  # of somebody else


def test_of_a_cleaning_elsewhere_neither() -> None:
    for name in CLEANING:
        with fsspec.open(f"memory://cleaning/{name}", "wb") as file:
            file.write(b"x")
    assert found("memory://cleaning") == ["memory:///cleaning/kept/part-00000.jsonl.zst"]


@pytest.mark.parametrize("name", ["~draft.txt", "~", "~nobody-of-this-name/x.txt"])
def test_a_name_that_begins_as_a_home_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Editors call their copies so; a user without an entry has no home at all."""
    monkeypatch.chdir(tmp_path)
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text("a ship\n")
    monkeypatch.setattr(Path, "expanduser", _homeless)
    assert [source.name for source in find_sources(name)] == [name]


def _homeless(path: Path) -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_what_the_system_refuses_becomes_a_sentence(tmp_path: Path) -> None:
    def refuse() -> io.BytesIO:
        raise PermissionError(13, "Permission denied")

    source = Source("a.txt", "", 1, refuse)
    with pytest.raises(CorpusError, match=r"^a.txt cannot be read: you have no"), source.open():
        pass
    path = tmp_path / "b.txt"
    path.write_text("x")
    source = local_source(path, "b.txt")
    path.unlink()
    with pytest.raises(CorpusError, match=r"^b.txt .* the file does not exist"), source.open():
        pass
    with (
        pytest.raises(CorpusError, match=r"^a cannot be read: Input/output"),
        Source("a", "", 1, io.BytesIO).open(),
    ):
        raise OSError(5, "Input/output error")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x")
    path.chmod(0)
    with pytest.raises(CorpusError, match="you may not read it"), local_source(path, "a").open():
        pass


def test_identity_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x")
    before = local_source(path, "a.txt").identity
    assert local_source(path, "another name for it").identity == before
    os.utime(path, (0, 0))
    assert local_source(path, "a.txt").identity != before


def test_standard_input_is_read_once_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo\n")))
    source = standard_input()
    for _ in range(2):
        with source.open() as file:
            assert file.read() == b"one\ntwo\n"
    assert source.size is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_read_once_and_kept(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(b"text\n"))
    writer.start()
    source = local_source(pipe, "pipe")
    for _ in range(2):
        with source.open() as file:
            assert file.read() == b"text\n"
    writer.join()


def test_no_room_for_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(28, "No space left on device")

    class Stdin:
        buffer = Full()

    monkeypatch.setattr(sys, "stdin", Stdin())
    with (
        pytest.raises(CorpusError, match=r"disk is full; save it as a file"),
        standard_input().open(),
    ):
        pass


def test_what_a_killed_process_left_of_a_stream_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\n")))
    orphan = tmp_path / ".foretext.abcd.partial"
    orphan.mkdir()
    (orphan / "stream").write_bytes(b"of another time")
    source = standard_input()
    with source.open() as file:
        assert file.read() == b"one\n"
    assert not orphan.exists()
    assert len(list(tmp_path.iterdir())) == 1
    del source
    assert list(tmp_path.iterdir()) == []
