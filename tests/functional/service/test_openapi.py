"""schemathesis over the whole API: no fault of the service, no status or answer that the description leaves out."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings

from serving import API, serving

MANY = 60  # examples an operation, of the long run


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    store = tmp_path_factory.mktemp("openapi") / "store.sqlite"
    with serving(store, max_time=0.2, away_seconds=0.5, unasked_seconds=1.0) as address:
        yield schemathesis.openapi.from_url(f"{address}{API}/openapi.json")


schema = schemathesis.pytest.from_fixture("api")
_OPTIONS = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "suppress_health_check": list(HealthCheck),
    "phases": (Phase.explicit, Phase.generate),
}


@schema.parametrize()
@settings(max_examples=4, **_OPTIONS)
def test_every_address_answers_as_described(case):
    case.call_and_validate(timeout=60)


@pytest.mark.accept
@schema.parametrize()
@settings(max_examples=MANY, **_OPTIONS)
def test_every_address_answers_as_described_to_much_more(case):
    case.call_and_validate(timeout=60)
