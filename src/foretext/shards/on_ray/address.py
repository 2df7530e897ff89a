"""Where a Ray cluster is, and whether it answers: known in seconds, where Ray tries for minutes."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path
from typing import NamedTuple

from foretext.base.errors import ClusterError, SettingError
from foretext.base.files import open_file

__all__ = ["AUTO", "LOCAL", "RayAddress", "answers"]

AUTO, LOCAL = "auto", "local"
CLIENT = "ray://"
CONNECTING, ANSWERING = 5.0, 10.0  # seconds
FORM = re.compile(r"(?:ray://)?(?:\[(?P<v6>[0-9a-fA-F:.]+)\]|(?P<host>[^\s/:\[\]]+)):(?P<port>\d+)")
# Ray's servers speak gRPC, so HTTP/2 (RFC 9113, sections 3.4 and 6.5): both sides begin with their
# settings, here with none.
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
FRAME_HEAD, FRAME_TYPE, SETTINGS = 9, 3, 4
LONGEST = 1_000  # characters of an address


class RayAddress(NamedTuple):
    """Where to connect to.

    Attributes:
        text: as `ray.init` takes it; it gives a token only to a cluster that it finds itself.
        host: of the head node; none where a cluster is started on this machine.
        port: of its server.
    """

    text: str
    host: str = ""
    port: int = 0

    @classmethod
    def read(cls, given: str) -> RayAddress:
        """Read ``auto``, ``local``, ``HOST:PORT`` or ``ray://HOST:PORT``.

        Raises:
            SettingError: it is none of them, or ``auto`` finds no cluster.
        """
        text = os.environ.get("RAY_ADDRESS", "") or AUTO if given == AUTO else given
        if text == LOCAL:
            return cls(LOCAL)
        match = FORM.fullmatch(_noted() if text == AUTO else text)
        if match is None or int(match["port"]) > 0xFFFF:
            raise SettingError(
                f"address = '{text}': give auto, local, HOST:PORT or ray://HOST:PORT."
            )
        return cls(text, match["v6"] or match["host"], int(match["port"]))

    @property
    def name(self) -> str:
        """What a person calls it."""
        return f"{self.host}:{self.port}" if self.text == AUTO else self.text

    @property
    def is_own(self) -> bool:
        """Whether a cluster is started on this machine, for this process alone."""
        return self.text == LOCAL

    @property
    def is_client(self) -> bool:
        """Whether this machine stays outside of the cluster, as Ray Client allows."""
        return self.text.startswith(CLIENT)

    def refuse_silence(self) -> None:
        """Check that a cluster answers.

        Raises:
            ClusterError: nothing does, or something else.
        """
        if self.is_own:
            return
        problem = answers(self.host, self.port)
        if problem is not None:
            raise ClusterError(
                f"No Ray cluster answers at {self.name} ({problem}); start it, or correct the "
                "address (--address)."
            )


def answers(host: str, port: int) -> str | None:
    """Return why no server of Ray answers there; None: one does."""
    try:
        with socket.create_connection((host, port), CONNECTING) as connection:
            if os.environ.get("RAY_USE_TLS", "0") not in ("0", ""):
                return None  # it would not understand
            connection.settimeout(ANSWERING)
            connection.sendall(PREFACE)
            head = connection.recv(FRAME_HEAD)
    except OSError as error:
        return error.strerror or str(error)
    if len(head) < FRAME_HEAD or head[FRAME_TYPE] != SETTINGS:
        return "something else is there"
    return None


def _noted() -> str:
    """Return the address of the cluster that was started on this machine, as Ray keeps it.

    Raises:
        SettingError: there is none.
    """
    noted = Path(os.environ.get("RAY_TMPDIR") or "/tmp") / "ray" / "ray_current_cluster"
    try:
        with open_file(noted, "r") as file:  # in a folder where everybody may write
            return str(file.read(LONGEST)).strip()
    except (OSError, UnicodeDecodeError):
        raise SettingError(
            "address = 'auto' finds no Ray cluster on this machine; give its address "
            "(--address HOST:PORT or ray://HOST:PORT), or try with --address local."
        ) from None
