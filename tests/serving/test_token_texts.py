from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.serving.token_texts import TokenTexts
from tests.language_model.models import learned_tokenizer


@cache
def texts_of(kind: str) -> TokenTexts:
    return TokenTexts(learned_tokenizer(kind))


def scored(kind: str, ids: list[int], before: int | None = None):  # type: ignore[no-untyped-def]
    return texts_of(kind).scored(ids, [-1.0] * len(ids), [()] * len(ids), before)


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "word"])
def test_pieces_of_a_text_are_the_text(kind: str) -> None:
    text = "the king and the queen live in a castle"
    found = scored(kind, learned_tokenizer(kind).encode(text))
    assert "".join(found.pieces) == text
    for piece, start in zip(found.pieces, found.starts, strict=True):
        assert text[start:].startswith(piece)


def test_bytes_of_a_character_begin_where_it_does() -> None:
    tokenizer = learned_tokenizer("bpe")
    ids = tokenizer.encode("a é王 sea")
    found = scored("bpe", ids)
    assert found.starts == [0, 1, 2, 2, 3, 3, 3, 4]
    assert found.pieces[2:4] == [tokenizer.tokens[token] for token in ids[2:4]]
    assert found.pieces[-1] == " sea"


def test_a_row_may_stand_after_another_token() -> None:
    tokenizer = learned_tokenizer("wordpiece")
    ids = tokenizer.encode("the king")
    alone, after = scored("wordpiece", ids), scored("wordpiece", ids, before=ids[0])
    assert "".join(alone.pieces) == "the king"
    assert "".join(after.pieces) == " the king"


def test_rows_are_joined_and_the_second_one_is_moved() -> None:
    tokenizer = learned_tokenizer("bpe")
    first, second = tokenizer.encode("the king"), tokenizer.encode(" lives")
    joined = scored("bpe", first).then(scored("bpe", second, first[-1]), len("the king"))
    assert joined == scored("bpe", [*first, *second])


def test_likeliest_tokens_are_named_with_the_own_one() -> None:
    texts = texts_of("bpe")
    the, king, sea = (texts.tokenizer.encode(text)[0] for text in ("the", " king", " sea"))
    likeliest = [[], [(sea, -0.5), (the, -1.0)]]
    found = texts.scored([the, king], [None, -2.0], likeliest)
    assert found.log_probs == [None, -2.0]
    assert found.likeliest == [None, {" sea": -0.5, "the": -1.0, " king": -2.0}]


def test_of_tokens_that_read_alike_the_likelier_one_is_named() -> None:
    texts = TokenTexts(learned_tokenizer("bpe"))
    texts.piece = lambda before, token: "?"  # type: ignore[assignment]
    assert texts.scored([1], [-3.0], [[(7, -0.5), (8, -1.0)]]).likeliest == [{"?": -0.5}]


def test_nothing_has_no_pieces() -> None:
    assert scored("bpe", []) == ([], [], [], [])


@given(st.data())
def test_any_ids_have_pieces(data: st.DataObject) -> None:
    size = learned_tokenizer("bpe").vocab_size
    ids = data.draw(st.lists(st.integers(0, size - 1), max_size=20))
    found = scored("bpe", ids)
    assert len(found.pieces) == len(ids)
    assert found.starts == sorted(found.starts)
