"""The actions of the playground: what is asked of each, and what has to be drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.serving.browser.playground import Playground

__all__ = ["CASES", "Case"]

CASTLE = "the king and the queen live in a castle by the sea"
SHIP = "the captain of the ship sees an island in the sea"


def tables(page: Playground, selector: str = ".answer table") -> list[list[list[str]]]:
    """The cells of tables, row by row, without their heads."""
    found: list[list[list[str]]] = page.run(
        "return [...document.querySelectorAll(arguments[0])].map((table) => "
        "[...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)));",
        selector,
    )
    return found


def rows(page: Playground, selector: str = ".answer table") -> list[list[str]]:
    """The cells of the first table."""
    return tables(page, selector)[0]


def shown(number: float, digits: int = 3) -> str:
    """A number as the page writes it in English."""
    return f"{number:,.{digits}f}"


def bars_of(pairs: dict[str, float]) -> list[list[str]]:
    return [[name, shown(value)] for name, value in pairs.items()]


def neighbors(page: Playground, answer: Any) -> None:
    assert page.texts(".answer caption") == list(answer)
    assert tables(page) == [bars_of(near) for near in answer.values()]


def word_map(page: Playground, answer: Any) -> None:
    assert len(page.find_all(".word-map circle")) == len(answer["points"])


def analogy(page: Playground, answer: Any) -> None:
    assert rows(page) == bars_of(answer)


def fill(page: Playground, answer: Any) -> None:
    assert rows(page) == [[each["token"], shown(each["probability"])] for each in answer[0]]


def classify(page: Playground, answer: Any) -> None:
    assert rows(page) == [[each["label"], shown(each["score"])] for each in answer]
    words = page.exchange("/explain").answer()["words"]
    heaviest = max(words, key=lambda word: abs(word["weight"]))
    [first, *_] = rows(page, ".explained table")
    assert first[0].split(" · ")[0] == heaviest["text"]
    assert first[1] == ("for" if heaviest["weight"] > 0 else "against")
    assert heaviest["text"] in page.texts(".explained mark")


def tags(page: Playground, answer: Any) -> None:
    found = [[span["text"], span["label"], shown(span["probability"])] for span in answer["spans"]]
    assert rows(page) == found
    marks = page.run(
        "return [...document.querySelectorAll('mark.entity')].map("
        "(mark) => [mark.firstChild.data, mark.lastChild.textContent]);"
    )
    assert marks == [[span["text"], span["label"]] for span in answer["spans"]]


def answered(page: Playground, answer: Any) -> None:
    best = answer["answers"][0]
    assert page.texts("mark.found") == [best["text"].strip()]
    assert page.find(".answer strong").text == best["text"].strip()
    assert [row[1] for row in rows(page)] == [shown(x["probability"]) for x in answer["answers"]]


def translate(page: Playground, answer: Any) -> None:
    assert page.texts(".outputs .sentence") == [each["text"].strip() for each in answer["outputs"]]
    sources, targets = page.run(
        "return [...document.querySelectorAll('.aligned-words')].map("
        "(row) => [...row.children].map((word) => word.textContent));"
    )
    assert sources == answer["alignment"]["source_tokens"]
    assert targets == answer["alignment"]["target_tokens"]
    weights = answer["alignment"]["weights"]
    assert [row[1:] for row in rows(page, "table.alignment")] == [
        [shown(weight, 2) for weight in row] for row in weights
    ]


def search(page: Playground, answer: Any) -> None:
    assert page.texts(".hits .text") == [hit["text"] for hit in answer["results"]]
    numbers = page.run(
        "return [...document.querySelectorAll('.hits .number')].map((each) => each.textContent);"
    )
    assert numbers == [f"Score {shown(hit['score'])}" for hit in answer["results"]]


def similarity(page: Playground, answer: Any) -> None:
    assert len(rows(page)) == len(answer)


def attention(page: Playground, answer: Any) -> None:
    num_tokens = len(answer["tokens"])
    assert len(page.find_all(".heat-map rect:not(.ground)")) == num_tokens**2
    assert len(page.find_all("button.head")) == sum(map(len, answer["layers"]))


def tokenize(page: Playground, answer: Any) -> None:
    assert len(page.find_all(".tokens li")) == len(answer[0])


class Case(NamedTuple):
    """An action of a model.

    Attributes:
        clicked: what is typed by the first person, who uses a mouse.
        pressed: what is typed by the second one, who uses the keyboard.
        holds: that the answer of the server is drawn.
    """

    action: str
    model: str
    path: str
    clicked: dict[str, str]
    pressed: dict[str, str]
    holds: Callable[[Playground, Any], None]
    further: tuple[str, ...] = ()  # paths that are asked besides

    def __str__(self) -> str:
        return f"{self.action}-{self.model}"


CASES = (
    Case("neighbors", "words", "/neighbors", {"words": "ship, sea"}, {"words": "king"}, neighbors),
    Case("map", "words", "/map", {"words": "ship sea king"}, {"words": "queen castle"}, word_map),
    Case(
        "analogy",
        "words",
        "/analogy",
        {"a": "king", "b": "queen", "c": "ship"},
        {"c": "sea"},
        analogy,
    ),
    Case("fill", "masked", "/fill", {"inputs": "the [MASK] lives"}, {"inputs": "a [MASK]"}, fill),
    Case(
        "attention", "masked", "/attention", {"inputs": "the king"}, {"inputs": "a ship"}, attention
    ),
    Case("tokenize", "masked", "/tokenize", {"inputs": CASTLE}, {"inputs": SHIP}, tokenize),
    Case(
        "similarity",
        "sentences",
        "/embed",
        {"inputs": f"{SHIP}\n{CASTLE}"},
        {"inputs": CASTLE},
        similarity,
    ),
    Case(
        "classify",
        "classifier",
        "/predict",
        {"text": CASTLE},
        {"text": SHIP},
        classify,
        ("/explain",),
    ),
    Case(
        "classify", "linear", "/predict", {"text": CASTLE}, {"text": SHIP}, classify, ("/explain",)
    ),
    Case(
        "pairs",
        "matcher",
        "/predict",
        {"text_a": CASTLE, "text_b": SHIP},
        {"text_b": CASTLE},
        classify,
        ("/explain",),
    ),
    Case("tags", "tagger", "/tag", {"inputs": CASTLE}, {"inputs": SHIP}, tags),
    Case(
        "answer",
        "reader",
        "/answer",
        {"question": "who?", "passage": CASTLE},
        {"passage": SHIP},
        answered,
    ),
    Case(
        "translate", "writer", "/translate", {"inputs": "a ship"}, {"inputs": "the sea"}, translate
    ),
    Case("search", "index", "/search", {"query": "the law"}, {"query": "a ship"}, search),
    Case(
        "search_text",
        "words",
        "/search",
        {"texts": f"{CASTLE}\n{SHIP}", "query": "king"},
        {"query": "captain"},
        search,
    ),
)
