"""A service with a store of its own, and a browser that looks at it."""

import subprocess
import sys
from pathlib import Path

import pytest

from browsing import ARGUMENTS, chromium, watched
from serving import serving

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def built():
    """Build the page unless that is done."""
    done = subprocess.run([sys.executable, ROOT / "hatch_build.py"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"NO PAGE, so nothing of it is tested: {done.stderr.strip()[:500]}")


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    """Return the path of the service's store."""
    return str(tmp_path_factory.mktemp("store") / "page.sqlite")


@pytest.fixture(scope="session")
def address(built, store):
    """Return the address of a service that starts with an empty store."""
    with serving(store) as found:
        yield found


@pytest.fixture(scope="session")
def browser():
    """Return a Chromium."""
    path = chromium()
    if path is None:
        pytest.skip("NO CHROMIUM, so the page is not tested: apt-get install -y chromium, or set BROMELIAD_CHROMIUM")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield found
        found.close()


@pytest.fixture
def desk(browser, address):
    """Return a page on a desktop; what it asks for and what goes wrong in it is checked at the end."""
    with watched(browser, address) as page:
        yield page


@pytest.fixture
def phone(browser, address):
    """Return a page on a phone."""
    with watched(browser, address, width=360, height=740, has_touch=True) as page:
        yield page
