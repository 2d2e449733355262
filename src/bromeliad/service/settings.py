"""Settings of the service: its address, access and limits."""

from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from pathlib import Path

from bromeliad.core.machine import cores
from bromeliad.errors import InputError

ACCEPTED_AT_ONCE = 256  # connections that wait to be accepted
_OTHER_FILES = 128  # open files of the store, the page and the kernels


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _most_connections() -> int:
    """Return how many connections the system's limit on open files allows."""
    try:
        import resource
    except ImportError:  # Windows
        return 1000
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return 1000
    return min(1000, max(16, files - ACCEPTED_AT_ONCE - _OTHER_FILES))


@dataclass(frozen=True)
class Settings:
    """The options of ``bromeliad serve``.

    Raises
    ------
    InputError
        If other machines can reach the service and it has no token, if the token cannot be sent in a header, or if a
        proxy is not an address.
    """

    host: str = "127.0.0.1"
    port: int = 8765  # 0: any free one
    token: str | None = None
    cors: tuple[str, ...] = ()  # origins of other sites whose pages may use the API
    proxies: tuple[str, ...] = ()  # addresses whose X-Forwarded-For is believed
    store: str | Path | None = None
    workers: int = field(default_factory=cores)  # jobs that run at once
    max_time: float = 60.0  # most seconds per job
    max_memory: float = 256.0  # megabytes for the trees and tables of a search
    max_queue: int = 1000  # waiting jobs of all clients
    max_queue_of_address: int = 200
    max_queue_of_client: int = 100
    max_kept: int = 200  # unfinished jobs that continue without their client
    max_kept_of_address: int = 40
    max_streams: int = 512  # open event streams
    max_streams_of_address: int = 256
    max_streams_of_client: int = 32
    max_connections: int = field(default_factory=_most_connections)
    max_connections_of_address: int = field(default_factory=lambda: _most_connections() * 3 // 4)
    max_body: int = 1 << 20  # bytes
    header_seconds: float = 10.0  # for a client to send the headers of a request
    body_seconds: float = 20.0  # for a client to send a body
    write_seconds: float = 30.0  # for a client to read what was sent
    away_seconds: float = 10.0  # a job is cancelled this long after its event stream was closed
    unasked_seconds: float = 30.0  # a job that never had a stream is cancelled this long after it was last requested

    def __post_init__(self) -> None:
        if self.token is not None and not (self.token.isascii() and self.token.isprintable() and self.token.strip()):
            raise InputError("a token must consist of printable ASCII characters")
        if self.token is not None and self.token != self.token.strip():  # HTTP strips outer spaces from headers
            raise InputError("a token must not begin or end with a space")
        if self.token is None and not is_loopback(self.host):
            raise InputError(
                "other machines can reach {host}: give a --token, or leave out --host",
                host=self.host[:100],
            )
        for proxy in self.proxies:
            try:
                ip_network(proxy)
            except ValueError:
                raise InputError("--proxy must be an IP address or a network, such as 10.0.0.0/8") from None

    def is_proxy(self, address: str) -> bool:
        """Return whether an address is one of the proxies, each of which may have many clients."""
        try:
            found = ip_address(address)
        except ValueError:
            return False
        return any(found in ip_network(proxy) for proxy in self.proxies)
