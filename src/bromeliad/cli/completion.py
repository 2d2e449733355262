"""``bromeliad completion``."""

import click
from click.shell_completion import get_completion_class

from bromeliad.cli.base import argument, command

_SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_BROMELIAD_COMPLETE"
"""The environment variable by which a shell asks for completions."""


@command(
    "completion",
    help="""Print a script that lets a shell complete commands and options with the Tab key.

For bash: bromeliad completion bash >> ~/.bashrc, then open a new terminal. For fish write it to
~/.config/fish/completions/bromeliad.fish.""",
)
@argument("shell", type=click.Choice(_SHELLS))
def completion(shell: str) -> None:
    """Print the script of a shell."""
    from bromeliad.cli.main import cli

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(cli, {}, "bromeliad", VARIABLE).source())
