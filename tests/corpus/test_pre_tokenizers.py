from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foretext.base.errors import MissingExtraError
from foretext.corpus import chinese_words as jieba_words
from foretext.corpus.chinese_words import separate_words
from foretext.corpus.pre_tokenizers import KINDS, PreTokenizer, PreTokenizerKind, likely_kind
from foretext.kernels.letters import WORD

TEXTS = st.text(
    st.one_of(
        st.sampled_from("aAzZ09_'\".,()!?;:-<br />\n\t\x1c\x85\u3000éÉßİıΣσς好爱カ́१Ⓐ²𝔘"),
        st.characters(exclude_categories=["Cs"]),
    )
)


def lower_each(text: str) -> str:
    return "".join(map(str.lower, text))


@given(TEXTS)
def test_whitespace_is_str_split(text: str) -> None:
    words = PreTokenizer("whitespace", lowercase=False, form="none").words(text)
    assert words == text.split()


@given(st.text("aA éÉßİıΣσς好\n"))
def test_lower_case_is_python_s_character_by_character(text: str) -> None:
    assert PreTokenizer("whitespace", form="none").words(text) == lower_each(text).split()


def torchtext_words(text: str) -> list[str]:
    """The published rules of torchtext's `basic_english`, with regular expressions, in order."""
    text = lower_each(text)
    for pattern, replacement in [
        (r"'", " '  "),
        (r'"', ""),
        (r"\.", " . "),
        (r"<br />", " "),
        (r",", " , "),
        (r"\(", " ( "),
        (r"\)", " ) "),
        (r"!", " ! "),
        (r"\?", " ? "),
        (r";", " "),
        (r":", " "),
        (r"\s+", " "),
    ]:
        text = re.sub(pattern, replacement, text)
    return text.split()


@given(st.text("aA'\".,()!?;:-<BRbr />\n\x1cé好"))
@example('He said: "don\'t";<BR /> (really?)<"br" />well... no!')
def test_basic_english_is_torchtext_s(text: str) -> None:
    assert PreTokenizer("basic_english").words(text) == torchtext_words(text)


def test_basic_english_by_hand() -> None:
    words = PreTokenizer("basic_english").words('It\'s "3.5" (or so); a<br />b')
    assert words == ["it", "'", "s", "3", ".", "5", "(", "or", "so", ")", "a", "b"]


def test_unicode_words_are_those_of_regular_expressions() -> None:
    """Checked on every character that Python's Unicode has, but for three known differences."""
    classes = PreTokenizer("unicode_words").letters.classes
    for point in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(point))
        is_circled = category == "So"  # the library counts circled letters, as Unicode's annex does
        asks_for_a_picture = chr(point) in "\ufe0e\ufe0f"  # marks that nobody sees
        if category not in ("Cn", "Cs", "No") and not is_circled and not asks_for_a_picture:
            assert (classes[point] == WORD) == (
                category[0] in "LM" or category in ("Nd", "Nl", "Pc")
            ), hex(point)


def test_unicode_words_by_hand() -> None:
    words = PreTokenizer("unicode_words").words("Don't go_there, naïve CAFÉ—3.14 नमस्ते İzmir")
    assert words == ["don", "t", "go_there", "naïve", "café", "3", "14", "नमस्ते", "i̇zmir"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("word", ["Caf\u00e9", "\ubc30\uac00", "\u1ec7", "\u0929"])
def test_a_word_in_two_unicode_forms_is_one(kind: PreTokenizerKind, word: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, word) for form in ("NFC", "NFD"))
    assert composed != decomposed
    cut = PreTokenizer(kind)
    assert cut.words(decomposed) == cut.words(composed) != []


def test_without_a_form_words_stay_as_they_are_written() -> None:
    cut = PreTokenizer("whitespace", form="none")
    assert cut.words("cafe\u0301 caf\u00e9") == ["cafe\u0301", "caf\u00e9"]
    assert PreTokenizer("unicode_words", form="NFKC").words("\ufb01ne ｆｉｎｅ") == ["fine", "fine"]


@pytest.mark.parametrize(
    "kind", ["unicode_words", "words_and_punctuation", "chinese_characters", "chinese_words"]
)
@pytest.mark.parametrize("mark", ["\u00ad", "\u2060", "\ufeff"])
def test_what_nobody_sees_joins_words(kind: PreTokenizerKind, mark: str) -> None:
    text = f"Donau{mark}dampf{mark}schiff {mark} sa{mark}"
    assert PreTokenizer(kind).words(text) == ["donaudampfschiff", "sa"]


def test_joiners_of_persian_and_hindi_stay_as_they_were() -> None:
    cut = PreTokenizer("whitespace")
    for text in ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0915\u094d\u200d\u0937"):
        assert cut.words(text) == [text]
    assert PreTokenizer("unicode_words").words("a\u200bb") == ["a", "b"]  # a place to break a line


@pytest.mark.parametrize(
    "kind", ["unicode_words", "words_and_punctuation", "chinese_characters", "chinese_words"]
)
def test_each_emoji_is_a_word(kind: PreTokenizerKind) -> None:
    cut = PreTokenizer(kind)
    assert cut.words("film😍😡 ❤\ufe0f! ★") == [
        *("film", "😍", "😡", "❤"),
        *(["!"] if kind == "words_and_punctuation" else []),
        "★",
    ]
    assert cut.words("👍\U0001f3fd") == ["👍", "\U0001f3fd"]


def test_signs_of_other_kinds_are_no_words() -> None:
    assert PreTokenizer("unicode_words").words("a © b ™ ℗ 3 € = £4 ─ →") == ["a", "b", "3", "4"]


def test_words_and_punctuation_by_hand() -> None:
    cut = PreTokenizer("words_and_punctuation")
    assert cut.words("In 1990 (U.S.$3.5), 'x'—naïve_") == [
        *("in", "1990", "(", "u", ".", "s", ".", "$", "3", ".", "5", ")", ","),
        *("'", "x", "'", "—", "naïve_"),
    ]
    assert cut.words("我爱Python3，\u3000你\x1c") == ["我", "爱", "python3", "，", "你"]


def test_chinese_characters_by_hand() -> None:
    words = PreTokenizer("chinese_characters").words("我爱Python3，你〇呢々！2024年\nカナ")
    assert words == ["我", "爱", "python3", "你", "〇", "呢", "々", "2024", "年", "カナ"]


def test_chinese_words_by_hand() -> None:
    words = PreTokenizer("chinese_words").words("我爱北京天安门，C++！\n。\n\n小明硕士毕业")
    assert words == ["我", "爱", "北京", "天安门", "c++", "小明", "硕士", "毕业"]


def test_jieba_keeps_the_lines() -> None:
    assert separate_words("北京。\n。\n\n你好") == "北京\n \n\n你好"


def test_jieba_is_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    jieba_words._cutter.cache_clear()
    separate_words("北京")
    assert capfd.readouterr() == ("", "")


def test_without_jieba_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jieba", None)
    jieba_words._cutter.cache_clear()
    with pytest.raises(MissingExtraError, match=r"needs the package 'jieba'.*foretext\[chinese\]"):
        PreTokenizer("chinese_words")
    assert likely_kind("北京天安门") == "chinese_characters"


def test_the_script_of_a_sample_tells_the_kind() -> None:
    assert likely_kind("Der Text, 2024: 好.") == "unicode_words"
    assert likely_kind("...") == "unicode_words"
    assert likely_kind("我爱 Python。") == "unicode_words"
    assert likely_kind("我爱北京天安门 Python 2024.") == "chinese_words"


@pytest.mark.parametrize("kind", KINDS)
def test_a_lone_surrogate_does_no_harm(kind: PreTokenizerKind) -> None:
    words = PreTokenizer(kind).words("a \ud800 b")
    assert (words[0], words[-1]) == ("a", "b")


def test_a_word_of_any_length_comes_whole() -> None:
    text = "Ⱥ" * 5000
    assert PreTokenizer("unicode_words").words(text) == [text.lower()]
    assert PreTokenizer("unicode_words").words("") == []
