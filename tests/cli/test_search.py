"""The verbs `index` and `search`, and `evaluate` of an index."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.search.indexes import TEXTS, write_model


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The model and the texts, in the working folder."""
    write_model(tmp_path)
    (tmp_path / "texts.txt").write_text(TEXTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def index(folder: Path, command: Command) -> str:
    done = command(
        "index", "vectors.safetensors", "texts.txt", "-o", "index", "--documents", "line"
    )
    assert done.code == 0, done.err
    assert done.out == "4 passages of 1 file, 1 more places of repeated texts: index\n"
    return "index"


def test_results_for_a_person(index: str, command: Command) -> None:
    shown = command("search", index, "ship harbour", "zebra", "-k", 1).out
    assert "ship harbour\n" in shown
    assert "1. 1.0000  texts.txt:1 and 1 more\n     The ship left the harbour.\n" in shown
    assert "note: the model knows no word of this query" in shown


def test_results_as_json(index: str, command: Command) -> None:
    done = command("search", index, "4711", "law", "--by", "both", "--json", "-k", 2)
    first, second = map(json.loads, done.out.splitlines())
    assert first["results"][0]["text"] == "Room 4711 is closed."
    assert second["results"][0]["source"] == "texts.txt"
    assert second["results"][0]["lines"] == [3, 3]


def test_queries_of_a_file_and_of_standard_input(
    index: str, command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "queries.txt").write_text("ship\n\nlaw\n")
    lines = command("search", index, "--file", "queries.txt", "--json").out.splitlines()
    assert [json.loads(line)["query"] for line in lines] == ["ship", "law"]
    given = io.TextIOWrapper(io.BytesIO(b"wave\n"))
    monkeypatch.setattr(sys, "stdin", given)
    [line] = command("search", index, "--json").out.splitlines()
    assert json.loads(line)["query"] == "wave"


def test_a_person_types_queries(
    index: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal("ship\nlaw\n\nnever read\n"))
    done = command("search", index, "-k", 1)
    assert done.err.count("query: ") == 3
    assert "The judge knows the law." in done.out
    assert "never read" not in done.out


def test_control_characters_of_a_text_do_not_reach_the_terminal(
    folder: Path, command: Command
) -> None:
    (folder / "evil.txt").write_text("ship \x1b[2J law\n")
    command("index", "vectors.safetensors", "evil.txt", "-o", "evil")
    assert "\\u001b[2J" in command("search", "evil", "ship").out


def test_evaluate(index: str, command: Command, folder: Path) -> None:
    (folder / "queries.tsv").write_text("law\tThe judge knows the law.\n4711\tRoom 4711\n")
    figures = json.loads(command("evaluate", index, "queries.tsv", "--json").out)["queries.tsv"]
    assert figures["words"]["mrr@10"] == 1
    shown = command("evaluate", index, "queries.tsv").out
    assert "recall@10" in shown
    assert {"queries 2", "without answer 0"} <= {
        " ".join(line.split()) for line in shown.split("\n")
    }
    assert "--stride has no effect" in command("evaluate", index, "queries.tsv", "--stride", 2).err


def test_add_and_overwrite(index: str, command: Command, folder: Path) -> None:
    given = ["index", "vectors.safetensors", "texts.txt", "more.txt", "-o", index]
    (folder / "more.txt").write_text("A new wave.\n")
    assert "add texts with --add" in command(*given).err
    added = json.loads(command(*given, "--add", "--json").out)
    known = {"index": "index", "passages": 5, "files": 2, "places": 6}
    assert added == {**known, "without_vector": 1}  # "Room 4711"
    again = command(*given, "--overwrite", "--keep-duplicates", "--dtype", "int8", "--json")
    assert json.loads(again.out)["places"] == json.loads(again.out)["passages"]


def test_a_model_apart(command: Command, folder: Path) -> None:
    given = ["index", "vectors.safetensors", "texts.txt", "-o", "bare", "--no-keep-model"]
    assert command(*given).code == 0
    assert (
        "give the model 'vectors.safetensors' with --model" in command("search", "bare", "ship").err
    )
    found = command("search", "bare", "ship", "--model", "vectors.safetensors")
    assert found.code == 0, found.err


def test_what_is_no_index(command: Command, folder: Path, index: str) -> None:
    done = command("search", "vectors.safetensors", "ship")
    assert (done.code, "holds WordVectors, not SearchIndex" in done.err) == (2, True)
    done = command("embed", index, "texts.txt")
    assert (done.code, "kind 'search index', which gives no vectors" in done.err) == (2, True)
    (folder / "none").mkdir()
    assert command("search", "none", "ship").code == 2


def test_a_graph_without_usearch_is_told(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("usearch")
    given = ["index", "vectors.safetensors", "texts.txt", "-o", "graph", "--approximate"]
    assert "the graph finds 100.0% of the 10 nearest passages" in command(*given).out
    monkeypatch.setitem(sys.modules, "usearch", None)
    assert "usearch is not installed" in command("search", "graph", "ship").err
    assert not command("search", "graph", "ship", "--exact").err
