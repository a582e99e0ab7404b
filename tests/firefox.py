"""Firefox as it is installed, for what must work there too: started without a window, in a profile of its own.

It is asked in its own language (Marionette: JSON over a socket), because Playwright drives no Firefox but its own.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("firefox", "firefox-esr")
SETTINGS: dict[str, str | int] = {
    "marionette.port": 0,
    "network.proxy.type": 1,
    "network.proxy.socks": "127.0.0.1",
    "network.proxy.socks_port": 9,
}
"""A free port; and a proxy where nothing listens, so that nothing leaves the machine."""
_PATIENCE = 60.0


class NoFirefoxError(Exception):
    """No Firefox starts on this machine."""


class Firefox:
    """A running Firefox with one page."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), _PATIENCE)
        self._heard = b""
        self._asked = 0
        self._receive()
        self._ask("WebDriver:NewSession")

    def open(self, address: str) -> None:
        """Open an address; comes back when it is loaded."""
        self._ask("WebDriver:Navigate", url="about:blank")  # or a change of the fragment alone would load nothing
        self._ask("WebDriver:Navigate", url=address)

    def evaluate(self, expression: str) -> Any:  # noqa: ANN401 -- what JSON holds
        """Give what an expression is in the page."""
        return self._ask("WebDriver:ExecuteScript", script=f"return {expression}", args=[])["value"]

    def until(self, expression: str) -> Any:  # noqa: ANN401 -- what JSON holds
        """Evaluate until it is true; gives what it is then."""
        deadline = time.monotonic() + _PATIENCE
        while not (found := self.evaluate(expression)):
            assert time.monotonic() < deadline, expression
            time.sleep(0.02)
        return found

    def quit(self) -> None:
        """End it."""
        self._ask("Marionette:Quit", flags=["eForceQuit"])
        self._socket.close()

    def _ask(self, command: str, **parameters: object) -> Any:  # noqa: ANN401 -- what JSON holds
        self._asked += 1
        data = json.dumps([0, self._asked, command, parameters]).encode()
        self._socket.sendall(b"%d:%b" % (len(data), data))
        _, _, error, found = self._receive()
        assert error is None, error
        return found

    def _receive(self) -> Any:  # noqa: ANN401 -- what JSON holds
        while b":" not in self._heard:
            self._heard += self._socket.recv(1 << 16)
        size, _, self._heard = self._heard.partition(b":")
        while len(self._heard) < int(size):
            self._heard += self._socket.recv(1 << 16)
        data, self._heard = self._heard[: int(size)], self._heard[int(size) :]
        return json.loads(data)


@contextmanager
def firefox() -> Iterator[Firefox]:
    """Start the Firefox of this machine. NoFirefoxError where none starts."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        raise NoFirefoxError("no Firefox is installed here")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in SETTINGS.items())
        Path(profile, "user.js").write_text("".join(lines), encoding="utf-8")
        command = [path, "--headless", "--marionette", "--no-remote", "--profile", profile]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            found = Firefox(_port(Path(profile, "MarionetteActivePort"), process))
            yield found
            found.quit()
            process.wait(_PATIENCE)
        finally:
            process.kill()
            process.wait()


def _port(said: Path, process: subprocess.Popen[bytes]) -> int:
    """Where it listens, once it does."""
    deadline = time.monotonic() + _PATIENCE
    while not (said.exists() and said.read_text().strip()):
        if process.poll() is not None or time.monotonic() > deadline:
            raise NoFirefoxError("the Firefox that is installed here does not start")
        time.sleep(0.05)
    return int(said.read_text())
