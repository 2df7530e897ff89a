"""What learns from labelled rows at once, without a network of PyTorch."""

from foretext.registry import Registry

__all__ = ["CLASSIFIERS"]

CLASSIFIERS = Registry(  # by the kind that their config.json names
    "classifier",
    {
        "fasttext classifier": "foretext.classifiers.fasttext.classifier:FastTextClassifier",
        "linear classifier": "foretext.classifiers.linear:LinearClassifier",
    },
)
