"""Learning: positions with their results become weights, by Adam; and what weights explain of positions held back."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel

from connect_four_training import positions
from connect_four_training.fit import explained, learnt_from
from deep_training.board import boards_of, mirror_order, planes_of
from deep_training.network import NO_MOVE, SIZES, Network, NetworkError, value_of, with_bfloat16
from whole_file import written_whole

BATCHES = {"cpu": 256, "cuda": 2048}  # positions learnt from at once
RATE, DECAY = 1e-3, 1e-4  # of AdamW (Loshchilov and Hutter 2019)
# The rate is RATE for so many steps and then falls as 1 / sqrt(steps done): nobody says how many will follow.
STEPS_OF_FULL_RATE = 4_000
WARM_UP_STEPS = 200
LARGEST_GRADIENT = 1.0  # its norm is cut to this
AVERAGE_DECAY = 0.999  # players and figures use the mean of the weights over about 1 / (1 - this) steps
RESULT_PART = 0.5  # of the value taught where the result is not exact; the search's value is the rest
TEACHER_PART = 0.7  # of what is taught, where there is a teacher; the position's own targets are the rest
VALUE_WEIGHT, POLICY_WEIGHT = 1.5, 1.0  # of the two errors in their sum
JUDGED_AT_ONCE = 1024
ENGINE_FILES = "engine-"  # what the names of files with the engine's games begin with
# The phases of a game in docs/experiments.md by free cells; positions with an exact result are a phase of their own.
PHASES = (("to 66", 0, 66), ("67 to 85", 67, 85), ("from 86", 86, 144))
EXACT = "exact"


class Known(NamedTuple):
    """The positions in a folder, POSITION[n] each: those to learn from, and those of the games held back."""

    learnt: np.ndarray
    held_back: np.ndarray


class Figures(NamedTuple):
    """How well values and policies fit positions held back.

    explained: {phase: share of the result's variance, 0..1}; counts: {phase: positions}; nats: of the policy against
    the visits (cross entropy), None without a policy; entropy: of the visits themselves; named: the share of positions
    whose most visited move the policy puts first.
    """

    explained: dict
    counts: dict
    nats: float | None
    entropy: float
    named: float | None


def read_known(folder: Path, most: int | None = None) -> Known:
    """All positions in a folder; games of the engine are held back where learnt_from says so.

    These stay the same whatever is added later: figures of one round are comparable with those of the next. (Until
    28 November 2026 a game's number decided it, not the game.) most: learn from so many positions at most, of the games
    with the lowest numbers in each file. They stay the same as files grow, but not when another file begins.
    """
    nothing = np.empty(0, positions.POSITION)
    learnt, held_back = [nothing], [nothing]
    for path in sorted(folder.glob("*" + positions.SUFFIX)):
        rows = positions.read([path])
        is_learnt = learnt_from(rows) | (not path.name.startswith(ENGINE_FILES))
        learnt.append(rows[is_learnt])
        held_back.append(rows[~is_learnt])
    known = Known(np.concatenate(learnt), np.concatenate(held_back))
    if most is None or len(known.learnt) <= most:
        return known
    return known._replace(learnt=known.learnt[np.argsort(known.learnt["game"], kind="stable")[:most]])


def value_targets(rows: np.ndarray) -> np.ndarray:
    """The chances of loss, draw and win that are taught, float32[n, 3].

    An exact result is certain. Another one is mixed with the search's value, of which draws are no part.
    """
    result = rows["result"].astype(np.int64)
    from_result = np.eye(3, dtype=np.float32)[result + 1]
    win = (1 + np.clip(rows["value"], -1, 1)) / 2
    from_search = np.stack([1 - win, np.zeros_like(win), win], 1)
    mixed = RESULT_PART * from_result + (1 - RESULT_PART) * from_search
    return np.where(rows["is_exact"][:, None] > 0, from_result, mixed).astype(np.float32)


def policy_targets(rows: np.ndarray) -> np.ndarray:
    """The visits of the columns as shares of all, float32[n, COLUMNS]; all 0 where the position has none."""
    visits = rows["visits"].astype(np.float32)
    return visits / np.maximum(visits.sum(1, keepdims=True), 1)


@torch.no_grad()
def _average(averages, weights, steps) -> None:
    """Move the averages towards the weights: by much in the first steps, whose weights are soon worth nothing."""
    part = 1 - min(AVERAGE_DECAY, (1 + int(steps)) / (10 + int(steps)))
    for average, weight in zip(averages, weights, strict=True):
        average.lerp_(weight, part)


class Learner:
    """A network while it learns, with all that a checkpoint keeps. Raises NetworkError.

    steps: batches learnt from, each of `batch` positions; samples: positions in all of them; seconds: of learning, as
    the caller counts them; average: the network that plays and is judged.
    """

    def __init__(self, size: str, device: str, seed: int):
        torch.manual_seed(seed)
        self.network = Network(SIZES[size]).to(device, memory_format=torch.channels_last)
        self._average = AveragedModel(self.network, multi_avg_fn=_average)
        self._optimizer = torch.optim.AdamW(self.network.parameters(), RATE, weight_decay=DECAY)
        self._generator = np.random.default_rng(seed)
        self._device, self._size = device, size
        self.batch = BATCHES[device]
        self.steps, self.samples, self.seconds = 0, 0, 0.0

    @property
    def average(self) -> Network:
        return self._average.module.eval()

    def learn(self, known: Known, steps: int, teacher: Network | None = None) -> float:
        """Learn from so many batches; the mean of the error."""
        self.network.train()
        total = 0.0
        for _ in range(steps):
            rows = known.learnt[self._generator.integers(len(known.learnt), size=self.batch)]
            total += self._step(rows, teacher)
        return total / steps

    def _step(self, rows: np.ndarray, teacher: Network | None) -> float:
        boards = boards_of(rows, self._device)
        mirrored = torch.as_tensor(self._generator.integers(2, size=len(rows)) > 0, device=self._device)
        planes = planes_of(boards.mirrored(mirrored)).contiguous(memory_format=torch.channels_last)
        values = torch.as_tensor(value_targets(rows), device=self._device)
        shares = torch.as_tensor(policy_targets(rows), device=self._device)
        shares = shares.gather(1, mirror_order(boards.board, mirrored))
        has_policy = (shares.sum(1) > 0).float()
        if teacher is not None:
            with torch.inference_mode(), with_bfloat16(self._device):
                taught_values, taught_shares = (logits.float().softmax(1) for logits in teacher(planes))
            values = values + TEACHER_PART * (taught_values - values)
            part = torch.where(has_policy > 0, TEACHER_PART, 1.0)[:, None]
            shares, has_policy = shares + part * (taught_shares - shares), torch.ones_like(has_policy)
        with with_bfloat16(self._device):
            result, columns = self.network(planes)
        value_error = functional.cross_entropy(result.float(), values)
        policy_error = (functional.cross_entropy(columns.float(), shares, reduction="none") * has_policy).mean()
        error = VALUE_WEIGHT * value_error + POLICY_WEIGHT * policy_error
        self._optimizer.param_groups[0]["lr"] = self._rate()
        self._optimizer.zero_grad(set_to_none=True)
        error.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), LARGEST_GRADIENT)
        if torch.isfinite(norm):
            self._optimizer.step()
            self._average.update_parameters(self.network)
        self.steps += 1
        self.samples += self.batch
        return float(error.detach())

    def _rate(self) -> float:
        warm = min(1.0, (self.steps + 1) / WARM_UP_STEPS)
        return RATE * warm * min(1.0, (STEPS_OF_FULL_RATE / (self.steps + 1)) ** 0.5)

    def save(self, path: Path) -> None:
        """Write the checkpoint whole."""
        kept = {
            "size": self._size,
            "steps": self.steps,
            "samples": self.samples,
            "seconds": self.seconds,
            "network": self.network.state_dict(),
            "average": self._average.state_dict(),
            "optimizer": self._optimizer.state_dict(),
        }
        with written_whole(path) as unfinished:
            torch.save(kept, unfinished)

    def load(self, path: Path) -> None:
        """Go on from a checkpoint. Raises NetworkError where it is damaged or of another size."""
        try:
            kept = torch.load(path, map_location="cpu", weights_only=True)  # the optimizer's counters stay there
            if kept["size"] != self._size:
                raise NetworkError(f"the network there is {kept['size']}, expected {self._size}: choose another --name")
            self.network.load_state_dict(kept["network"])
            self._average.load_state_dict(kept["average"])
            self._optimizer.load_state_dict(kept["optimizer"])
            self.steps, self.samples, self.seconds = kept["steps"], kept["samples"], kept["seconds"]
        except NetworkError as error:
            raise NetworkError(f"{path}: {error}") from None
        except Exception as error:  # torch.load raises many kinds for a damaged file
            raise NetworkError(f"{path}: not a checkpoint: {error}; another --name begins anew") from error
        # Batches differ from those before the stop, and are the same for the same stop.
        self._generator = np.random.default_rng((self.steps, len(kept["network"])))


def evaluate(network: Network, rows: np.ndarray, device: str) -> tuple[np.ndarray, np.ndarray]:
    """(values float32[n], log of the policy float32[n, COLUMNS]) of POSITION[n]."""
    values, policies = [], []
    with torch.inference_mode():
        for begin in range(0, len(rows), JUDGED_AT_ONCE):
            planes = planes_of(boards_of(rows[begin : begin + JUDGED_AT_ONCE], device))
            result, columns = network(planes.contiguous(memory_format=torch.channels_last))
            values.append(value_of(result).cpu().numpy())
            policies.append(columns.float().log_softmax(1).cpu().numpy())
    return np.concatenate(values), np.concatenate(policies)


def phase_of(rows: np.ndarray) -> np.ndarray:
    """The phase's name of POSITION[n]: EXACT or one of PHASES."""
    stones = np.bitwise_count(rows["own"] | rows["opponent"]).sum(1, dtype=np.int64)
    cells = rows["rows"].astype(np.int64) * rows["columns"] - (rows["forbidden_row"] != positions.NO_CELL)
    free = cells - stones
    names = np.full(len(rows), EXACT, dtype=object)
    for name, least, most in PHASES:
        names[(rows["is_exact"] == 0) & (free >= least) & (free <= most)] = name
    return names


def figures_of(rows: np.ndarray, values: np.ndarray, policies: np.ndarray | None) -> Figures:
    """The Figures of values and policies (as `evaluate` gives them, policies None where there is none)."""
    phases, results = phase_of(rows), rows["result"].astype(np.float64)
    found, counts = {}, {}
    for phase in (EXACT, *(name for name, *_ in PHASES)):
        chosen = phases == phase
        counts[phase] = int(chosen.sum())
        found[phase] = explained(values[chosen], results[chosen])
    shares = policy_targets(rows)
    judged = shares.sum(1) > 0
    nats = named = None
    logs = np.log(np.maximum(shares, 1e-9))
    entropy = float(-(shares * logs)[judged].sum(1).mean()) if judged.any() else 0.0
    if policies is not None and judged.any():
        nats = float(-(shares * np.maximum(policies, NO_MOVE))[judged].sum(1).mean())
        named = float((policies.argmax(1) == shares.argmax(1))[judged].mean())
    return Figures(found, counts, nats, entropy, named)


def judged(known: Known, most: int) -> np.ndarray:
    """The positions held back that figures are taken from, so many at most, spread over all games."""
    rows = known.held_back
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]
