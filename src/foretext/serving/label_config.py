"""What a project of Label Studio labels: the controls of its configuration, which is XML.

https://labelstud.io/tags/
"""

from __future__ import annotations

import re
from collections.abc import Collection, Set
from typing import NamedTuple
from xml.etree import ElementTree

from foretext.serving.errors import BadRequest, CannotServe

__all__ = ["ABILITY", "Control", "controls_of", "no_label_in_common"]

ABILITY = {"Choices": "predict", "Labels": "tag"}  # what a model needs to answer a control
TEXTS = ("Text",)  # objects whose offsets are those of their text
LARGEST = 1 << 16  # characters
SHOWN = 5  # labels that a sentence names
# In which "<!" is text; one that does not end reaches to the end, so that each is read once.
_LITERAL = re.compile(r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)", re.DOTALL)
_DECLARATION = re.compile(r"<!(?!--|\[CDATA\[)")


class Control(NamedTuple):
    """A control, and the text that it labels.

    Attributes:
        kind: its tag, Choices or Labels.
        from_name: its name.
        to_name: the name of the object that it labels.
        field: of a task's data, where the text is.
        labels: the values that it has, as regions name them; (): they come with each task.
        is_single: whether one label is chosen at most.
    """

    kind: str
    from_name: str
    to_name: str
    field: str
    labels: tuple[str, ...]
    is_single: bool

    @property
    def ability(self) -> str:
        """What a model needs to answer it."""
        return ABILITY[self.kind]

    def allows(self, label: str) -> bool:
        """Whether Label Studio knows a label here."""
        return not self.labels or label in self.labels

    def shared(self, labels: Set[str]) -> int:
        """Return how many of a model's labels are its own; 0 where its labels come with tasks."""
        return sum(label in labels for label in dict.fromkeys(self.labels))

    def is_without(self, labels: Set[str]) -> bool:
        """Whether it has labels, and none of a model's."""
        return bool(self.labels and labels) and not self.shared(labels)


def controls_of(config: str, field: str = "label_config") -> list[Control]:
    """Return the controls of a project that a model here may answer.

    Args:
        config: its labelling configuration.
        field: of the request, for what is refused.

    Raises:
        BadRequest: this is no configuration.
    """
    if len(config) > LARGEST:
        raise BadRequest(
            f"{field}: it has {len(config):,} characters, {LARGEST:,} are allowed; leave out "
            "labels that the model does not have."
        )
    if _DECLARATION.search(_LITERAL.sub("", config)):
        raise BadRequest(
            f"{field}: it declares a document type or entities; remove the lines that begin with "
            "<!DOCTYPE or <!ENTITY."
        )
    try:
        root = ElementTree.fromstring(config)
    except ElementTree.ParseError as error:
        raise BadRequest(
            f"{field}: this is no XML ({error}); copy the labelling configuration of the project."
        ) from None
    objects = {each.get("name"): each for each in root.iter() if each.get("value")}
    found = []
    for control, inner in _with_labels(root, field):
        shown = objects.get((control.get("toName") or "").split(",")[0])
        value = "" if shown is None else shown.get("value", "")
        if shown is None or shown.tag not in TEXTS or not value.startswith("$"):
            continue
        has_own = not (control.get("value") or "").startswith("$")  # else they come with the task
        found.append(
            Control(
                control.tag,
                control.get("name", ""),
                shown.get("name", ""),
                value.removeprefix("$"),
                tuple(inner) if has_own else (),
                control.get("choice", "single") != "multiple",
            )
        )
    return found


def _with_labels(
    root: ElementTree.Element, field: str
) -> list[tuple[ElementTree.Element, list[str]]]:
    """Return each control with its labels, in one walk; an alias is what regions name.

    Raises:
        BadRequest: a control stands within another one.
    """
    found: list[tuple[ElementTree.Element, list[str]]] = []
    waiting: list[tuple[ElementTree.Element, list[str] | None]] = [(root, None)]
    while waiting:
        each, labels = waiting.pop()
        if each.tag in ABILITY and each.get("name"):
            if labels is not None:
                raise BadRequest(
                    f'{field}: <{each.tag} name="{each.get("name", "")[:40]}"> stands within '
                    "another control; put it beside that one."
                )
            labels = []
            found.append((each, labels))
        elif labels is not None and (label := each.get("alias") or each.get("value")):
            labels.append(label)
        waiting.extend((child, labels) for child in reversed(each))
    return found


def no_label_in_common(control: Control, labels: Collection[str], address: str) -> CannotServe:
    """Return the refusal of a control that has none of the labels of models.

    Args:
        control: of the project.
        labels: of all models that could answer it.
        address: of a single model, to which the project may connect instead.
    """
    return CannotServe(
        f'<{control.kind} name="{control.from_name}"> has none of the model\'s labels: it has '
        f"{_shown(control.labels)}, the model {_shown(labels)}; give the project the same ones, or "
        f"connect it to a model that has them ({address})."
    )


def _shown(labels: Collection[str]) -> str:
    named = ", ".join(f"'{label[:40]}'" for label in sorted(labels)[:SHOWN])
    return f"{named}, ..." if len(labels) > SHOWN else named or "none"
