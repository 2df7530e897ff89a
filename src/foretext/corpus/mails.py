"""E-mails in plain text: a block of header lines, then paragraphs that belong together."""

from __future__ import annotations

import re

__all__ = ["num_mails"]

_NAMES = (
    "From|To|Cc|Bcc|Subject|Date|Sent|Reply-To|Message-ID|Received|Return-Path|MIME-Version"
    "|Content-Type|Von|An|Betreff|Datum|Gesendet|De|À|Objet|Asunto|Para|Fecha"
    "|发件人|收件人|主题|日期"
)
_LINE = (
    rf"(?:{_NAMES})[:：][^\n]*\n(?:[ \t]+\S[^\n]*\n)*"  # may go on, with blanks at its beginning
)
# "From " without a colon begins each mail of an mbox.
_HEADERS = re.compile(
    rf"(?:\A|\n[^\S\n]*\n)(?:From \S[^\n]*\n)?(?:{_LINE}){{2}}",
    re.IGNORECASE,
)


def num_mails(text: str) -> int:
    """Return how many blocks of two header lines or more a text has, after an empty line each."""
    return len(_HEADERS.findall(text))
