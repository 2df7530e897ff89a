"""What a project of Label Studio labels: the controls of its configuration, which is XML.

https://labelstud.io/tags/
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple
from xml.etree import ElementTree

from foretext.serving.errors import BadRequest, CannotServe

__all__ = ["ABILITY", "Control", "controls_of", "fitting_control"]

ABILITY = {"Choices": "predict", "Labels": "tag"}  # what a model needs to answer a control
TEXTS = ("Text",)  # objects whose offsets are those of their text
LARGEST = 1 << 20  # characters
SHOWN = 5  # labels that a sentence names


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


def controls_of(config: str) -> list[Control]:
    """Return the controls of a project that a model here may answer.

    Raises:
        BadRequest: this is no configuration.
    """
    if len(config) > LARGEST or "<!" in config.replace("<!--", ""):
        raise BadRequest("label_config: it is too long, or declares entities or a document type.")
    try:
        root = ElementTree.fromstring(config)
    except ElementTree.ParseError as error:
        raise BadRequest(f"label_config: this is no XML ({error}).") from None
    objects = {each.get("name"): each for each in root.iter() if each.get("value")}
    found = []
    for control in root.iter():
        if control.tag not in ABILITY or not control.get("name"):
            continue
        shown = objects.get((control.get("toName") or "").split(",")[0])
        value = "" if shown is None else shown.get("value", "")
        if shown is None or shown.tag not in TEXTS or not value.startswith("$"):
            continue
        found.append(
            Control(
                control.tag,
                control.get("name", ""),
                shown.get("name", ""),
                value.removeprefix("$"),
                tuple(_labels(control)),
                control.get("choice", "single") != "multiple",
            )
        )
    return found


def fitting_control(
    controls: Iterable[Control], ability: str, labels: Collection[str]
) -> Control | None:
    """Return the control of a kind that has most of a model's labels; None: there is none.

    Raises:
        CannotServe: none of them has any of the labels.
    """
    own = [control for control in controls if control.ability == ability]
    if not own:
        return None
    best = max(own, key=lambda control: sum(map(control.allows, labels)))
    if labels and not any(map(best.allows, labels)):
        raise CannotServe(
            f'<{best.kind} name="{best.from_name}"> has none of the model\'s labels: it has '
            f"{_shown(best.labels)}, the model {_shown(labels)}; give the project the same ones."
        )
    return best


def _labels(control: ElementTree.Element) -> Iterable[str]:
    """Yield the labels of a control; an alias is what regions name."""
    if (control.get("value") or "").startswith("$"):  # they come with the task
        return
    for each in control.iter():
        if each is not control and (label := each.get("alias") or each.get("value")):
            yield label


def _shown(labels: Collection[str]) -> str:
    named = ", ".join(f"'{label[:40]}'" for label in sorted(labels)[:SHOWN])
    return f"{named}, ..." if len(labels) > SHOWN else named or "none"
