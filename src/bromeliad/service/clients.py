"""Clients, identified by their address and by a secret that the service gave them."""

import hmac
import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

from bromeliad.storage import Store

_KEY = "clients"  # name of the key among the store's secrets


class Client(NamedTuple):
    """The sender of a request: its address, and its name, which is empty if it sent no secret."""

    address: str
    name: str = ""


class Clients:
    """Gives clients their secrets and recognises them, even after a restart.

    A secret is a name, signed with this store's key: nobody can invent a client or pose as another one.
    """

    def __init__(self, store: Store) -> None:
        self._key = store.secrets.get(_KEY)

    def new_secret(self) -> str:
        """Return the secret of a new client."""
        return self._sealed(secrets.token_urlsafe(12))

    def name_of(self, secret: str) -> str | None:
        """Return the name of a client, or None if the service did not give this secret."""
        name = secret.partition(".")[0]
        same = hmac.compare_digest(self._sealed(name).encode(), secret.encode("utf-8", "replace"))
        return name if same else None

    def _sealed(self, name: str) -> str:
        seal = hmac.digest(self._key, name.encode("utf-8", "replace"), sha256)
        return f"{name}.{urlsafe_b64encode(seal)[:32].decode()}"


def usual_address(host: str) -> str:
    """Return the address to which limits apply; the 2^64 IPv6 addresses of one household count as one."""
    try:
        found = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(found, IPv6Address) or found.is_loopback:
        return str(found)
    return str(found.ipv4_mapped or IPv6Network((found, 64), strict=False))
