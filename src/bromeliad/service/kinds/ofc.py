"""Jobs that solve a spot of open-face Chinese poker: ``bromeliad solve`` over HTTP, through the store."""

import json
from functools import partial
from typing import Literal

from bromeliad.core.cards import CardSet, parse_cards
from bromeliad.core.machine import cores
from bromeliad.core.playable import Context, Playable
from bromeliad.errors import BromeliadError, InputError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.playing.quiz import check_street
from bromeliad.service.kinds.kind import Body, Kind, Task, at_most, checking, wrong
from bromeliad.service.settings import Settings
from bromeliad.solving.answer import Answer
from bromeliad.solving.plan import Plan, plan
from bromeliad.solving.request import SolveRequest

_USUAL_MEMORY = 256.0  # megabytes of a search by default


class OfcJob(Body):
    """A spot to solve."""

    game: Literal["ofc"]
    request: SolveRequest


def check_preset(name: str, field: str = "rules") -> None:
    """Raise if there is no such preset: rule files are not allowed over HTTP."""
    if name not in preset_names():
        presets = ", ".join(preset_names())
        raise wrong(field, InputError("there is no preset {name}; presets: {presets}", name=name[:40], presets=presets))


def check_street_of(rules: str, street: int) -> None:
    """Raise if a preset has no such street (from 1)."""
    with checking("street"):
        check_street(preset(rules), street)


def checked(request: SolveRequest, settings: Settings, prefix: str = "request") -> Plan:
    """Return the plan of a request; raise if it is invalid or exceeds the limits."""
    check_preset(request.rules, f"{prefix}.rules")
    at_most(f"{prefix}.time", request.time, settings.max_time)
    at_most(f"{prefix}.memory", request.memory, settings.max_memory)
    at_most(f"{prefix}.threads", request.threads, cores())
    if request.memory is None and settings.max_memory < _USUAL_MEMORY:
        request = request.model_copy(update={"memory": settings.max_memory})
    try:
        return plan(request)
    except InputError as error:
        raise wrong(_field_at_fault(request, prefix), error) from None


def _field_at_fault(request: SolveRequest, prefix: str) -> str:
    """Return the first field whose cards are invalid or repeat cards of an earlier field; else the request."""
    taken = CardSet()
    texts = {"board": request.board, "cards": request.cards, "dead": request.dead}
    texts |= {f"opponents.{i}": text for i, text in enumerate(request.opponents) if ":" not in text}
    for field, text in texts.items():
        try:
            if field in ("cards", "dead"):
                taken |= CardSet.from_cards(parse_cards(text, taken))
            elif text.strip():
                taken |= PlayerArrangement.parse(text, taken).cards
        except BromeliadError:
            return f"{prefix}.{field}"
    return prefix


class OfcKind(Kind[SolveRequest]):
    """Solves spots."""

    request = SolveRequest

    def __init__(self, game: Playable) -> None:
        self.name, self._game = game.name, game

    def check(self, request: SolveRequest, settings: Settings) -> Task:
        """Check the spot and the limits."""
        planned = checked(request, settings)
        return Task(planned.request, partial(self._run, planned))

    def is_final(self, answer: str) -> bool:
        """Return whether the answer is exact and in the store."""
        found = json.loads(answer)
        return bool(found["stored"]) and found["method"] == "exact" and found["stop_reason"] == "exact"

    def _run(self, planned: Plan, context: Context) -> str:
        answer: Answer = self._game.think(planned, context)
        return answer.model_dump_json()
