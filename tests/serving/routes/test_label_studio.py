"""An ML backend, asked as Label Studio's `ml/api_connector.py` asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from foretext.serving.errors import BadRequest
from foretext.serving.label_config import Control, controls_of
from foretext.tasks.classification.linear import LinearClassifier
from tests.serving.conftest import Server
from tests.serving.routes.conftest import Verb

TEXTS = ("the king in the castle", "the ship and the captain of the ship")
CHOICES = """<View><Text name="body" value="$article"/>
<Choices name="topic" toName="body" choice="single">{}</Choices></View>"""
LABELS = """<View><Labels name="ner" toName="body">{}</Labels>
<Text name="body" value="$article"/></View>"""


def _named(names: list[str], tag: str) -> str:
    return "".join(f'<{tag} value="{name}"/>' for name in names)


def _labels(server: Server, model: str) -> list[str]:
    names = [str(name) for name in server.models[model].label_names]
    if model != "tagger":
        return names
    return sorted({name.partition("-")[2] for name in names if "-" in name})


def _asked(server: Server, config: str, path: str = "/label-studio") -> Any:
    """Ask as Label Studio does: with more around the tasks than is read."""
    tasks = [
        {"id": number, "data": {"article": text, "id": 3}, "annotations": [], "predictions": []}
        for number, text in enumerate(TEXTS)
    ]
    body = {
        "tasks": tasks, "model_version": None, "project": "1.1700000000", "label_config": config,
        "params": {"login": None, "password": None, "context": None},
    }  # fmt: skip
    return server.client.post(f"{path}/predict", json=body)


def test_it_is_up(server: Server) -> None:
    for path in ("/label-studio", "/models/tagger/label-studio"):
        assert server.client.get(f"{path}/health").json()["status"] == "UP"
    assert server.client.get("/models/nobody/label-studio/health").status_code == 404


def test_labels_are_those_of_the_verb(server: Server, verb: Verb) -> None:
    config = CHOICES.format(_named(_labels(server, "classifier"), "Choice"))
    answer = _asked(server, config, "/models/classifier/label-studio").json()
    assert answer["model_version"] == "classifier"
    for found, record in zip(
        answer["results"], verb("predict", "classifier", lines=TEXTS), strict=True
    ):
        (best,) = record["labels"]
        assert found["result"] == [
            {
                "id": "0", "from_name": "topic", "to_name": "body", "type": "choices",
                "value": {"choices": [best["label"]]},
            }
        ]  # fmt: skip
        assert found["score"] == pytest.approx(best["probability"], abs=2e-5)
        assert found["model_version"] == "classifier"


def test_entities_are_those_of_the_verb(server: Server, verb: Verb) -> None:
    config = LABELS.format(_named(_labels(server, "tagger"), "Label"))
    answer = _asked(server, config).json()
    expected = verb("predict", "tagger", lines=TEXTS)
    assert any(record["spans"] for record in expected)
    for found, record, text in zip(answer["results"], expected, TEXTS, strict=True):
        assert [
            (each["from_name"], each["to_name"], each["type"], each["value"])
            for each in found["result"]
        ] == [
            (
                "ner", "body", "labels",
                {
                    "start": span["start"], "end": span["end"],
                    "text": text[span["start"] : span["end"]], "labels": [span["label"]],
                },
            )
            for span in record["spans"]
        ]  # fmt: skip


def test_a_project_with_both_controls_gets_both(server: Server) -> None:
    choices = CHOICES.format(_named(_labels(server, "classifier"), "Choice"))
    labels = LABELS.format(_named(_labels(server, "tagger"), "Label"))
    both = f"<View>{choices}{labels}</View>"
    first = _asked(server, both).json()["results"][0]["result"]
    assert {region["type"] for region in first} == {"choices", "labels"}
    assert [region["id"] for region in first] == [str(number) for number in range(len(first))]


def test_setup_says_which_model_answers(server: Server) -> None:
    config = LABELS.format(_named(_labels(server, "tagger"), "Label"))
    body = {"project": "1.17", "schema": config, "hostname": "http://x", "access_token": "abc"}
    assert server.client.post("/label-studio/setup", json=body).json() == {
        "model_version": "tagger"
    }
    new = {**body, "schema": "<View></View>"}
    assert server.client.post("/label-studio/setup", json=new).status_code == 200
    path = "/models/classifier/label-studio/setup"
    assert server.client.post(path, json=body).status_code == 422


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (
            LABELS.format('<Label value="nowhere"/>'),
            "has none of the model's labels: it has 'nowhere'",
        ),
        ("<View/>", "No model here answers this project"),
        ("<View>", "label_config: this is no XML"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><View/>', "declares a document type or entities"),
        (LABELS.replace("$article", "$other").format(""), "data has no 'other'"),
    ],
)
def test_what_does_not_fit_is_refused(server: Server, config: str, sentence: str) -> None:
    refused = _asked(server, config)
    assert refused.status_code in (400, 422)
    assert sentence in refused.json()["error"]


def test_empty_texts_get_no_region(server: Server) -> None:
    config = LABELS.format(_named(_labels(server, "tagger"), "Label"))
    body = {
        "tasks": [{"data": {"article": None}}, {"data": {"article": " "}}],
        "label_config": config,
    }
    found = server.client.post("/label-studio/predict", json=body).json()
    assert [(each["result"], each["score"]) for each in found["results"]] == [([], None)] * 2


def test_the_controls_of_a_configuration() -> None:
    config = """<View><!-- two texts --><Text name="a" value="$x"/><HyperText name="h" value="$y"/>
    <Choices name="c" toName="a" choice="multiple"><Choice value="Sea" alias="sea"/></Choices>
    <Choices name="d" toName="a" value="$options"/><Labels name="l" toName="h"/></View>"""
    first, second = controls_of(config)
    assert first == ("Choices", "c", "a", "x", ("sea",), False)
    assert (second.from_name, second.labels, second.allows("any")) == ("d", (), True)
    with pytest.raises(BadRequest, match=r"schema: it has 65,537 characters, 65,536 are allowed"):
        controls_of(" " * (1 << 16 | 1), "schema")


def test_a_control_within_a_control_is_refused_at_once() -> None:
    depth = 1000
    nested = '<Choices name="c" toName="a">' * depth + "</Choices>" * depth
    with pytest.raises(BadRequest, match=r'name="c"> stands within another control; put it beside'):
        controls_of(f'<View><Text name="a" value="$x"/>{nested}</View>')


def test_labels_in_groups_are_all_read() -> None:
    (found,) = controls_of(
        """<View><Text name="a" value="$x"/><Choices name="c" toName="a"><View><Choice value="1">
        <Choice value="2"/></Choice></View><Choice value="3"/></Choices></View>"""
    )
    assert found.labels == ("1", "2", "3")


def test_declarations_are_refused_and_literal_text_is_not() -> None:
    harmless = '<View><!-- <!ENTITY --><Text name="a" value="$x"/><![CDATA[<!DOCTYPE]]></View>'
    assert controls_of(harmless) == []
    for config in (
        '<!DOCTYPE a [<!ENTITY b "c">]><View/>',
        "<!-- a --><!DOCTYPE a><View/>",
        "<?a <!-- ?><!DOCTYPE a><?a --> ?><View/>",
    ):
        with pytest.raises(BadRequest, match="remove the lines that begin with <!DOCTYPE"):
            controls_of(config)


def test_a_control_without_labels_shares_none() -> None:
    free = Control("Choices", "a", "t", "x", (), True)
    own = Control("Choices", "b", "t", "x", ("sea",), True)
    assert (free.shared({"sea"}), own.shared({"sea"})) == (0, 1)
    assert (free.is_without({"sea"}), own.is_without({"law"}), own.is_without(set())) == (
        False, True, False,
    )  # fmt: skip


def test_of_two_models_the_one_with_the_labels_answers(
    serve: Callable[..., Server], models: dict[str, Any]
) -> None:
    mood = LinearClassifier().fit(["a ship", "a cow"] * 9, ["good", "bad"] * 9)
    started = serve({"topics": models["classifier"], "mood": mood})
    config = CHOICES.format(_named(["good", "bad"], "Choice"))
    assert _asked(started, config).json()["model_version"] == "mood"
    topics = [str(name) for name in models["classifier"].label_names]
    config = CHOICES.format(_named([*topics, "good"], "Choice"))
    assert _asked(started, config).json()["model_version"] == "topics"
    refused = _asked(started, CHOICES.format(_named(["red"], "Choice")))
    assert refused.status_code == 422
    assert "connect it to a model that has them (/models/NAME/label-studio)" in refused.text
    both = f"""<View>{CHOICES.format(_named(["good"], "Choice"))}
    {LABELS.format(_named(["nowhere"], "Label"))}</View>"""
    tagger = serve({"mood": mood, "tagger": models["tagger"]})
    assert _asked(tagger, both).json()["model_version"] == "mood"
