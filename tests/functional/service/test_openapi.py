"""schemathesis over the whole API: no fault of the service, no status or answer that the description leaves out."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance  # a card text of the right length may be none

from serving import API, serving

MANY = 60  # examples an operation, of the long run


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    store = tmp_path_factory.mktemp("openapi") / "store.sqlite"
    with serving(store, max_time=0.2, away_seconds=0.5, unasked_seconds=1.0) as address:
        yield schemathesis.openapi.from_url(f"{address}{API}/openapi.json", timeout=120)


def check_all(api, examples):
    """Ask every operation as often, and check each answer against the description."""
    checked = 0
    for operation in api.get_all_operations():

        @settings(
            max_examples=examples,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.explicit, Phase.generate),
        )
        @given(case=operation.ok().as_strategy())
        def ask(case):
            case.call_and_validate(timeout=120, excluded_checks=[positive_data_acceptance])

        ask()
        checked += 1
    assert checked >= 20


def test_every_address_answers_as_described(api):
    check_all(api, 3)


@pytest.mark.accept
def test_every_address_answers_as_described_to_much_more(api):
    check_all(api, MANY)
