from __future__ import annotations

from typing import Any

import pytest

from foretext.base.errors import SettingError
from foretext.corpus import CorpusConfig


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"encoding": "utf-9"}, "[corpus] encoding = 'utf-9': Python knows no such text encoding"),
        ({"encoding": "base64"}, "[corpus] encoding = 'base64': Python knows no such"),
        ({"format": "pdf"}, "[corpus] format = 'pdf'"),
        ({"format": "txt", "column": "body"}, "column = 'body' has no effect on format = 'txt'"),
        ({"format": "csv", "documents": "line"}, "documents = 'line' has no effect"),
        ({"format": "parquet", "encoding": "cp1252"}, "encoding has no effect"),
        ({"colum": "body"}, "Did you mean 'column'?"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError) as caught:
        CorpusConfig.checked(settings, "corpus")
    assert sentence in str(caught.value)


@pytest.mark.parametrize("name", ["utf-7", "punycode", "idna", "unicode_escape", "undefined"])
def test_encodings_that_are_not_of_text(name: str) -> None:
    with pytest.raises(SettingError, match="Python knows no such text encoding"):
        CorpusConfig.checked({"encoding": name}, "corpus")
