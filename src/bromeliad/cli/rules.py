"""``bromeliad rules list | show | check``; :mod:`.worth` has the fourth."""

import json

import click

from bromeliad.cli.base import Command as _Command
from bromeliad.cli.base import Group, argument, json_option, one_line
from bromeliad.i18n import tr

__all__ = ["rules"]

_COMMANDS = {"worth": ("bromeliad.cli.worth:worth", "Solve what fantasyland is worth and what a foul costs.")}
rules = Group("rules", help="List, show and check rule sets; solve what fantasyland is worth.", lazy=_COMMANDS)


@rules.command("list", cls=_Command, help="List the presets.", short_help="List the presets.")
@json_option
def list_rules(as_json: bool) -> None:
    """List the presets."""
    from bromeliad.games.ofc.rules.files import preset, preset_names

    presets = [preset(name) for name in preset_names()]
    if as_json:
        click.echo(json.dumps([{"name": p.name, "summary": p.summary} for p in presets], ensure_ascii=False))
        return
    width = max(len(p.name) for p in presets)
    for p in presets:
        click.echo(f"{p.name:<{width}}  {tr(p.summary)}")


@rules.command(
    "show",
    cls=_Command,
    help="Print a rule set as YAML: a preset, or a rule file with everything that its base fills in.",
    short_help="Print a rule set as YAML.",
)
@argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Print a rule set."""
    from bromeliad.games.ofc.rules.files import dump_rules, load_rules

    found = load_rules(name)
    click.echo(found.model_dump_json() if as_json else dump_rules(found), nl=as_json)


@rules.command(
    "check",
    cls=_Command,
    help="Check a rule file; every mistake is told by line, field and what is allowed.",
    short_help="Check a rule file.",
)
@argument("file")
@json_option
def check(file: str, as_json: bool) -> int:
    """Check a rule file."""
    from bromeliad.errors import RulesError
    from bromeliad.games.ofc.rules.files import load_rules

    try:
        found = load_rules(file)
    except RulesError as error:
        problems = [one_line(problem.render(tr)) for problem in error.problems]
        if as_json:
            click.echo(json.dumps({"ok": False, "problems": problems}, ensure_ascii=False))
        for problem in problems:
            click.echo(f"bromeliad: {problem}", err=True)
        return 2
    if as_json:
        click.echo(json.dumps({"ok": True, "name": found.name, "problems": []}))
    else:
        click.echo(tr("{file}: right, rule set {name}", file=file, name=found.name))
    return 0
