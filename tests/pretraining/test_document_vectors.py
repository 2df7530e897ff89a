"""Document vectors from a text to a run, and the verbs on it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import CorpusError
from foretext.report.run_report import report_folder
from foretext.run_folder import RunFolder
from tests.cli.conftest import Command, command  # noqa: F401  a fixture
from tests.vectors.texts import write_topics

SETTINGS = (
    "--set", "vectors.vector_size=8", "--set", "vectors.workers=1", "--set", "tokenizer.min_count=1"
)  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    rows = folder / "rows.jsonl"
    lines = write_topics(folder / "topics.txt", documents=80).read_text().splitlines()
    lines.insert(3, "... !")  # a document, but without a word
    rows.write_text(
        "".join(json.dumps({"id": f"doc {n}", "text": line}) + "\n" for n, line in enumerate(lines))
    )
    estimator = ft.Doc2Vec(vector_size=8, min_count=1, workers=1, epochs=20, names="id")
    estimator.fit(rows, out=folder / "run")
    return folder / "run"


def test_documents_keep_their_rows_where_one_has_no_word(run: Path) -> None:
    documents = ft.load(run)
    assert documents.names[:2] == ["doc 0", "doc 1"]
    assert len(documents) == 81
    assert not documents["doc 3"].any()
    assert documents["doc 4"].any()
    assert documents.beginning("doc 3") == "... !"


def test_facts_card_and_page(run: Path) -> None:
    facts = RunFolder(run).facts()
    assert facts["kind"] == "document vectors"
    assert facts["documents"] == 81
    assert 0 <= facts["found_again_rate"] <= 1
    assert "81 documents, 8 dimensions" in (run / "README.md").read_text()
    page = report_folder(run).read_text()
    assert "Nearest documents" in page
    assert "doc 80" in page or "doc 70" in page


def test_names_are_refused_before_the_training(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("id,text\n" + "a,the ship and the wave\n" * 20)
    with pytest.raises(CorpusError, match="stands twice"):
        ft.Doc2Vec(names="id", min_count=1).fit(rows, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_texts_in_memory_and_scikit_learn() -> None:
    texts = ["ship wave tide", "cow barn hay"] * 30
    estimator = ft.Doc2Vec(vector_size=4, min_count=1, workers=1, epochs=2)
    assert estimator.fit_transform(texts).shape == (60, 4)
    assert estimator.get_feature_names_out().tolist() == [f"doc2vec{n}" for n in range(4)]


def test_the_verbs(command: Command, run: Path, tmp_path: Path) -> None:  # noqa: F811
    near = json.loads(command("neighbors", run, "doc 0", "a ship", "-n", 2, "--json").out)
    assert list(near) == ["doc 0", "a ship"]
    assert len(near["doc 0"]) == 2
    assert "doc 0" not in near["doc 0"]
    shown = command("neighbors", run, "doc 0").out
    assert "begins" in shown
    unknown = command("neighbors", run, "xyz")
    assert unknown.code == 2
    assert "no word that was learned" in unknown.err
    assert command("neighbors", run, "doc 0", "--index", tmp_path / "i").code == 2
    lines = tmp_path / "lines.txt"
    lines.write_text("a ship\na cow\n")
    assert command("embed", run, lines, "-o", tmp_path / "v.npy", "-q").code == 0
    assert np.load(tmp_path / "v.npy").shape == (2, 8)
    refused = command("embed", run, lines, "--pooling", "mean")
    assert refused.code == 2
    assert "--pooling" in refused.err
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("text_a,text_b,score\na ship,the tide,5\na cow,the judge,0\nhay,barn,4\n")
    figures = json.loads(command("evaluate", run, pairs, "--json").out)[str(pairs)]
    assert figures["pairs"] == 3
    assert command("convert", run, tmp_path / "v.safetensors").code == 0
    assert ft.load(tmp_path / "v.safetensors").index_to_key[0] == "doc 0"


def test_a_budget_cuts_text_and_names_alike(command: Command, tmp_path: Path) -> None:  # noqa: F811
    text = write_topics(tmp_path / "topics.txt", documents=200)
    done = command(
        "pretrain", "doc2vec", text, "-o", tmp_path / "run", "--budget", "3s", *SETTINGS, "-q"
    )
    assert done.code == 0, done.err
    assert "foretext neighbors" in done.out
    assert len(ft.load(tmp_path / "run")) == 200
