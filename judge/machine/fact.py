"""What is said of a machine: one fact at a time, whether that will do, and where not, what to do."""

import enum
from dataclasses import dataclass


class State(enum.Enum):
    """How a fact serves: well, with a loss that the fact's text names, or not at all."""

    OK = "ok"
    WARNING = "warning"
    MISSING = "missing"


@dataclass(frozen=True)
class Fact:
    """One line on the machine. `advice` says how to get what is not there, "" where nothing is to be done."""

    name: str
    state: State
    text: str
    advice: str = ""
