"""Personal data in a text, replaced by placeholders: e-mail addresses, phone and identity numbers.

A number is masked only where its form says what it is: a resident identity number of China by its
date and its check character (GB 11643-1999), a payment card by its first digits and Luhn's check
digit (ISO/IEC 7812-1). So few of a text's other numbers are taken for one. Names, addresses and
whatever has no form of its own stay in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from typing import Literal

__all__ = ["PersonalData", "has_luhn_digit", "is_resident_number", "mask"]

PersonalData = Literal["email", "phone", "id"]
Replace = Callable[[str, Counter[str]], str]

_EMAIL = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9](?:[A-Za-z0-9._%+-]{0,62}[A-Za-z0-9_])?"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])"
)
_PHONE = re.compile(
    r"(?<![\w.+-])(?:"
    r"\+\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){2,5}\d"  # with the code of a country
    r"|(?:86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}"  # mobile, China
    r"|0\d{2,3}-\d{7,8}"  # with an area code, China
    r"|(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}"  # North America
    r")(?![\d-]|\.\d)",
    re.ASCII,
)
_DIGITS_OF_PHONE = range(8, 16)  # with the code of a country (ITU-T E.164)
_RESIDENT = re.compile(r"(?<![0-9A-Za-z])[1-9]\d{16}[\dXx](?![0-9A-Za-z])", re.ASCII)
_CARD = re.compile(r"(?<![\d.])[2-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}(?![\d])", re.ASCII)
_AMEX = re.compile(r"(?<![\d.])3[47]\d{2}[ -]?\d{6}[ -]?\d{5}(?![\d])", re.ASCII)
_DIGITS_OF_CARD = range(13, 20)
_WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
_CHECKS = "10X98765432"


def mask(text: str, kinds: Sequence[PersonalData]) -> tuple[str, Counter[str]]:
    """Return a text with placeholders, and how many of each kind were put in.

    The placeholders are ``[EMAIL]``, ``[PHONE]``, ``[ID]`` and ``[CARD]``.
    """
    found: Counter[str] = Counter()
    for kind, replace in _REPLACE.items():  # in this order, because a phone is less certain
        if kind in kinds:
            text = replace(text, found)
    return text, found


def is_resident_number(number: str) -> bool:
    """Whether 18 characters are a resident identity number: a date of birth and a right check."""
    try:
        born = date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, number[:17], strict=True))
    return born.year >= 1900 and _CHECKS[total % 11] == number[17].upper()


def has_luhn_digit(digits: str) -> bool:
    """Whether the last digit is the check digit of the others."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _emails(text: str, found: Counter[str]) -> str:
    return _masked(_EMAIL, text, "email", found) if "@" in text else text


def _numbers(text: str, found: Counter[str]) -> str:
    text = _masked(_RESIDENT, text, "id", found, is_resident_number)
    text = _masked(_AMEX, text, "card", found, _is_card)
    return _masked(_CARD, text, "card", found, _is_card)


def _phones(text: str, found: Counter[str]) -> str:
    return _masked(_PHONE, text, "phone", found, _is_phone)


def _masked(
    pattern: re.Pattern[str],
    text: str,
    kind: str,
    found: Counter[str],
    is_one: Callable[[str], bool] = bool,
) -> str:
    def replaced(match: re.Match[str]) -> str:
        if not is_one(match[0]):
            return match[0]
        found[kind] += 1
        return f"[{kind.upper()}]"

    return pattern.sub(replaced, text)


def _digits(number: str) -> str:
    return "".join(filter(str.isdigit, number))


def _is_card(number: str) -> bool:
    digits = _digits(number)
    return len(digits) in _DIGITS_OF_CARD and len(set(digits)) > 1 and has_luhn_digit(digits)


def _is_phone(number: str) -> bool:
    return not number.startswith("+") or len(_digits(number)) in _DIGITS_OF_PHONE


_REPLACE: dict[PersonalData, Replace] = {"email": _emails, "id": _numbers, "phone": _phones}
