"""What a service is started with: where it listens, who may ask, and how much of the machine a question may take."""

from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from bromeliad.core.machine import cores
from bromeliad.errors import InputError

DEFAULT_PORT = 8765


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Settings:
    """The options of ``bromeliad serve``.

    Raises
    ------
    InputError
        If others could reach the service and it has no token, or the token could not be sent.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT  # 0: any that is free
    token: str | None = None
    cors: tuple[str, ...] = ()  # origins of other sites whose pages may ask
    store: str | Path | None = None
    workers: int = field(default_factory=cores)  # jobs at once
    max_time: float = 60.0  # seconds that a job may take
    max_memory: float = 256.0  # megabytes of a search's trees and tables
    max_queue: int = 1000  # jobs that wait, of all clients
    max_queue_of_client: int = 100
    max_body: int = 1 << 20  # bytes
    body_seconds: float = 20.0  # that a client may take to send a body
    away_seconds: float = 10.0  # a job ends if its event stream is gone for so long
    unasked_seconds: float = 30.0  # or if nobody has asked for it

    def __post_init__(self) -> None:
        if self.token is not None and not (self.token.isascii() and self.token.isprintable() and self.token.strip()):
            raise InputError("a token is made of printable ASCII letters")
        if self.token is not None and self.token != self.token.strip():  # nobody could send it: headers lose them
            raise InputError("a token has no space at its beginning or end: leave it out")
        if self.token is None and not is_loopback(self.host):
            raise InputError(
                "{host} can be reached by others: give a --token that they must know, or leave out --host",
                host=self.host[:100],
            )
