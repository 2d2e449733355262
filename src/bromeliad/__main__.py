"""``python -m bromeliad`` is ``bromeliad``."""

from bromeliad.cli.main import run

run()
