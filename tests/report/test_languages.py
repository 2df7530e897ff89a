"""Pages and cards in Chinese: nothing English is left in them, and stored sentences are translated.

What stays is code, names of settings, files and models, and the text of the user.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from foretext.corpus import Corpus
from foretext.corpus.inspection import inspect_corpus
from foretext.finetuning.verdict import verdict
from foretext.messages import LANGUAGES, in_language, message, messages_of, translated
from foretext.report.cleaning_report import write_cleaning_report
from foretext.report.comparison_report import write_comparison_report
from foretext.report.corpus_report import write_corpus_report
from foretext.report.run_report import report_run
from foretext.report.task_card import task_card
from foretext.report.task_report import write_task_report
from foretext.tasks.matching.linear import LinearMatcher
from tests.comparison.test_recommendation import entry, sentence
from tests.finetuning.test_verdict import COMMAND, FACTS, beside
from tests.report import run_folders
from tests.report.comparison_content import content, label_curve
from tests.report.parsed_page import Chart, Page
from tests.report.run_folders import KINDS, make_run
from tests.report.task_facts import facts, spread
from tests.report.test_task_report import CHANGES, METRICS, TEXTS, written

WORDS = 3  # in a row, that are no sentence: names of recipes, of models, of settings
RUN = re.compile(rf"(?:[A-Za-z]+['’]?[a-z]*[ ,;:]+){{{WORDS},}}[A-Za-z]+")
BASELINE = "word-by-word translation (IBM model 1)"
OURS = {"wordpiece tokenizer", "a fine film"}  # of the contents that tests make up


def said(chart: Chart) -> Iterator[str]:
    """Texts of a chart that a reader sees, but for values."""
    yield chart.about
    yield from (each.strip() for each in chart.around)
    yield from (name for values in chart.values() for name in values)


def check(html: str) -> Page:
    """A page whose texts are Chinese."""
    shown = Page(html)
    assert ("lang", "zh-CN") in shown.attributes
    plain = shown.text.replace(run_folders.EVIL, "")
    left = [line.strip() for line in plain.splitlines() if RUN.search(line)]
    assert not [line for line in left if not any(own in line for own in OURS)]
    charts = {title for chart in shown.charts.values() for title in said(chart)}
    assert not [title for title in charts if re.fullmatch(r"[a-z]+ [a-z -]+", title)]
    assert len(re.findall("[\u4e00-\u9fff]", shown.text)) > 20
    return shown


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_of_a_run(tmp_path: Path, kind: str) -> None:
    run = make_run(tmp_path / "run", kind)
    with in_language("zh"):
        shown = check(report_run(run).read_text(encoding="utf-8"))
    assert "设置" in shown.text
    english = Page(report_run(run).read_text(encoding="utf-8"))
    assert "Settings" in english.text
    assert ("lang", "en") in english.attributes
    assert english.charts.keys() == shown.charts.keys()
    assert english.tags == shown.tags


def test_the_page_of_texts_from_texts(tmp_path: Path) -> None:
    examination = {
        **TEXTS,
        "samples": [written(), written(baseline=None)],
        "worst_texts": [written(output="", faults=["copies most of its source"])],
        "quality": [
            {"low": 1, "high": 4, "rows": 20, "model": model, "chrf": 50.0}
            for model in ("this model", BASELINE)
        ],
    }
    baseline = {**CHANGES["baseline"], "name": BASELINE}
    changes = {**CHANGES, "baseline": baseline, "files": LinearMatcher.files}
    given = facts("text_to_text", **changes)
    page = tmp_path / "page.html"
    with in_language("zh"):
        write_task_report(
            page, title="我的", facts=given, settings={}, metrics=METRICS, examination=examination
        )
        card = task_card(given, {}, Path("run"))
    shown = check(page.read_text(encoding="utf-8"))
    assert "大部分照抄源文本" in shown.text
    assert "输出的缺陷" in shown.text
    assert "逐词翻译（IBM 模型 1）" in card
    outside = re.sub(r"```.*?```|`[^`]*`", "", card, flags=re.DOTALL)
    assert not [line for line in outside.splitlines() if RUN.search(line)]


def test_the_page_of_a_comparison(tmp_path: Path) -> None:
    said = sentence(entry("bert", 0.905, 20.0), entry("linear", 0.9, 0.1))
    failed = "It was not among the better half after round 1."
    found = content(
        recommendation={"name": "linear", "sentence": said},
        label_curve=label_curve(),
        warnings=[],
        notes=["no corpus was given: the texts of the 1,200 rows to learn from are it"],
    )
    for each in found["candidates"]:
        each["sentence"] = each["sentence"] and failed
    found["label_curve"]["sentence"] = (
        "With fewer than about 650 labels use doc2vec, with more use linear (where exactly between "
        "100 and 1,200 is not known)."
    )
    for each in found["label_curve"]["cells"]:
        each["sentence"] = None
    with in_language("zh"):
        write_comparison_report(found, tmp_path / "report.html")
    shown = check((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert (
        "用 linear：留出行上的准确率 0.900 与最好者（bert 的 0.905）相差不到一个标准误"
        in shown.text
    )
    assert "，每行只需 0.1 ms，而不是 20 ms；在 300 个测试行上是" in shown.text
    assert "标签少于约 650 个时用 doc2vec，更多时用 linear" in shown.text
    assert "第 1 轮比较之后，它不在较好的一半之中。" in shown.text


def test_the_page_of_a_corpus(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("国王 和 王后\n" * 9 + "她 很 好\n<br>\n")
    found = inspect_corpus(Corpus(text)).as_dict()  # in English
    with in_language("zh"):
        write_corpus_report(tmp_path / "page.html", found, title="text.txt")
    shown = check((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "太少，任何目标都只能记住自己的样本" in shown.text


def test_the_page_of_a_cleaned_corpus(tmp_path: Path) -> None:
    found = {
        "files": 1, "bytes": 100, "seconds": 1.0, "changed": 1, "masked": {"EMAIL": 2},
        "read": {"documents": 4, "characters": 400}, "kept": {"documents": 2, "characters": 200},
        "reasons": {"exact_duplicate": 1, "min_words": 1}, "languages": {"zh": 2},
        "language_by": "script", "changes": [{"before": "ａ", "after": "a"}],
        "warnings": ["exact_duplicate drops 60% of the documents; look in dropped.jsonl to see "
                     "whether that is right."],
        "examples": {"exact_duplicate": [{"file": "a.txt", "line": 3, "beginning": "国王"}]},
        "settings": {"clean": {"duplicates": "near"}},
    }  # fmt: skip
    with in_language("zh"):
        write_cleaning_report(tmp_path / "page.html", found, title="a.txt")
    shown = check((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "丢弃：完全重复" in shown.text
    assert "exact_duplicate 丢弃了 60% 的文档；请看 dropped.jsonl，判断是否妥当。" in shown.text


def test_a_card_of_a_task() -> None:
    given = verdict(
        FACTS,
        {"part": "test", "rows": 1200, "figures": {"macro_f1": 0.9},
         "beside": {"baseline": beside(0.85, 0.05)}},
        COMMAND,
        "",
    )  # fmt: skip
    seeds = {"seeds": [1, 2, 3], "valid": spread(0.8), "test": spread(0.75)}
    found = facts(
        verdict=given,
        seeds=seeds,
        structure=[{"layer": "Linear", "shape": [3, 4]}],
        files=LinearMatcher.files,
    )
    sections = {"run": {"task": "classification", "train": "a.csv", "test": "b.csv"}}
    with in_language("zh"):
        text = task_card(found, sections, Path("runs/mine"), None)
    assert "模型好于基线（TF-IDF 与逻辑回归）：在 1,200 个测试行上，宏平均 F1 为" in text
    assert "不是偶然能解释的。**" in text
    outside = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    assert not [line for line in outside.splitlines() if RUN.search(line)]
    assert "```toml" in text


STORED = [
    "Train longer (--budget, or --set training.epochs), with a higher learning rate (--set "
    "training.learning_rate).",
    "All 40 texts got the same answer, 'yes', although 2 different ones are right. Train longer "
    "(--budget, or --set training.epochs), with a higher learning rate (--set "
    "training.learning_rate).",
    "the held-out loss was lowest at epoch 3 (2.5) and is 2.9 now, at epoch 9: the vectors overfit "
    "this text; set vectors.epochs=3",
    "Chosen for these rows: lr 0.5, 5 epochs, pairs of words, lower case.",
    "linear has not learned: accuracy 0.500 on the held-out rows, where the most frequent answer "
    "has 0.500",
]


@pytest.mark.parametrize("said", STORED)
def test_a_stored_sentence_is_told_again_in_both_directions(said: str) -> None:
    with in_language("zh"):
        found = translated(said)
    assert not RUN.search(re.sub(r"--?[a-z.=_ ]+|BASE", "", found)), found
    with in_language("en"):
        again = translated(found)
        assert translated(said) == said
    assert again.rstrip(".").lower() == said.rstrip(".").lower()


DOUBTS = sorted(name for name in messages_of("findings", "en") if name.startswith("doubt."))
COUNTED = sorted(name for name in messages_of("counts", "en") if name.endswith((".one", ".many")))


def filled_message(key: str) -> str:
    """The message of a key in the language of here, with values as the rows of a user have them."""
    values = {"number": 1 if key.endswith("one") else 3, "rate": 0.25, "factor": 3.0}
    texts = {"label": "spam", "tag": "B-X", "entity": "St Ives", "other": "in St Ives",
             "source": "hello", "target": "hallo", "scheme": "IOB2"}  # fmt: skip
    numbers = {"total": 1200, "least": 5, "count": 2, "same": 7}
    if "{other:" in messages_of("findings", "en").get(key.removeprefix("findings."), ""):
        numbers["other"] = 4
    return message(key, **{**texts, **values, **numbers})


@pytest.mark.parametrize(
    "key", [*(f"findings.{name}" for name in DOUBTS), *(f"counts.{name}" for name in COUNTED)]
)
def test_doubts_and_counts_are_told_again_in_both_directions(key: str) -> None:
    found = {}
    for chosen in LANGUAGES:
        with in_language(chosen):
            found[chosen] = filled_message(key)
    for chosen in LANGUAGES:
        with in_language(chosen):
            assert [translated(each) for each in found.values()] == [found[chosen]] * 2


def test_what_is_not_of_the_catalogue_stays() -> None:
    text = "A sentence that nobody here has ever said; it has two parts."
    with in_language("zh"):
        assert translated(text) == text
        assert translated("x" * 10_000) == "x" * 10_000
        assert translated(json.dumps({"a": 1})) == '{"a": 1}'


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (
            "All 1,200 test rows are of one kind ('other'), so that a model which always answers "
            "this is right; give rows of every kind.",
            "全部 1,200 个测试行都是同一类（'other'），总是这样回答的模型就是对的；"
            "请给出每一类的行。",
        ),
        ("30 of 40 outputs are the same: 'none'.", "40 个输出中有 30 个相同：“none”。"),
        (
            "Use embeddings: accuracy 0.900 on the held-out rows is the best, and linear and 3 "
            "others are about as good and not much faster in use.",
            "用 embeddings：留出行上的准确率 0.900 是最好的，linear 和另外 3 个都与它相近，"
            "用起来也快不了多少。",
        ),
        (
            "embeddings has not learned: accuracy 0.500 on the held-out rows, where the most "
            "frequent answer has 0.500",
            "embeddings 没有学会：留出行上的准确率为 0.500，而最常见的答案就有 0.500",
        ),
        ("held-out loss", "留出损失"),
        (
            "Scripts are mixed: 60% of the letters are Han, 40% Latin; they share one vocabulary.",
            "文字混用：60% 的字母是汉字，40% 是拉丁字母；它们共用一个词表。",
        ),
        (
            "its head reads words beside labels, and these rows have scores",
            "它的输出层在标签之外还读取词，而这些数据行带的是得分",
        ),
        (
            "30% of the words with letters beyond ASCII are of no language ('âåð', a.txt, line "
            "1,234): the text was read by a wrong encoding; set corpus.encoding to the one that "
            "it has, or convert the file again from its source.",
            "含有非 ASCII 字母的词中有 30% 不属于任何语言（“âåð”，a.txt，第 1,234 行）："
            "文本是按错误的编码读取的；请把 corpus.encoding 设为它的编码，或从来源重新转换文件。",
        ),
    ],
)
def test_names_and_texts_of_the_user_stay(said: str, found: str) -> None:
    with in_language("zh"):
        assert translated(said) == found


@pytest.mark.parametrize("figure", ["1e-05", "2.5e+03", "inf", "nan", "-0.25", "12.5%"])
def test_numbers_of_every_form_are_told_again(figure: str) -> None:
    said = f"set vectors.alpha={figure} and give more text"
    with in_language("zh"):
        assert translated(said) == f"设置 vectors.alpha={figure}，并给出更多文本"
        worth = f"at 800 labels another 80 are worth about {figure} points of accuracy "
        assert "个标签" in translated(f"{worth}({figure} to {figure}) to embeddings")
