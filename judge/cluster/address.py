"""What --cluster is given: how many workers of this machine's own, or where a scheduler is.

Needs none of the extra's packages: who reads the command line must not wait for their import.
"""

import ipaddress
import socket

from judge.language import _

LOCAL = "local"


def is_local(address: str) -> bool:
    """Whether the cluster is one that this program starts."""
    return address.partition(":")[0] == LOCAL


def workers_of(address: str, jobs: int) -> int:
    """How many workers "local:N" asks for, `jobs` where it does not say. Raises ValueError."""
    _word, _colon, number = address.partition(":")
    if number and not (number.isascii() and number.isdecimal() and int(number) > 0):
        raise ValueError(_("expected local or local:N with N workers"))
    return int(number) if number else jobs


def is_loopback(host: str) -> bool:
    """Whether all addresses of a host are this machine's own."""
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, None)}
    except OSError:
        return False  # connecting tells why
    return all(ipaddress.ip_address(str(one).partition("%")[0]).is_loopback for one in found)
