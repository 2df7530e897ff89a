"""What verbs say of plans, exports, servers and doubtful inputs, in both languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from foretext.base.counted import number_of
from foretext.exporting.form import Computed
from foretext.exporting.gguf.causes import Causes
from foretext.exporting.network import NetworkExport
from foretext.exporting.page.checking import Node
from foretext.exporting.page.folder import PageReport, _card, _network_notes
from foretext.exporting.page.network import WrittenNetwork
from foretext.exporting.parity import Parity
from foretext.kinds import KINDS
from foretext.messages import LANGUAGES, Language, in_language, translated
from foretext.pretraining.plan.plan import Plan
from foretext.pretraining.plan.size import Candidate
from foretext.progress.bar import seconds_in_words
from foretext.serving.running import listening_warnings
from foretext.serving.settings import Keys, ServingConfig
from foretext.suggestion.suggest import _cluster_reason, _nothing
from foretext.tasks.class_answers import label_doubts
from foretext.tasks.tagging.learned_rates import LearnedRates, rate_doubts
from foretext.vectors.empty_texts import empty_doubt
from tests.messages.test_errors import ENGLISH, KEPT

SIZE = Candidate("tiny", 2, 128, 2, 10**6, 10**5, 10**7, 1e4, 10**6, 41.0, None, chosen=True)
PLAN = Plan("t5", 60, False, 1, 2, 30, 10**6, 10**5, 1000, (SIZE,), {"a": {"b": 0.5}}, 0.5)
NETWORK = WrittenNetwork(Parity.of([], Computed([], {}), Computed([], {})), {}, 0, 0, 0, ())
GRAPH = SimpleNamespace(max_length=512, longer="a b")
VOCABULARY = SimpleNamespace(form="NFC", longest_word=9)
PAGE = PageReport(Path("page"), "linear classifier", 9, 8, 7, "float32", 1e-4, None, True, ("n",))


def parity() -> Parity:
    def computed(*ids: int) -> Computed:
        numbers = {"vector": [np.arange(8.0)], "labels": [np.array([ids[0]])]}
        return Computed([list(ids)], numbers)

    found = Parity.of([("x",)], computed(1, 2), computed(1, 2))
    return found._replace(otherwise={"words of more than 9 letters": 2})


SAID: dict[str, tuple[Callable[[], Iterable[str]], str, str]] = {
    "plan": (
        lambda: PLAN.sentences(),
        "01:00 in all, by the size of the text (--budget sets another time)",
        "总共 01:00，按文本的大小（用 --budget 指定别的时间）",
    ),
    "unfinished plan": (
        lambda: [*replace(PLAN, chosen_budget=True).sentences()][-1:],
        "after 40 epochs little is left to be learned from a text; more text would help, more "
        "time will not",
        "40 轮之后，从一份文本已学不到多少；更多的文本会有帮助，更多的时间则不会",
    ),
    "size": (lambda: [translated("too large for the memory")], "too large for the", "内存放不下"),
    "parity": (
        lambda: [parity().sentence()],
        "Compared with the original on 1 text: the token ids of all texts are equal, the largest "
        "difference of two numbers is 0 (numbers up to 7), the smallest cosine is 1.000000, 1 of "
        "1 labels are equal. The format's program reads 2 more texts differently (words of more "
        "than 9 letters: 2).",
        "与原模型在 1 个文本上比较：全部文本的词元编号相同，数值的最大差为 0（数值最大 7），"
        "最小的余弦为 1.000000，1 个标签中有 1 个相同。这种格式的程序对另外 2 个文本的读法不同"
        "（超过 9 个字母的词：2）。",
    ),
    "page": (
        lambda: [_card(PAGE, "run").replace("\n", " ")],
        "# page  `run` (linear classifier) as a page, written by foretext ",
        "# page  `run`（线性分类器）的页面，由 foretext ",
    ),
    "page of a network": (
        lambda: _network_notes(NETWORK, Node(None, "-"), None),
        "none of the compared texts is yours; give some by --texts",
        "所比较的文本都不是你的；请用 --texts 给出一些",
    ),
    "inputs that are cut": (
        lambda: [NetworkExport.longer.fget(SimpleNamespace(graph=GRAPH))],  # type: ignore[attr-defined]
        "Inputs of more than 512 tokens are cut; a b.",
        "超过 512 个词元的输入会截断；a b。",
    ),
    "a word that llama.cpp splits": (
        lambda: Causes.notes.func(SimpleNamespace(_vocabulary=VOCABULARY)),  # type: ignore[arg-type]
        "llama.cpp does not compose letters: bring texts into Unicode's form NFC first.",
        "llama.cpp 不组合字母：请先把文本转换为 Unicode 的 NFC 形式。",
    ),
    "server": (
        lambda: listening_warnings(ServingConfig(host="0.0.0.0"), Keys()),
        "Everybody who reaches 0.0.0.0 can use this server; give --api-key-file, or listen at",
        "凡是能访问 0.0.0.0 的人都可以使用这个服务器；请给出 --api-key-file，或在",
    ),
    "texts without vectors": (
        lambda: [empty_doubt(3, 10) or ""],
        "3 of 10 texts (30%) have no word that the model knows, and so no vector but zeros;",
        "10 个文本中有 3 个（30%）没有模型认识的词，因而它们的向量全为零；",
    ),
    "other tags": (
        lambda: rate_doubts(LearnedRates(0.1, 0.0, 0.1), LearnedRates(0.9, 0.9, 0.0), 100),
        "90% of the tokens are tagged as entities, and 10% were in training; ",
        "90% 的词元被标为实体，而训练时为 10%；",
    ),
    "unknown labels": (
        lambda: label_doubts([_Row(("a",)), _Row(("b",))], ["a"]),  # type: ignore[list-item]
        "1 of 2 rows have labels that the model does not know ('b'; it knows 'a' and 0 more), so",
        "2 行中有 1 行的标签是模型不认识的（'b'；它认识 'a' 和另外 0 个），因此",
    ),
    "a suggested text": (lambda: [_cluster_reason(2)], "stands for 2 texts", "代表 2 个文本"),
    "nothing to suggest": (
        lambda: [_nothing("t.txt", {"texts": 2, "repeated": 1, "empty": 1})],
        "t.txt holds no text to suggest (1 repeated, 1 empty); give texts that are not labelled",
        "t.txt 中没有可以建议的文本（1 个重复的，1 个空的）；请给出还没有标注的文本。",
    ),
    "heads": (lambda: [number_of("head", 2)], "2 heads", "2 个输出层"),
    "a long time": (lambda: [seconds_in_words(200)], "3 minutes", "3 分钟"),
    "a short time": (lambda: [seconds_in_words(1)], "a second", "1 秒"),
}


class _Row:
    def __init__(self, labels: tuple[str, ...]) -> None:
        self.labels = labels


@pytest.mark.parametrize("chosen", LANGUAGES)
@pytest.mark.parametrize("name", SAID)
def test_what_is_said(name: str, chosen: Language) -> None:
    say, english, chinese = SAID[name]
    with in_language(chosen):
        said = [*say()]
    assert said[0].startswith(english if chosen == "en" else chinese)
    if chosen == "zh":
        for sentence in said:
            assert not ENGLISH.search(KEPT.sub("", sentence)), sentence


@pytest.mark.parametrize("kind", KINDS)
def test_the_phrase_of_each_kind_is_translated(kind: str) -> None:
    with in_language("zh"):
        assert not translated(KINDS[kind].phrase).isascii()
