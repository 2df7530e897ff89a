"""Verbs in Chinese: no English sentence is left on the terminal, and JSON stays as it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import foretext as ft
from foretext.cli.evaluate import _show as show_evaluation
from foretext.cli.shared import figure_title
from foretext.messages import LANGUAGES, VARIABLE, Language, in_language
from tests.cli.conftest import Command

KEPT = re.compile(r"`[^`]*`|'[^']*'|foretext [a-z].*|[\w.-]+ = \S+|/\S+|--[a-z-]+")
ENGLISH = re.compile(r"(?:[A-Za-z]+ ){2,}[A-Za-z]+")
POEM = ["海上的船驶向港口", "法官在法庭上宣读判决"] * 20
NUMBERED = [f"{text}，第{number}次" for number, text in enumerate(POEM)]


@pytest.fixture
def chinese(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Run a verb in Chinese, and look for English sentences in what it says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, "zh")
    Path("text.txt").write_text("\n".join(POEM), encoding="utf-8")

    def run(*arguments: object) -> object:
        done = command(*arguments)
        assert done.code == 0, done.err
        for line in (done.out + done.err).splitlines():
            assert not ENGLISH.search(KEPT.sub("", line)), line
        return done

    return run  # type: ignore[return-value]


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chinese")
    rows = [(text, label) for text, label in zip(NUMBERED, ["海", "法"] * 20, strict=True)]
    with in_language("zh"):
        ft.finetune("classification", "linear", rows, folder / "run", test=rows, quiet=True)
    (folder / "rows.tsv").write_text(
        "text\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in rows), encoding="utf-8"
    )
    return folder


def test_what_is_listed(chinese: Command) -> None:
    assert "没有权重的基础模型" in chinese("list").out
    candidates = chinese("list", "--candidates", "classification").out
    assert candidates.splitlines()[0].split() == ["候选", "类别", "公平比较所需"]
    assert "从零开始" in candidates


def test_a_text(chinese: Command) -> None:
    said = chinese("inspect", "text.txt").out
    assert re.search(r"^完全重复 +占 .*的 95\.0 % *$", said, re.MULTILINE)
    assert re.search(r"^文字 +汉字 100\.0 % *$", said, re.MULTILINE)
    assert "保留的词元" in said
    assert "警告：只有" in said or "错误：只有" in said
    found = json.loads(chinese("inspect", "text.txt", "--json").out)
    assert found["scripts"] == {"Han": 1.0}


def test_a_cleaned_text(chinese: Command) -> None:
    said = chinese("clean", "text.txt", "-o", "clean", "--no-rules").out
    assert "保留了 40 篇文档中的 2 篇" in said
    assert re.search(r"^丢弃原因 +文档 +份额 *$", said, re.MULTILINE)


def test_progress(chinese: Command) -> None:
    done = chinese("tokenizer", "text.txt", "-o", "tokens", "--kind", "bpe")
    assert re.search(r"^学习 bpe  100 %  .*字节/秒", done.err, re.MULTILINE)
    assert "繁殖率" in done.out
    assert "最长的词元：" in done.out


def test_a_classifier(chinese: Command, classifier: Path) -> None:
    rows = classifier / "rows.tsv"
    said = chinese("finetune", "classification", "linear", rows, "-o", "run", "--test", rows).out
    assert "已保存到 run；试试：foretext predict run INPUT" in said
    assert re.search(r"^准确率 +1\.0000", said, re.MULTILINE)
    measured = chinese("evaluate", classifier / "run", rows).out
    assert re.search(r"^标签 +精确率 +召回率", measured, re.MULTILINE)
    assert re.search(r"^校准误差 +0\.", measured, re.MULTILINE)
    for table in (said, measured):
        first = [line.split("  ")[0] for line in table.splitlines()]
        assert not [name for name in first if re.fullmatch(r"[a-z]+_[a-z0-9]+", name)]
    found = json.loads(chinese("evaluate", classifier / "run", rows, "--json").out)
    assert "accuracy" in found[str(rows)]


def test_a_file_for_word_vectors(capsys: pytest.CaptureFixture[str]) -> None:
    figures = {"kind": "word pairs", "spearman": 0.5, "semantic": 0.25, "columns": ["1", "2", "3"]}
    with in_language("zh"):
        show_evaluation(Path("q.txt"), figures)
    said = capsys.readouterr().out
    assert [line.split()[:2] for line in said.splitlines() if line.strip()][1:] == [
        ["种类", "词对"],
        ["Spearman", "相关"],
        ["语义类比", "0.2500"],
        ["列", "1,"],
    ]


FIGURES = (  # of every kind of run, as JSON names them
    "accuracy answerable_rate answered_rate area_under_curve average_precision best_accuracy "
    "best_accuracy_threshold best_f1 best_f1_precision best_f1_recall best_f1_threshold "
    "best_null_threshold bits_per_byte bits_per_character bits_per_token calibration_error "
    "coherence composed_of_ngrams exact_match graph_recall loss macro_f1 majority "
    "mean_squared_error micro_f1 out_of_vocabulary pairs perplexity positive_label precision "
    "predicted_words principal_components queries questions recall squared_error texts "
    "thresholds tokens uniformity unknown_tokens weighted_f1 without_answer without_vector "
    "word_perplexity words"
)


@pytest.mark.parametrize("name", FIGURES.split())
def test_a_figure_has_a_chinese_name(name: str) -> None:
    with in_language("en"):
        assert figure_title(name) == name
    with in_language("zh"):
        said = figure_title(name)
    assert re.search(r"[\u4e00-\u9fff]", said)
    assert not re.search(r"[a-z]{2}", said)


@pytest.mark.parametrize("chosen", LANGUAGES)
def test_sections_of_a_file_keep_their_names(
    chosen: Language, capsys: pytest.CaptureFixture[str]
) -> None:
    sections = {"句子": 0.5, "loss": 0.25, "no label": 0.75, "3 rows": 1.0}
    with in_language(chosen):
        show_evaluation(Path("q.txt"), {"accuracy": 0.5, "sections": sections})
    said = capsys.readouterr().out
    for name, value in sections.items():
        assert re.search(rf"^{name} +{value:.4f}", said, re.MULTILINE)
    assert ("准确率" in said) == (chosen == "zh")


REFUSED = {
    "export run -o page --page --to gguf": "--page 和 --to gguf 是两种不同的导出；请只给出",
    "export run -o page --limit 5": "没有 --page 时 --limit 不起作用；请去掉它。",
    "extend run -o new": "请说明要哪些词：--tokens FILE 或 --corpus TEXT，二者选一。",
    "convert v.txt labels.spacy --limit 5": "--limit 不起作用：labels.spacy 要存放标签，而不是",
    "distill run -o new --into network": "--into network 需要 --corpus。",
    "distill run -o new --into static --num-texts 5": "没有 --corpus 时 --num-texts 不起作用；",
    "list --pairs --settings bert": "--pairs、--settings 显示不同的内容；请只给出其中一个。",
    "plan bert --device h100": "没有 --dry-run 时 --device 不起作用；请去掉它，或加上",
    "neighbors none.txt sea": "none.txt：没有这个文件；请检查路径。",
    "search . sea": ". 中没有 foretext 的运行。",
    "finetune classification linear text.txt -o new --draws 3": "没有 --curve 时 --draws 不起",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_is_refused(
    arguments: str, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("\n".join(POEM), encoding="utf-8")
    done = command(*arguments.split(), "--lang", "zh")
    assert (done.code, done.out) == (2, "")
    assert REFUSED[arguments] in done.err
    assert not ENGLISH.search(KEPT.sub("", done.err.removeprefix("foretext: "))), done.err
