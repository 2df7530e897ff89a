"""``foretext evaluate`` on files of several kinds, of which some are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foretext.interop.sentence_transformers import SentenceEncoding, write_modules
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.cli.conftest import Command
from tests.task_files import language_model, word_vectors

PAIRS = ("the cat,a cat again,5", "the dog in the noon,a dog,4", "the hen,the pig hoots,1")


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    word_vectors().save(tmp_path / "vectors.txt")
    return tmp_path / "vectors.txt"


def test_a_wrong_file_costs_only_its_own_figures(
    command: Command, vectors: Path, tmp_path: Path
) -> None:
    right, wrong = tmp_path / "right.csv", tmp_path / "wrong.csv"
    right.write_text("cat,dog,3\nhen,cow,2\n")
    wrong.write_text("cat,dog\n")
    shown = command("evaluate", vectors, wrong, right)
    assert shown.code == 2
    assert "spearman" in shown.out
    assert "wrong.csv: no line holds two words and a score" in shown.err
    found = json.loads(command("evaluate", vectors, wrong, right, "--json").out)
    assert "no line holds" in found[str(wrong)]["error"]
    assert found[str(right)]["pairs"] == 2
    both = command("evaluate", vectors, wrong, tmp_path / "none.csv", "--json")
    assert (both.code, both.out) == (2, "")
    assert "wrong.csv" in both.err
    assert "none.csv" in both.err


def test_columns_are_said_and_can_be_chosen(
    command: Command, vectors: Path, tmp_path: Path
) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(",a,b,rater 1,rater 2\n0,cat,dog,4,1\n1,hen,cow,2,2\n2,pig,cow,3,4\n")
    refused = command("evaluate", vectors, path)
    assert refused.code == 2
    assert "2 columns of numbers may be the score" in refused.err
    assert "--text-a, --text-b and --score" in refused.err
    chosen = ("--text-a", "a", "--text-b", "b", "--score", "rater 2")
    found = json.loads(command("evaluate", vectors, path, *chosen, "--json").out)[str(path)]
    assert (found["pairs"], found["columns"]) == (3, ["a", "b", "rater 2"])
    assert "a, b, rater 2" in command("evaluate", vectors, path, *chosen).out


def test_other_analogies_are_not_called_semantic(
    command: Command, vectors: Path, tmp_path: Path
) -> None:
    path = tmp_path / "sounds.txt"
    path.write_text("dog barks cat purrs\ncow moos hen clucks\n")
    found = json.loads(command("evaluate", vectors, path, "--json").out)[str(path)]
    assert found["kind"] == "analogies"
    assert (found["questions"], list(found["sections"])) == (2, ["sounds"])
    assert "semantic" not in found


def test_a_text_in_another_encoding_is_read(
    command: Command, byte_bpe: SubwordTokenizer, vectors: Path, tmp_path: Path
) -> None:
    model, texts = tmp_path / "model", {name: tmp_path / name for name in ("utf-8", "latin-1")}
    language_model("gpt", byte_bpe).save(model)
    for name, path in texts.items():
        path.write_text("the dog barks in the caf\xe9 .\n" * 3, encoding=name)
    found = json.loads(command("evaluate", model, texts["utf-8"], "--json").out)
    other = command("evaluate", model, texts["latin-1"], "--encoding", "latin-1", "--json")
    assert json.loads(other.out)[str(texts["latin-1"])] == found[str(texts["utf-8"])]
    assert command("evaluate", model, texts["latin-1"]).code == 2
    refused = command("evaluate", vectors, texts["utf-8"], "--encoding", "latin-1")
    assert refused.code == 2
    assert "--encoding has no effect" in refused.err


@pytest.mark.parametrize("is_encoder", [True, False])
def test_a_network_is_measured_on_pairs_without_learning(
    command: Command, wordpiece: SubwordTokenizer, tmp_path: Path, *, is_encoder: bool
) -> None:
    model, path = tmp_path / "model", tmp_path / "pairs.csv"
    language_model("bert", wordpiece).save(model)
    if is_encoder:
        write_modules(model, SentenceEncoding("mean", text_length=24), 32)
    path.write_text("\n".join(["sentence1,sentence2,score", *PAIRS]))
    found = json.loads(command("evaluate", model, path, "--json").out)[str(path)]
    assert (found["kind"], found["pairs"]) == ("text pairs", 3)
    assert -1 <= found["spearman"] <= 1
    path.write_text("\n".join(PAIRS))  # without a header nothing says that these are pairs
    columns = ("--text-a", "1", "--text-b", "2", "--score", "3")
    again = json.loads(command("evaluate", model, path, *columns, "--json").out)[str(path)]
    assert again["spearman"] == found["spearman"]
