"""What the actions of tasks draw: marked words, tags, answers and alignments, seen and not seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.report.browser import Browser
from tests.serving.browser.cases import rows
from tests.serving.browser.playground import Playground
from tests.serving.browser.presets import presets
from tests.serving.conftest import running

STYLES = """
return [...document.querySelectorAll("mark.decisive")].map((mark) => {
  const style = getComputedStyle(mark);
  return [mark.textContent, style.borderBottomStyle, style.backgroundColor];
});
"""
MARKED = """
return [...document.querySelectorAll(arguments[0])].map((text) => [...text.childNodes].map(
  (node) => node.nodeType === Node.TEXT_NODE ? node.data : `[${node.textContent}]`).join(""));
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(presets()) as server:
        yield server.url


def asked(browser: Browser, url: str, model: str, action: str, **options: Any) -> Playground:
    """A page whose action has been run."""
    page = Playground(browser, url, model, action, **options)
    page.run_by_click()
    return page


# Words that decided


@pytest.mark.slow
def test_words_are_marked_where_they_stand_by_line_and_by_strength(
    browser: Browser, url: str
) -> None:
    page = asked(browser, url, "mood", "classify", typed={"text": "😀 not so wonderful 😀 ."})
    assert page.run(MARKED, ".explained .text") == ["😀 [not] [so] [wonderful] 😀 ."]
    styles = {word: (line, color) for word, line, color in page.run(STYLES)[:3]}
    assert styles["wonderful"][0] == styles["so"][0] == "solid"
    assert styles["not"][0] == "dashed"
    assert len({styles[word][1] for word in ("wonderful", "so", "not")}) == 3
    assert rows(page, ".explained table")[:3] == [
        ["not", "against", "−1.00"],
        ["wonderful", "for", "+0.90"],
        ["so", "for", "+0.20"],
    ]
    assert "left out in turn" in page.texts(".explained > p.soft")[0]
    page.check()


@pytest.mark.slow
def test_a_label_is_chosen_to_see_its_words(browser: Browser, url: str) -> None:
    page = asked(browser, url, "mood", "classify", typed={"text": "a film"})
    assert "Words that decided on “good”" in page.texts(".explained h2")
    page.tab_to(".bars tr:nth-child(2) button")
    page.press(" ")
    page.wait(lambda: "Words that decided on “bad”" in page.texts(".explained h2"), "other words")
    assert page.find("#field-label").get_attribute("value") == "bad"
    assert '"label": "bad"' in page.code()[0]


def test_text_stays_text(browser: Browser, url: str) -> None:
    text = "<img src=x onerror=alert(1)> <script>alert(2)</script>"
    page = asked(browser, url, "mood", "classify", typed={"text": text})
    assert page.find(".explained .text").text == text
    assert "<b>odd</b>" in page.texts(".bars th button")
    assert page.find_all(".answer img") == []
    page.check()


@pytest.mark.slow
def test_words_of_both_texts_are_marked_each_in_its_own(browser: Browser, url: str) -> None:
    typed = {"text_a": "old ships", "text_b": "ships of old"}
    page = asked(browser, url, "both", "pairs", typed=typed)
    found = page.run(MARKED, ".explained .text")
    assert found == ["[First text: ][old] [ships]", "[Second text: ][ships] [of] [old]"]
    assert [row[0] for row in rows(page, ".explained table")][:2] == [
        "ships · First text",
        "ships · Second text",
    ]
    page.check()


def test_a_score_is_shown_as_one(browser: Browser, url: str) -> None:
    page = asked(browser, url, "scores", "pairs")
    assert page.find(".answer").text == "Score: 0.2500"
    assert page.find_all("#field-label") == []


def test_labels_stay_where_words_cannot_be_found(browser: Browser, url: str) -> None:
    page = asked(browser, url, "mood", "classify", typed={"text": "fail"})
    assert "This text cannot be explained." in page.find(".explained .refusal").text
    assert len(rows(page)) == 3


# Tags


def test_entities_are_marked_with_their_labels_and_counted(browser: Browser, url: str) -> None:
    text = "😀 Anna met Ben, and Ada, Carl, Dora, Emil and Fritz ."
    page = asked(browser, url, "names", "tags", typed={"inputs": text})
    [marked] = page.run(MARKED, ".answer .text")
    assert marked.startswith("😀 [AnnaKINDA] met [Ben,KINDB] and [Ada,KINDA] [Carl,KINDC]")
    assert page.texts(".legend li")[:2] == ["KINDA: 2", "KINDB: 1"]
    assert [row[1] for row in rows(page)][:3] == ["KINDA", "KINDB", "KINDA"]
    page.check()


def test_a_text_without_entities_says_so(browser: Browser, url: str) -> None:
    page = asked(browser, url, "names", "tags", typed={"inputs": "nothing here"})
    assert page.find(".answer").text == "The model found nothing in this text."


@pytest.mark.slow
def test_tags_of_tokens_stand_above_them(browser: Browser, url: str) -> None:
    page = asked(browser, url, "parts", "tags", typed={"inputs": "a word here"})
    assert page.run("return document.querySelectorAll('.tagged ruby').length;") == 3
    assert rows(page) == [["a", "L1"], ["word", "L4"], ["here", "L4"]]
    page.check()


# Answers


@pytest.mark.slow
def test_no_answer_is_said_and_others_can_be_looked_at(browser: Browser, url: str) -> None:
    page = asked(browser, url, "reader", "answer", typed={"passage": "😀 ships sail home"})
    assert page.find(".answer strong").text == "The passage has no answer."
    assert page.find_all("mark.found") == []
    page.find(".bars tr:nth-child(2) button").click()
    assert page.run(MARKED, ".answer .text") == ["[😀] ships sail home"]
    page.tab_to(".bars tr:nth-child(3) button")
    page.press(" ")
    assert page.run(MARKED, ".answer .text") == ["😀 ships sail [home]"]
    assert page.texts("[aria-pressed=true]") == ["3. home"]
    assert "10.0%" in page.find(".answer .sentence").text
    page.check()


# Alignment


def partners(page: Playground) -> list[str]:
    return page.texts("button.aligned.seen")


@pytest.mark.slow
def test_a_word_under_the_pointer_marks_its_partners(browser: Browser, url: str) -> None:
    from selenium.webdriver import ActionChains

    page = asked(browser, url, "writer", "translate", typed={"inputs": "one two three"})
    first = page.find("button.aligned")
    ActionChains(page.driver).move_to_element(first).perform()
    page.wait(lambda: partners(page) == ["one"], "the partner")
    assert "one → one 0.80" in page.texts(".answer [role=status]")
    ActionChains(page.driver).move_to_element(page.find("h1")).perform()
    page.wait(lambda: partners(page) == [], "the end of the mark")
    first.click()
    ActionChains(page.driver).move_to_element(page.find("h1")).perform()
    assert partners(page) == ["one"]
    assert first.get_attribute("aria-pressed") == "true"
    first.click()
    assert first.get_attribute("aria-pressed") == "false"


@pytest.mark.slow
def test_arrow_keys_go_from_word_to_word_and_to_partners(browser: Browser, url: str) -> None:
    from selenium.webdriver.common.keys import Keys

    page = asked(browser, url, "writer", "translate", typed={"inputs": "one two three"})
    focused = "return document.activeElement.textContent;"
    page.tab_to("button.aligned")
    assert partners(page) == ["one"]
    page.press(Keys.ARROW_RIGHT)
    page.press(Keys.ARROW_RIGHT)
    page.press(Keys.ARROW_RIGHT)  # there is none after the last one
    assert page.run(focused) == "three"
    assert partners(page) == ["three"]
    page.press(Keys.ARROW_DOWN)
    assert page.run(focused) == "three"
    assert "three ← three 0.80" in page.texts(".answer [role=status]")
    page.press(Keys.END)
    assert page.run(focused) == "one"
    stops = [stop["name"] for stop in page.tab_stops()]
    assert stops.count("one") + stops.count("two") + stops.count("three") == 2
    page.check()


@pytest.mark.slow
def test_several_outputs_and_a_cut_one(browser: Browser, url: str) -> None:
    typed = {"inputs": "long words in a long sentence", "k": "2", "alignment": ""}
    page = asked(browser, url, "writer", "translate", typed=typed)
    assert page.texts(".outputs .sentence") == ["sentence long a in words long"] * 2
    assert "Stopped at the most tokens" in page.find(".outputs .soft").text
    assert page.find_all("button.aligned") == []


# Languages and colours


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("width", [1280, 390])
def test_classification_in_chinese_and_in_the_dark(browser: Browser, url: str, width: int) -> None:
    page = Playground(
        browser, url, "mood", "classify", width=width, language="zh-CN", scheme="dark"
    )
    page.type("text", "很 好 not")
    page.click("button.main")
    page.done("正在运行……按 Esc 停止。")
    assert page.run("return document.documentElement.lang;") == "zh-Hans"
    assert page.find("h1").text == "文本分类"
    assert "决定“good”的词" in page.texts(".explained h2")
    assert rows(page, ".explained table")[0][:2] == ["not", "反对"]
    page.check()
    page.type_by_keyboard("text", "不 错")
    page.press("\ue009", "\ue007", "\ue000")  # Ctrl+Enter
    page.wait(lambda: "[不] [错]" in page.run(MARKED, ".explained .text"), "the words")
    page.check()


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("model", "action"),
    [("both", "pairs"), ("names", "tags"), ("reader", "answer"), ("writer", "translate")],
)
def test_every_task_can_be_read_in_both_languages_and_colours(
    model: str, action: str, language: str, scheme: str, browser: Browser, url: str
) -> None:
    page = Playground(browser, url, model, action, width=390, scheme=scheme, language=language)
    page.click("button.main")
    page.done({"en": "Running … Escape stops.", "zh": "正在运行……按 Esc 停止。"}[language])
    assert page.faults() == []
    assert page.strangers() == page.messages == []
