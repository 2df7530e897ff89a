"""The one place where files become values.

Whatever foretext reads of its own small files, or of a folder that somebody sent, is opened and
checked here: JSON and TOML against a pydantic type, tensors against their names, types and shapes,
arrays against the length that is said of them. What is damaged gives one sentence of the error
class that the caller names, never another exception.
"""

from foretext.base.parsing.array_file import (
    Judge,
    check_values,
    map_array,
    new_array,
    read_part,
    release,
    temporary_array,
)
from foretext.base.parsing.json_file import (
    check_value,
    parse_json,
    read_bytes,
    read_json,
    read_text,
)
from foretext.base.parsing.tensor_file import (
    TensorFile,
    file_checksum,
    map_tensors,
    read_tensors,
    write_tensors,
)
from foretext.base.parsing.toml_file import parse_toml, parse_toml_value, read_toml

__all__ = [
    "Judge",
    "TensorFile",
    "check_value",
    "check_values",
    "file_checksum",
    "map_array",
    "map_tensors",
    "new_array",
    "parse_json",
    "parse_toml",
    "parse_toml_value",
    "read_bytes",
    "read_json",
    "read_part",
    "read_tensors",
    "read_text",
    "read_toml",
    "release",
    "temporary_array",
    "write_tensors",
]
