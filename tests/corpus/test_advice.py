from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foretext.corpus import Corpus, CorpusConfig
from foretext.corpus.advice import proposals, proposed_settings
from tests.corpus.wrapped_texts import CODE, SUBTITLES, VERSE, book, paragraphs

GERMAN = "Der grüne Präsident grüßte schon das schöne Mädchen am Fluss.\n" * 60
SENTENCES = "one sentence a line and nothing else\n" * 60


def proposed(folder: Path, text: str, **config: Any) -> dict[str, dict[str, str | bool]]:
    (folder / "a.txt").write_text(text, encoding="utf-8")
    return proposed_settings(Corpus(folder / "a.txt", CorpusConfig(**config)))


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        (
            book(),
            {"lines": "wrapped", "documents": "blank_lines", "sentences": "punctuation"},
        ),
        (
            "".join(f"{text}\n" for text in paragraphs(40)),
            {"documents": "line", "sentences": "punctuation"},
        ),
        (SENTENCES, {"documents": "line"}),
        (f"{VERSE}\n" * 5, {"documents": "blank_line"}),
        (SUBTITLES * 20, {"documents": "blank_line"}),
        (f"{CODE}\n" * 20, {"documents": "blank_line"}),
        (
            "他在１９９８年买了ＡＢＣ，在2004年卖了xyz。\n" * 40,
            {"documents": "line", "normalization": "NFKC"},
        ),
    ],
)
def test_what_suits_a_text(tmp_path: Path, text: str, settings: dict[str, str]) -> None:
    assert proposed(tmp_path, text) == {"corpus": settings}


def test_words_of_german_and_of_tokenised_text(tmp_path: Path) -> None:
    assert proposed(tmp_path, GERMAN)["tokenizer"] == {"lowercase": False}
    tokenised = "This is , as you see , prepared text .\n" * 60
    assert proposed(tmp_path, tokenised)["tokenizer"] == {"pre_tokenizer": "whitespace"}


def test_proposals_do_not_depend_on_the_settings_they_replace(tmp_path: Path) -> None:
    free = proposed(tmp_path, book())
    assert proposed(tmp_path, book(), lines="whole", sentences="punctuation") == free
    chosen = proposed(tmp_path, book(), documents="file")
    assert chosen["corpus"] == {"lines": "wrapped", "sentences": "punctuation"}


def test_rows_have_no_layout(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "One. Two. Three. Four."}\n' * 9)
    assert proposed_settings(Corpus(tmp_path / "a.jsonl")) == {
        "corpus": {"sentences": "punctuation"}
    }


def test_a_proposal_can_be_pasted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(GERMAN, encoding="utf-8")
    assert [each.setting for each in proposals(Corpus(tmp_path / "a.txt"))] == [
        "corpus.documents=line",
        "tokenizer.lowercase=false",
    ]
