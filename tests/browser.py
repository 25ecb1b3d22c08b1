"""A headless Chromium, where one is installed: run for one page, or open and asked by messages."""

import fcntl
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select
from types import TracebackType
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
PROGRAM = next(filter(None, map(shutil.which, NAMES)), None)
needs_browser = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")

OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--enable-logging=stderr", "--v=0"),
)
CONSOLE = re.compile(r"\bCONSOLE\b.*")
PATIENCE = 120
"""Seconds to wait for a message."""
TAB = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}


def browsed(page: Path, folder: Path, *options: str) -> tuple[str, list[str]]:
    """What the browser prints, and the lines of the page's console; a new profile every time."""
    assert PROGRAM is not None
    profile = folder / f"profile-{os.urandom(4).hex()}"
    words = [PROGRAM, *OPTIONS, f"--user-data-dir={profile}", *options, page.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, CONSOLE.findall(done.stderr)


class Browser:
    """A browser that stays open; it is told what to do over a pipe (the DevTools protocol)."""

    def __init__(self, folder: Path) -> None:
        assert PROGRAM is not None
        (theirs, ours), (read, write) = _high_pipe(), _high_pipe()
        # The browser reads messages from 3 and writes them to 4.
        script = f'exec "$0" "$@" 3<&{theirs} 4>&{write}'
        options = (*OPTIONS, "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank")
        self._process = subprocess.Popen(
            ["bash", "-c", script, PROGRAM, *options],
            pass_fds=(theirs, write),
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(write)
        self._to, self._from = os.fdopen(ours, "wb"), os.fdopen(read, "rb")
        self._sent, self._rest = 0, b""
        self._told: set[str] = set()

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: object, trace: TracebackType | None
    ) -> None:
        self.ask("Browser.close")
        self._process.wait(30)
        self._to.close()
        self._from.close()

    def ask(self, method: str, session: str | None = None, **fields: object) -> dict[str, Any]:
        """The answer to one message; what else is told in between is passed over."""
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": fields}
        message |= {"sessionId": session} if session else {}
        self._to.write(json.dumps(message).encode() + b"\0")
        self._to.flush()
        while (told := self._message()).get("id") != self._sent:
            pass
        assert "error" not in told, told
        result: dict[str, Any] = told["result"]
        return result

    def navigate(self, session: str, url: str) -> None:
        """Load a page, and wait until it is."""
        self._told.clear()
        self.ask("Page.navigate", session, url=url)
        while "Page.loadEventFired" not in self._told:
            self._message()

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            assert select([self._from], [], [], PATIENCE)[0], "the browser is silent"
            part = os.read(self._from.fileno(), 1 << 20)
            assert part, "the browser has ended"
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        self._told.add(told.get("method", ""))
        return told

    @contextmanager
    def page(self, file: Path, width: int, dark: bool = False) -> Iterator["OpenPage"]:
        """A page of that width in pixels, loaded; its security policy lets tests run scripts."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        opened = OpenPage(self, session)
        opened.ask("Page.enable")
        opened.ask("Page.setBypassCSP", enabled=True)
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        opened.ask("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        opened.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.navigate(session, file.as_uri())
        yield opened
        self.ask("Target.closeTarget", targetId=target)


class OpenPage:
    """A page that is asked for values and gets keys."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser, self._session = browser, session

    def ask(self, method: str, **fields: object) -> dict[str, Any]:
        return self._browser.ask(method, self._session, **fields)

    def value(self, script: str) -> Any:
        """What an expression is worth, or what its promise comes to."""
        told = self.ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def press_tab(self) -> None:
        self.ask("Input.dispatchKeyEvent", type="keyDown", **TAB)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **TAB)


def _high_pipe() -> tuple[int, int]:
    """A pipe whose ends are none of the numbers that a browser reads from and writes to."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]
