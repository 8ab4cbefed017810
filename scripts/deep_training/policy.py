"""`scripts/train_policy`: the policy that makes priors for the tree search, learnt from the visits of its searches.

It learns from all positions of folders in which `scripts/train_deep --passes 0` has kept games, and writes the bot's
policy.bin. With a teacher, a network of scripts/train_deep, it learns that network's policy in place of the visits.
"""

import argparse
import json
import math
import sys
from pathlib import Path

import numpy as np
import torch
from numba import njit
from torch import nn
from torch.nn import functional

from bot.games.connect_four.board import CELLS_BYTES, MAX_COLUMNS
from bot.games.connect_four.network import free_in
from bot.games.connect_four.network_weights import PLANES
from bot.games.connect_four.policy import rows_of, view_of
from bot.games.connect_four.policy_weights import CHANNELS, HIDDEN, POLICY_FILE, REACH, ROWS, SEEN
from bot.games.connect_four.rules import load_root
from checkout import revision, shown_command
from connect_four_training import positions
from connect_four_training.fit import learnt_from
from connect_four_training.rounds import progress_bar
from deep_training import learning
from deep_training.board import boards_of, look
from deep_training.network import NO_MOVE, NetworkError, load_network
from option_types import count, quantity
from stopping import stop_like_ctrl_c
from whole_file import written_whole

BATCH, RATE, DECAY, WARM_UP_STEPS = 512, 4e-3, 1e-5, 50
LEAST_RATE = 0.02  # of RATE, where the last step is done
# Priors are the policy to this power: of 1, 1.3 and 1.7 the search gained most by it (docs/experiments/2026-11-28.md).
SHARPNESS = 1.3
KEPT_BITS = 16  # of a float32's 32; the others are zeros, which a zip file packs well


@njit(error_model="numpy", nogil=True)
def _see(halves, rows, is_open):
    planes = np.zeros(PLANES, np.uint16)
    for index in range(len(halves)):
        view = view_of(planes, load_root(halves[index], 0))
        for column in range(MAX_COLUMNS):
            if free_in(planes, column) != 0:
                is_open[index, column] = True
                for number, row in enumerate(rows_of(planes, view, column)):
                    rows[index, column, number] = row


def seen_in(known):
    """What the policy sees of POSITION[n]: rows uint16[n, MAX_COLUMNS, SEEN], and bool[n, MAX_COLUMNS], not full."""
    words = b"".join(positions.board_of(row).to_bytes() for row in known)
    halves = np.frombuffer(words, np.uint16).reshape(len(known), 5 * CELLS_BYTES // 2).copy()
    rows = np.zeros((len(known), MAX_COLUMNS, SEEN), np.uint16)
    is_open = np.zeros((len(known), MAX_COLUMNS), bool)
    _see(halves, rows, is_open)
    return rows, is_open


class Policy(nn.Module):
    """The policy as policy.py reckons it, in PyTorch."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(ROWS, CHANNELS)
        nn.init.normal_(self.table.weight, std=0.05)
        self.skip = nn.Linear(CHANNELS, 1, bias=False)
        self.own = nn.Linear(CHANNELS, HIDDEN)
        self.sides = nn.ModuleList(nn.Linear(CHANNELS, HIDDEN, bias=False) for _ in range(REACH))
        self.whole = nn.Linear(CHANNELS, HIDDEN, bias=False)
        nn.init.normal_(self.whole.weight, std=0.02)  # twelve columns are added up
        self.out = nn.Linear(HIDDEN, 1, bias=False)

    def forward(self, rows, is_open):
        """Logits float32[n, MAX_COLUMNS] of what seen_in returns."""
        channels = self.table(rows).sum(2) * is_open[..., None]
        logits = self.skip(channels)[..., 0]
        channels = channels.clamp(0, 1)
        hidden = self.own(channels) + self.whole(channels.sum(1, keepdim=True))
        for distance, side in enumerate(self.sides, 1):
            padded = functional.pad(channels, (0, 0, distance, distance))
            hidden = hidden + side(padded[:, : -2 * distance] + padded[:, 2 * distance :])
        return logits + self.out(hidden.clamp(0, 1))[..., 0]

    def parts(self):
        """Its tensors in the order of POLICY_FILE, with the shape that they have there."""
        own = self.own.weight.T, self.own.bias
        sides = [side.weight.T for side in self.sides]
        return [self.table.weight, self.skip.weight, *own, *sides, self.whole.weight.T, self.out.weight]

    def numbers(self):
        """float32[NUMBERS] for POLICY_FILE; logits are SHARPNESS times as large by them."""
        sharp = self.skip.weight, self.out.weight
        parts = [part * SHARPNESS if any(part is one for one in sharp) else part for part in self.parts()]
        numbers = torch.cat([part.detach().float().reshape(-1) for part in parts]).numpy()
        half = np.uint32(1 << (31 - KEPT_BITS))
        return (numbers.view(np.uint32) + half >> (32 - KEPT_BITS) << (32 - KEPT_BITS)).view(np.float32)


def policy_of(numbers):
    """The Policy that reckons with the numbers of POLICY_FILE, as bytes."""
    values, policy = torch.as_tensor(np.frombuffer(numbers, np.float32).copy()), Policy()
    with torch.no_grad():
        for part, kept in zip(policy.parts(), values.split([part.numel() for part in policy.parts()]), strict=True):
            part.copy_(kept.view(part.shape))
    return policy


class Lesson:
    """Positions as tensors: what is seen of them, the columns worth searching, and the shares of visits to learn."""

    def __init__(self, known, teacher=None):
        self.allowed = look(boards_of(known)).columns
        shares = learning.policy_targets(known)
        if teacher is not None:
            shares = np.exp(learning.evaluate(teacher, known, "cpu")[1])
        shares = torch.as_tensor(shares) * self.allowed
        kept = (shares.sum(1) > 0) & (self.allowed.sum(1) > 1)
        rows, is_open = seen_in(known[kept.numpy()])
        self.rows, self.is_open = torch.as_tensor(rows.astype(np.int16)), torch.as_tensor(is_open)
        self.allowed, self.shares = self.allowed[kept], shares[kept] / shares[kept].sum(1, keepdim=True)

    def __len__(self):
        return len(self.rows)

    def nats(self, policy, some, power=1.0):
        """The cross entropy of each position's shares, float32[n], of the positions `some`."""
        logits = power * policy(self.rows[some].long(), self.is_open[some])
        chances = torch.where(self.allowed[some], logits, NO_MOVE).log_softmax(1).clamp_min(-20)
        return -(chances * self.shares[some]).sum(1)


def learn(lesson, passes, seed, say):
    """Returns a Policy that has seen every position `passes` times. say(steps done, text) is called after each."""
    torch.manual_seed(seed)
    generator, policy = torch.Generator().manual_seed(seed), Policy()
    optimizer = torch.optim.AdamW(policy.parameters(), RATE, weight_decay=DECAY)
    batches, step = len(lesson) // BATCH, 0
    for _ in range(passes):
        for some in torch.randperm(len(lesson), generator=generator)[: batches * BATCH].view(batches, BATCH):
            falling = (1 + math.cos(math.pi * step / (passes * batches))) / 2
            rate = RATE * min(1, (step + 1) / WARM_UP_STEPS) * (LEAST_RATE + (1 - LEAST_RATE) * falling)
            optimizer.param_groups[0]["lr"] = rate
            error = lesson.nats(policy, some).mean()
            optimizer.zero_grad()
            error.backward()
            optimizer.step()
            step += 1
            say(step, f"error {error.item():.3f}")
    return policy


@torch.no_grad()
def judged(policy, lesson):
    """(nats, share of positions whose most visited move it puts first) of positions held back."""
    every = torch.arange(len(lesson))
    logits = torch.where(lesson.allowed, policy(lesson.rows.long(), lesson.is_open), NO_MOVE)
    named = (logits.argmax(1) == lesson.shares.argmax(1)).float().mean()
    return float(lesson.nats(policy, every).mean()), float(named)


def main(words):
    """Run the command; returns the exit status."""
    options = _parser().parse_args(words)
    stop_like_ctrl_c()
    try:
        teacher = load_network(options.teacher) if options.teacher else None
    except NetworkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    known = positions.read(sorted(path for folder in options.folders for path in folder.glob("*" + positions.SUFFIX)))
    known = known[known["is_exact"] == 0]
    is_learnt = learnt_from(known)
    lesson, held_back = Lesson(known[is_learnt], teacher), Lesson(known[~is_learnt], teacher)
    if len(lesson) < BATCH or not len(held_back):
        print(f"error: {len(lesson)} positions to learn from, expected {BATCH} or more", file=sys.stderr)
        return 2
    with progress_bar(f"learn from {len(lesson):,} positions", options.passes * (len(lesson) // BATCH)) as say:
        policy = learn(lesson, options.passes, options.seed, say)
    nats, named = judged(policy, held_back)
    said = f"{len(lesson):,} positions; of {len(held_back):,} held back {nats:.3f} nats, {named:.1%} named"
    made = {"command": shown_command("scripts/train_policy", words), "revision": revision(), "learnt": said}
    with written_whole(options.weights) as unfinished:
        unfinished.write_bytes(POLICY_FILE.pack(policy.numbers().tobytes(), json.dumps(made)))
    print(f"{options.weights}: {said}", flush=True)
    return 0


def _parser():
    parser = argparse.ArgumentParser(prog="scripts/train_policy", description=__doc__.partition(": ")[2])
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="with games of scripts/train_deep")
    parser.add_argument("--teacher", type=Path, metavar="FILE", help="a network whose policy is learnt")
    parser.add_argument("--passes", type=count, default=5, metavar="N", help="through all positions (default 5)")
    parser.add_argument("--seed", type=quantity, default=1, metavar="N", help="default 1")
    parser.add_argument(
        "--weights", type=Path, default=Path(POLICY_FILE.path), metavar="FILE", help="default: the bot's own"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
