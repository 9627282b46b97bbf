"""A page in a real browser without a screen: the Chromium of Qt, which `make browser` adds to the environment.

`python -m tests.browser FILE WIDTH` opens the page in a window of so many pixels, runs the script from standard input
in it, and prints what this returns. A process of its own, because Qt wants the main thread.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

_SCHEMES: Final = {"dark": 0, "light": 1}
_HEIGHT: Final = 800
_ENVIRONMENT: Final = {"QT_QPA_PLATFORM": "offscreen", "QTWEBENGINE_DISABLE_SANDBOX": "1"}


def is_installed() -> bool:
    """Whether the browser is there, with what it needs of the system."""
    try:
        importlib.import_module("PySide6.QtWebEngineWidgets")
    except ImportError:
        return False
    return True


def seen(page: Path, script: str, *, scheme: str, width: int) -> str:
    """What a script finds in a page; `scheme` is `light` or `dark`, `width` that of the window in pixels."""
    flags = f"--disable-gpu --blink-settings=preferredColorScheme={_SCHEMES[scheme]}"
    done = subprocess.run(
        [sys.executable, "-m", "tests.browser", str(page), str(width)],
        env={**os.environ, **_ENVIRONMENT, "QTWEBENGINE_CHROMIUM_FLAGS": flags},
        input=script,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def main() -> None:
    """Open the page, and print what the script returns."""
    qt: dict[str, Any] = {
        name: importlib.import_module(f"PySide6.Qt{name}") for name in ("Core", "Widgets", "WebEngineWidgets")
    }
    script = sys.stdin.read()
    application = qt["Widgets"].QApplication([])
    view = qt["WebEngineWidgets"].QWebEngineView()

    def tell(found: object) -> None:
        sys.stdout.write(f"{found}\n")
        application.quit()

    def loaded(is_whole: bool) -> None:  # noqa: FBT001  Qt calls it
        if is_whole:
            view.page().runJavaScript(script, 0, tell)
        else:
            application.exit(1)

    view.resize(int(sys.argv[2]), _HEIGHT)
    view.loadFinished.connect(loaded)
    view.load(qt["Core"].QUrl.fromLocalFile(sys.argv[1]))
    view.show()
    sys.exit(application.exec())


if __name__ == "__main__":
    main()
