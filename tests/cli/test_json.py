"""What `--json` prints, for every verb: one document, or a line for each input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foretext.pretraining.distill import distill
from foretext.search.index import index as make_index
from foretext.tasks.fasttext.classifier import FastTextClassifier
from tests.cli.conftest import Command
from tests.cli.test_help import VERBS
from tests.language_model.models import bert, gpt

COMMANDS = {
    "inspect": "inspect corpus.txt",
    "clean": "clean corpus.txt -o clean --no-rules --workers 1",
    "tokenizer": "tokenizer corpus.txt -o tokenizer --vocab-size 300",
    "show": "show gpt corpus.txt -n 1",
    "pretrain": "pretrain word2vec corpus.txt -o pretrained --set vectors.epochs=1",
    "finetune": "finetune classification linear rows.csv --test rows.csv -o finetuned",
    "compare": "compare --task classification --train rows.csv --test test.csv --only linear "
    "--only fasttext --budget 20s -o compared",
    "evaluate": "evaluate run pairs.txt",
    "predict": "predict classifier queries.txt",
    "suggest": "suggest classifier queries.txt -o suggested.csv -n 1",
    "report": "report run",
    "quantize": "quantize classifier small.ftz",
    "neighbors": "neighbors run ship wave",
    "analogy": "analogy run ship wave judge",
    "embed": "embed run queries.txt -o vectors.npy",
    "index": "index run corpus.txt -o index",
    "search": "search searched ship jury",
    "fill": "fill bert the[MASK]of",
    "generate": "generate gpt the --max-new-tokens 3 --num-samples 2",
    "convert": "convert run vectors.bin",
    "export": "export distilled -o exported --to static",
    "reduce": "reduce run reduced.txt --dim 2",
    "distill": "distill bert -o static --corpus corpus.txt --dim 4 --num-texts 20",
    "extend": "extend bert -o extended --corpus corpus.txt --number 3",
    "align": "align run run aligned.txt",
    "drift": "drift run run",
    "list": "list",
    "plan": "plan bert-tiny corpus.txt --budget 60s",
}


@pytest.fixture(scope="module")
def folder(run: Path, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that the commands read."""
    folder = tmp_path_factory.mktemp("json")
    (folder / "run").symlink_to(run)
    (folder / "corpus.txt").write_bytes(corpus.read_bytes())
    texts = ["the ship on the wave", "the judge and the jury"] * 10
    labels = ["sea", "law"] * 10
    settings = {"dim": 4, "epochs": 1, "workers": 1, "pre_tokenizer": "blanks"}  # as .ftz has it
    FastTextClassifier(**settings).fit(texts, labels).save(folder / "classifier")
    rows = "".join(f"{text},{label}\n" for text, label in zip(texts, labels, strict=True))
    (folder / "rows.csv").write_text("text,label\n" + rows)
    others = "".join(
        f"{label} of the {label} {place},{label}\n" for place, label in enumerate(labels)
    )
    (folder / "test.csv").write_text("text,label\n" + others)
    (folder / "queries.txt").write_text("the ship\nthe jury\n")
    (folder / "pairs.txt").write_text("ship wave 9\nship judge 1\nwave jury 2\n")
    make_index(run, folder / "corpus.txt", folder / "searched", quiet=True)
    bert().save(folder / "bert")
    gpt().save(folder / "gpt")
    distill(folder / "bert", folder / "distilled", quiet=True)
    return folder


OTHERS = {  # that print by other code, or of another model
    "export --page": "export classifier -o page --page",
    "export --page of an index": "export searched -o found --page",
}


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", [*COMMANDS, *OTHERS])
def test_stdout_is_what_the_help_says(
    name: str, command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    verb, *arguments = (COMMANDS | OTHERS)[name].split()
    done = command(verb, *arguments, "--json")
    assert done.code == 0, done.err
    documents = [json.loads(line) for line in done.out.splitlines()]
    shown = " ".join(command(verb, "--help").out.split())
    assert len(documents) == (1 if "as one JSON document" in shown else 2)


def test_a_line_for_each_input(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for verb, arguments in (("predict", ["--json"]), ("embed", [])):
        assert "for each input" in " ".join(command(verb, "--help").out.split())
        run = "classifier" if verb == "predict" else "run"
        lines = command(verb, run, "queries.txt", *arguments).out.splitlines()
        assert len([json.loads(line) for line in lines]) == 2


def test_every_verb_has_a_command() -> None:
    # demo takes long, and serve ends by a signal; `test_verbs` and `test_serve` run them
    assert {*COMMANDS, "demo", "serve"} == set(VERBS)
