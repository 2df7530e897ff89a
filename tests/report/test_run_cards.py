"""Cards of finished runs again, in another language; what people wrote there stays."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import ModelFileError, OutputError
from foretext.base.marked_part import FIRST, marked, marked_part, replaced
from foretext.messages import VARIABLE, in_language
from foretext.report.run_cards import rewrite_card
from foretext.report.run_report import report_run
from tests.cli.conftest import Command
from tests.cli.conftest import command as command  # a fixture
from tests.report.comparison_content import content
from tests.report.test_languages import RUN, check

# In Greek, so that every Latin word of a page is foretext's.
TEXT = [
    "το πλοίο πλέει πάνω στο κύμα της θάλασσας",
    "ο δικαστής ρωτά τους ενόρκους στο δικαστήριο",
] * 20
ROWS = [(text, label) for text, label in zip(TEXT, ["θάλασσα", "νόμος"] * 20, strict=True)]
NETWORK = [
    "backbone.dim=8", "backbone.num_layers=1", "backbone.num_heads=2", "training.steps=2",
    "tokenizer.vocab_size=60", "tokenizer.min_count=1", "objective.row_length=16",
]  # fmt: skip


def words(out: Path) -> None:
    ft.Word2Vec(vector_size=4, epochs=1, min_count=1).fit(TEXT, out=out)


def documents(out: Path) -> None:
    ft.Doc2Vec(vector_size=4, epochs=1, min_count=1).fit(TEXT, out=out)


def topics(out: Path) -> None:
    settings = ["topics.num_topics=2", "topics.epochs=1", "tokenizer.min_count=1"]
    ft.pretrain("lda", TEXT, out, settings=[*settings, "topics.most_documents=1.0"])


def language_model(out: Path) -> None:
    ft.pretrain("bert", TEXT, out, settings=NETWORK)


def autoencoder(out: Path) -> None:
    examples = np.random.default_rng(0).random((20, 4, 4), np.float32)
    ft.Autoencoder(dim=2, steps=2, batch_examples=4).fit(examples, out=out)


def task(out: Path) -> None:
    ft.finetune("classification", "linear", ROWS, out, test=ROWS)


def tagger(out: Path) -> None:
    rows = [(["το", "πλοίο", "πλέει"], ["O", "B-θ", "O"]), (["ο", "νόμος"], ["O", "O"])] * 12
    ft.finetune("tagging", "linear", rows, out, test=rows, quiet=True)


def matcher(out: Path) -> None:
    rows = [(TEXT[0], TEXT[0], "ναι"), (TEXT[0], TEXT[1], "όχι")] * 20
    ft.finetune("matching", "linear", rows, out, test=rows, quiet=True)


def reader(out: Path) -> None:
    row = {"question": "τι πλέει", "context": TEXT[0], "answers": ["το πλοίο"]}
    settings = ["backbone.dim=8", "training.epochs=1.0"]
    ft.finetune("span_qa", "reader", [row] * 12, out, test=[row], settings=settings, quiet=True)


def embeddings(out: Path) -> None:
    if not out.with_name("words").exists():
        words(out.with_name("words"))
    beside = str(out.with_name("words"))
    ft.finetune("classification", "embeddings", ROWS, out, test=ROWS, beside=beside, quiet=True)


MAKERS = (words, documents, topics, language_model, autoencoder, task, tagger, matcher, reader,
          embeddings)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Runs that were made in English, by the names of their makers."""
    folder = tmp_path_factory.mktemp("cards")

    def run(name: str) -> Path:
        if not (folder / name).exists():
            with in_language("en"):
                next(each for each in MAKERS if each.__name__ == name)(folder / name)
        return folder / name

    return run


@pytest.mark.parametrize("name", [each.__name__ for each in MAKERS])
def test_a_card_is_written_again_in_both_languages(name: str, made: Callable[[str], Path]) -> None:
    card = made(name) / "README.md"
    english = card.read_text(encoding="utf-8")
    with in_language("zh"):
        assert rewrite_card(made(name)) == (card, True)
    chinese = card.read_text(encoding="utf-8")
    part = marked_part(chinese)
    assert part is not None
    outside = re.sub(r"```.*?```|`[^`]*`", "", part, flags=re.DOTALL)
    assert not [line for line in outside.splitlines() if RUN.search(line)]
    assert len(re.findall("[\u4e00-\u9fff]", outside)) > 40
    with in_language("en"):
        assert rewrite_card(made(name)) == (card, True)
    assert card.read_text(encoding="utf-8") == english


@pytest.mark.parametrize("name", [each.__name__ for each in MAKERS])
def test_the_page_of_what_was_learned_is_chinese(name: str, made: Callable[[str], Path]) -> None:
    with in_language("zh"):
        shown = check(report_run(made(name)).read_text(encoding="utf-8"))
    assert "设置" in shown.text


def test_what_people_wrote_around_it_stays(made: Callable[[str], Path]) -> None:
    card = made("task") / "README.md"
    own = card.read_text(encoding="utf-8")
    before, after = "---\nlicense: mit\n---\n", "\n## Our notes\n\nAsk Ann.\n"
    card.write_text((before + own + after).replace("\n", "\r\n"), encoding="utf-8", newline="")
    with in_language("zh"):
        assert rewrite_card(made("task")) == (card, True)
    text = card.read_text(encoding="utf-8")
    assert text.startswith(before + FIRST)
    assert text.endswith(after)
    assert "## 设置" in text
    assert card.read_bytes().count(b"\r\n") == card.read_bytes().count(b"\n")
    card.write_text(own, encoding="utf-8")


def test_a_part_that_was_changed_is_left(
    made: Callable[[str], Path], command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made("task")
    card = run / "README.md"
    own = card.read_text(encoding="utf-8")
    changed = own.replace("# Classification", "# My classifier")
    assert changed != own
    for text in (changed, "# Mine\n", own.replace(FIRST, "")):
        card.write_text(text, encoding="utf-8")
        monkeypatch.setenv(VARIABLE, "zh")
        done = command("report", str(run), "--json")
        assert json.loads(done.out) == {"report": str(run / "report.html"), "card": None}
        assert "README.md 保持原样" in done.err
        assert card.read_text(encoding="utf-8") == text
    done = command("report", str(run))
    assert "README.md 保持原样：其中由 foretext 写的部分被人改过，或者没有标记" in done.err
    card.unlink()
    assert "模型卡：" in command("report", str(run)).out
    assert "## 设置" in card.read_text(encoding="utf-8")
    card.write_text(own, encoding="utf-8")


def test_without_a_language_it_stays(
    made: Callable[[str], Path], command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made("task")
    (run / "README.md").unlink()
    monkeypatch.setenv(VARIABLE, "")
    done = command("report", str(run))
    assert (done.out, done.err) == (f"page: {run / 'report.html'}\n", "")
    assert not (run / "README.md").exists()
    rewrite_card(run)


def test_a_card_without_marks_is_known_by_its_text(made: Callable[[str], Path]) -> None:
    card = made("words") / "README.md"
    own = card.read_text(encoding="utf-8")
    part = marked_part(own)
    assert part is not None
    card.write_text(part, encoding="utf-8")
    with in_language("zh"):
        assert rewrite_card(made("words")) == (card, True)
    with in_language("en"):
        rewrite_card(made("words"))
    assert card.read_text(encoding="utf-8") == own


def test_a_card_keeps_the_path_that_it_names(
    made: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "runs" / "first"
    shutil.copytree(made("words"), run)
    card = run / "README.md"
    monkeypatch.chdir(tmp_path)
    card.unlink()
    with in_language("en"):
        rewrite_card("runs/first")
    own = card.read_text(encoding="utf-8")
    assert 'load("runs/first")' in own
    monkeypatch.chdir(run)
    for text in (own, marked_part(own)):
        assert text is not None
        card.write_text(text, encoding="utf-8")
        with in_language("en"):
            assert rewrite_card(".") == (Path("README.md"), True)
        assert card.read_text(encoding="utf-8") == own
    card.unlink()
    rewrite_card(".")
    assert f'load("{run.resolve()}")' in card.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").rename("moved")
    rewrite_card("moved/first")
    assert 'load("moved/first")' in (tmp_path / "moved" / "first" / "README.md").read_text("utf-8")


def test_the_page_is_named_before_its_card_is_refused(
    made: Callable[[str], Path], tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    shutil.copytree(made("words"), run)
    config = run / "config.json"
    facts = json.loads(config.read_text(encoding="utf-8"))
    config.write_text(json.dumps(facts | {"pre_tokenizer": 1}), encoding="utf-8")
    monkeypatch.setenv(VARIABLE, "en")
    done = command("report", str(run))
    assert done.code == 2
    assert done.out == f"page: {run / 'report.html'}\n"
    assert "pre_tokenizer" in done.err


DAMAGES = [("words", "pre_tokenizer"), ("topics", "coherence"), ("autoencoder", "autoencoder"),
           ("task", "usage"), ("documents", "pre_tokenizer")]  # fmt: skip


@pytest.mark.parametrize(("name", "fact"), DAMAGES)
def test_damaged_facts_are_reported(name: str, fact: str, made: Callable[[str], Path]) -> None:
    config = made(name) / "config.json"
    kept = config.read_text(encoding="utf-8")
    facts = json.loads(kept)
    for value in ({}, None):
        changed = {**facts, fact: value}
        config.write_text(json.dumps(changed), encoding="utf-8")
        with pytest.raises(ModelFileError, match=fact):
            rewrite_card(made(name))
    config.write_text(kept, encoding="utf-8")


@pytest.mark.parametrize("name", [each.__name__ for each in MAKERS])
def test_foreign_facts_change_no_card(name: str, made: Callable[[str], Path]) -> None:
    config, card = made(name) / "config.json", made(name) / "README.md"
    kept = config.read_text(encoding="utf-8")
    names = ("folder", "word", "read", "notes", "settings", "folding", "title", "shape_of", "rows",
             "figures", "topn", "perplexity", "opened_by", "key", "self", "text")  # fmt: skip
    facts = json.loads(kept)
    config.write_text(json.dumps(dict.fromkeys(names, "foreign") | facts), encoding="utf-8")
    with in_language("en"):
        rewrite_card(made(name))
    text = card.read_text(encoding="utf-8")
    config.write_text(kept, encoding="utf-8")
    with in_language("en"):
        rewrite_card(made(name))
    assert card.read_text(encoding="utf-8") == text
    assert "foreign" not in text


def test_a_run_without_a_step_has_a_card(tmp_path: Path) -> None:
    run = tmp_path / "tiny"
    with in_language("en"):
        ft.Word2Vec(vector_size=4, epochs=1, min_count=1).fit(
            ["the ship and the harbour"] * 30, out=run
        )
    assert json.loads((run / "config.json").read_text(encoding="utf-8"))["seconds"] is None
    with in_language("zh"):
        assert rewrite_card(run) == (run / "README.md", True)
    assert "| 训练秒数 | 未知 |" in (run / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", ["", '{"loss": "low"}'])
def test_metrics_without_a_loss_are_reported(line: str, made: Callable[[str], Path]) -> None:
    metrics = made("language_model") / "metrics.jsonl"
    kept = metrics.read_text(encoding="utf-8")
    last = {**json.loads(kept.splitlines()[-1]), **json.loads(line or "{}")}
    metrics.write_text(f"{json.dumps(last)}\n" if line else "")
    with pytest.raises(OutputError, match=r"metrics\.jsonl has no loss in its last line"):
        rewrite_card(made("language_model"))
    metrics.write_text(kept, encoding="utf-8")


def test_a_folder_without_a_card_of_a_run_is_left(
    made: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text("\n".join(TEXT), encoding="utf-8")
    ft.index(made("words"), tmp_path / "text.txt", tmp_path / "index", quiet=True)
    assert rewrite_card(tmp_path / "index") is None


@pytest.fixture
def comparison(made: Callable[[str], Path], tmp_path: Path) -> Path:
    """A comparison whose best model is a classifier."""
    folder = tmp_path / "compared"
    shutil.copytree(made("task"), folder / "best")
    (folder / "compare.json").write_text(json.dumps(content()), encoding="utf-8")
    return folder


def test_the_card_of_the_best_model_of_a_comparison(
    comparison: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = comparison / "best" / "README.md"
    english = card.read_text(encoding="utf-8")
    done = command("report", str(comparison), "--lang", "zh")
    assert done.code == 0
    assert done.out == f"报告页：{comparison / 'report.html'}\n模型卡：{card}\n"
    assert "## 设置" in card.read_text(encoding="utf-8")
    assert f'load("{comparison / "best"}")' in card.read_text(encoding="utf-8")
    monkeypatch.setenv(VARIABLE, "en")
    assert json.loads(command("report", str(comparison), "--json").out)["card"] == str(card)
    assert card.read_text(encoding="utf-8").count("\n") == english.count("\n")


def test_a_comparison_without_a_best_model_has_no_card(comparison: Path, command: Command) -> None:
    shutil.rmtree(comparison / "best")
    done = command("report", str(comparison), "--lang", "zh", "--json")
    assert json.loads(done.out) == {"report": str(comparison / "report.html"), "card": None}


def test_marks_around_any_text() -> None:
    part = "a\\1 <!-- end of foretext's card 0 -->\n"
    text = f"before\n{marked(part)}after\n"
    assert marked_part(text) == part
    other = "\\g<1>\n"
    assert replaced(text, other) == f"before\n{marked(other)}after\n"
    assert replaced(text.replace("a\\1", "a"), "b\n") is None
    assert replaced("before\n", "b\n") is None
