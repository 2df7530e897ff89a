"""A client of HTTP/1.1 that costs little, so that what is measured is the server.

httpx takes about as long for a request as the server does for its answer. This one writes bytes
that were made before, and reads no more than status, length and body.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple, Self

__all__ = ["Answer", "Connection", "post_bytes"]


class Answer(NamedTuple):
    """What the server said."""

    status: int
    headers: bytes  # in lower case
    body: bytes


def post_bytes(path: str, body: bytes, client: str) -> bytes:
    """A whole POST request with a JSON body; `client` tells the server whose it is."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {client}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode("ascii") + body


class Connection:
    """A connection that is kept for the next request."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int) -> Self:
        """Connect to a port of this machine."""
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=1 << 20))

    async def ask(self, request: bytes) -> Answer:
        """Send one request and return the answer."""
        self._writer.write(request)
        headers = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        length = int(headers.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        return Answer(int(headers[9:12]), headers, await self._reader.readexactly(length))

    @property
    def is_closed(self) -> bool:
        """Whether the server has closed it."""
        return self._reader.at_eof()

    def close(self) -> None:
        """Close it, whatever it waits for."""
        self._writer.close()
