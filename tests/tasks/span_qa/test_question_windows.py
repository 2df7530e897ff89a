from __future__ import annotations

import pytest

from foretext.corpus import Corpus
from foretext.tasks.span_qa.question_windows import encode_passages
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords

TEXT = "Ça: l'été à Zürich 😀😀, 北京大学 Cafe\u0301s\u00a0déjà\u3000vu 👩\u200d👧 Ende"
SPANS = ["Ça", "l'été", "Zürich", "😀😀", "北京", "大学", "Cafe\u0301s", "déjà", "vu", "Ende"]


@pytest.fixture(scope="module", params=["wordpiece", "bpe", "unigram"])
def tokenizer(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> SubwordTokenizer:
    text = tmp_path_factory.mktemp("text") / "text.txt"
    text.write_text(f"{TEXT} {' '.join(TEXT)}\n" * 20, encoding="utf-8")
    return learn_subwords(request.param, {"vocab_size": 320}, Corpus(text))


@pytest.mark.parametrize("span", SPANS)
def test_spans_are_characters_of_the_text_as_given(tokenizer: SubwordTokenizer, span: str) -> None:
    passage = encode_passages(tokenizer, [TEXT])[TEXT]
    start = TEXT.index(span)
    found = passage.tokens_of(start, start + len(span))
    assert found is not None
    (first, _), (_, last) = passage.offsets[found[0]], passage.offsets[found[1]]
    assert TEXT[first:last].strip() == span
