"""Models behind HTTP: one server for every kind, with the routes that known clients ask.

``foretext serve RUN...`` runs it. An application of your own takes it as a part::

    from foretext.serving import ServingConfig, create_app

    app = create_app({"words": foretext.load("runs/words")}, ServingConfig(max_requests=64))
"""

from __future__ import annotations

from foretext.base.errors import MissingExtraError
from foretext.messages import message

try:
    from foretext.serving.app import create_app
except ModuleNotFoundError as error:
    if (error.name or "").startswith("foretext"):
        raise
    raise MissingExtraError(str(error.name), "serve", message("errors.purpose.server")) from error
from foretext.serving.settings import ServingConfig

__all__ = ["ServingConfig", "create_app"]
