"""The network: convolutions over the board, three numbers for the result and one for each column.

A residual network without normalisation (He et al. 2016; the last convolution of a block begins at zero). Each block
adds what the board's mean and maximum say to every cell, as KataGo does (Wu 2019). Cells off the board stay at zero, so
that an engine need not compute them.
"""

from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional

from deep_training.board import PLANES

FLOOR, BOARD = PLANES.index("floor"), PLANES.index("board")
NO_MOVE = -1e9  # the logit of a full column


class NetworkError(ValueError):
    """A file of a network cannot be used; str() says why."""


class Size(NamedTuple):
    """How large a network is. hidden: numbers between the pooled board and the result."""

    channels: int
    blocks: int
    hidden: int


# About 11 and 86 million multiplications and additions a position.
SIZES = {"small": Size(32, 4, 32), "large": Size(64, 8, 64), "tiny": Size(16, 2, 16)}


class _Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.whole_board = nn.Linear(2 * channels, channels)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        nn.init.zeros_(self.second.weight)
        nn.init.zeros_(self.second.bias)

    def forward(self, cells, board, count):
        inner = self.first(cells)
        inner = functional.relu(inner + self.whole_board(_pooled(inner * board, count))[:, :, None, None])
        return functional.relu(cells + self.second(inner * board)) * board


def _pooled(cells, count):
    """The mean of every channel over the board, and its maximum or 0 where that is larger: [n, 2 * channels]."""
    return torch.cat([cells.sum((2, 3)) / count, cells.amax((2, 3))], 1)


class Network(nn.Module):
    """planes [n, len(PLANES), COLUMNS, ROWS] -> (logits of loss, draw, win [n, 3]; of the columns [n, COLUMNS]).

    made: how its weights came about, a dict of plain values.
    """

    def __init__(self, size):
        super().__init__()
        self.size, self.made = size, {}
        self.entry = nn.Conv2d(len(PLANES), size.channels, 3, padding=1)
        self.blocks = nn.ModuleList(_Block(size.channels) for _ in range(size.blocks))
        self.hidden = nn.Linear(2 * size.channels, size.hidden)
        self.result = nn.Linear(size.hidden, 3)
        self.column = nn.Conv2d(size.channels, 1, 1)

    def forward(self, planes):
        board, floor = planes[:, BOARD : BOARD + 1], planes[:, FLOOR]
        count = board.sum((2, 3))
        cells = functional.relu(self.entry(planes))
        board = board.to(cells.dtype)  # a mask of float32 would have all behind it computed in float32
        cells = cells * board
        for block in self.blocks:
            cells = block(cells, board, count)
        result = self.result(functional.relu(self.hidden(_pooled(cells, count))))
        columns = (self.column(cells)[:, 0] * floor).sum(2)
        return result, torch.where(floor.amax(2) > 0, columns, NO_MOVE)


def with_bfloat16(device):
    """The context in which a device computes with bfloat16, where it has instructions for that and gains by it."""
    pays = device == "cuda" or torch.cpu.get_capabilities().get("avx512_bf16", False)
    return torch.autocast(device, torch.bfloat16, enabled=pays)


def value_of(result):
    """The value, -1..1 for the side to move, float32[n], of logits of loss, draw and win."""
    chances = result.float().softmax(1)
    return chances[:, 2] - chances[:, 0]


def save_network(path, network):
    """Write a network for players and teachers, in half precision."""
    weights = {name: tensor.half() for name, tensor in network.state_dict().items()}
    torch.save({"size": list(network.size), "made": network.made, "weights": weights}, path)


def load_network(path, device="cpu"):
    """The Network of a file that save_network wrote, ready to evaluate. Raises NetworkError."""
    try:
        kept = torch.load(path, map_location=device, weights_only=True)
        network = Network(Size(*kept["size"]))
        network.load_state_dict(kept["weights"])
        network.made = kept["made"]
    except OSError as error:
        raise NetworkError(f"{path}: {error.strerror}") from error
    except Exception as error:  # torch.load raises many kinds for a damaged file
        raise NetworkError(f"{path}: not a network of scripts/train_deep: {error}") from error
    return network.to(device).eval()
