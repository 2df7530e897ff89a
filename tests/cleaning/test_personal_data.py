"""What is masked, and what is left."""

from __future__ import annotations

import pytest

from foretext.cleaning.personal_data import has_luhn_digit, is_resident_number, mask

ALL = ("email", "phone", "id")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("write to ann.lee+news@mail.example.org.", "write to [EMAIL]."),
        ("邮箱a_b@example.cn，谢谢", "邮箱a_b@example.cn，谢谢"),  # begins within a word
        ("邮箱：a_b@example.cn，谢谢", "邮箱：[EMAIL]，谢谢"),
        ("call 13800138000 now", "call [PHONE] now"),
        ("+86 138 0013 8000", "[PHONE]"),
        ("电话：010-62345678", "电话：[PHONE]"),
        ("(555) 123-4567 or 1-555-123-4567", "[PHONE] or [PHONE]"),
        ("+44 20 7946 0958, London", "[PHONE], London"),
        ("身份证11010519491231002X。", "身份证[ID]。"),
        ("card 4111 1111 1111 1111", "card [CARD]"),
        ("amex 3782 822463 10005", "amex [CARD]"),
    ],
)
def test_masked(text: str, masked: str) -> None:
    assert mask(text, ALL)[0] == masked


@pytest.mark.parametrize(
    "text",
    [
        "110105194912310021",  # a wrong check character
        "11010519491331002X",  # no month 13
        "4111 1111 1111 1112",  # a wrong check digit
        "0000 0000 0000 0000",
        "pi is 3.14159265358979, and 1984-2024 are years",
        "an order of 12,345,678 parts at 10.0.0.1",
        "@home a@b user@localhost",
        "+1 is a vote",
    ],
)
def test_left(text: str) -> None:
    assert mask(text, ALL) == (text, {})


def test_only_what_is_asked_for() -> None:
    text = "a@example.org 13800138000 4111111111111111"
    assert mask(text, ())[0] == text
    assert mask(text, ("email",))[0] == "[EMAIL] 13800138000 4111111111111111"
    assert mask(text, ALL)[1] == {"email": 1, "phone": 1, "card": 1}


def test_check_digits() -> None:
    assert has_luhn_digit("79927398713")  # the example of the standard
    assert not has_luhn_digit("79927398710")
    assert is_resident_number("11010519491231002x")
    assert not is_resident_number("110105189912310021")  # born in another century


def test_long_lines_take_no_time() -> None:
    for text in ("a" * 200_000 + "@", "1 " * 100_000, "a.b@" * 50_000, "+1" * 100_000):
        assert len(mask(text, ALL)[0]) > 0
