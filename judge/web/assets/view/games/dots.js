// Dots and boxes. Cells are numbered as in judge/games/dots/board.py: horizontal edges row by row, vertical ones row
// by row, boxes row by row.

import { FREE } from "../record.js";
import { t } from "../words.js";

const LETTERS = "ABCDEFGH";
const EDGES_OF_A_BOX = 4;

export const dots = {
    shape: "edges",

    columnName: (column) => LETTERS[column],

    rowName: (row) => LETTERS[row],

    moveInWords(game, move, place, ply) {
        const completed = game.changes[ply - 1].filter((part) => typeof part === "number").length - 1;
        return completed > 1
            ? t("{edge}, which completes two boxes", { edge: move })
            : completed === 1
              ? t("{edge}, which completes a box", { edge: move })
              : move;
    },

    // The move that takes an edge; null for a box.
    moveAt: (size, cell) => edgeName(size, cell),

    counts(size, codes) {
        const boxes = codes.slice(boxNumber(size, 0, 0));
        return [..."01"].map((player) => boxes.filter((code) => code === player).length);
    },

    // Boxes that can be completed at once, and chains: [{cell, now, length}]. A chain is a group of boxes without
    // owners and with two free edges at most each, joined by these; `length` is how many boxes the box's chain has.
    hints(size, codes) {
        const boxes = new Map();
        for (let row = 0; row < size[0]; row += 1) {
            for (let column = 0; column < size[1]; column += 1) {
                const free = edgesOfBox(size, row, column).filter((edge) => codes[edge] === FREE);
                if (free.length > 0 && free.length <= 2) {
                    boxes.set(boxNumber(size, row, column), free);
                }
            }
        }
        const lengths = chainLengths(boxes);
        return [...boxes].map(([cell, free]) => ({ cell, now: free.length === 1, length: lengths.get(cell) }));
    },

    // The edges of moves, or of turns, whose names are those of their edges one after another: [{cell, player}]; who
    // completes a box moves again.
    variation(size, codes, moves, mover) {
        const stones = [];
        const filled = [...codes];
        let player = mover;
        for (const name of moves.flatMap((move) => move.match(/.{1,3}/g) ?? [])) {
            const cell = edgeNumber(size, name);
            if (cell < 0 || filled[cell] !== FREE) {
                break;
            }
            filled[cell] = player;
            stones.push({ cell, player });
            if (completedBy(size, filled, cell).length === 0) {
                player = player === "0" ? "1" : "0";
            }
        }
        return stones;
    },
};

// The number of an edge that platforms call "AAB" or "BCA"; -1 if this board has none of the name.
function edgeNumber([rows, columns], name) {
    const line = LETTERS.indexOf(name[1]);
    const place = LETTERS.indexOf(name[2]);
    if (name.length !== 3 || line < 0 || place < 0) {
        return -1;
    }
    if (name[0] === "A") {
        return line <= rows && place < columns ? line * columns + place : -1;
    }
    return name[0] === "B" && line <= columns && place < rows
        ? (rows + 1) * columns + place * (columns + 1) + line
        : -1;
}

// The name of the edge of that number, null if it is a box's.
function edgeName([rows, columns], number) {
    const across = (rows + 1) * columns;
    const place = number - across;
    if (place < 0) {
        return `A${LETTERS[Math.floor(number / columns)]}${LETTERS[number % columns]}`;
    }
    return number < boxNumber([rows, columns], 0, 0)
        ? `B${LETTERS[place % (columns + 1)]}${LETTERS[Math.floor(place / (columns + 1))]}`
        : null;
}

// The numbers of a box's edges: above, below, left, right.
export function edgesOfBox([rows, columns], row, column) {
    const down = (rows + 1) * columns + row * (columns + 1) + column;
    return [row * columns + column, (row + 1) * columns + column, down, down + 1];
}

// The number of a box.
export function boxNumber([rows, columns], row, column) {
    return (rows + 1) * columns + rows * (columns + 1) + row * columns + column;
}

// The numbers of the boxes that the edge belongs to and that have all their edges.
export function completedBy(size, codes, edge) {
    const completed = [];
    for (let row = 0; row < size[0]; row += 1) {
        for (let column = 0; column < size[1]; column += 1) {
            const edges = edgesOfBox(size, row, column);
            if (edges.includes(edge) && edges.filter((each) => codes[each] !== FREE).length === EDGES_OF_A_BOX) {
                completed.push(boxNumber(size, row, column));
            }
        }
    }
    return completed;
}

function chainLengths(boxes) {
    const lengths = new Map();
    for (const start of boxes.keys()) {
        if (lengths.has(start)) {
            continue;
        }
        const chain = [start];
        for (const box of chain) {
            for (const [other, free] of boxes) {
                if (!chain.includes(other) && free.some((edge) => boxes.get(box).includes(edge))) {
                    chain.push(other);
                }
            }
        }
        chain.forEach((box) => lengths.set(box, chain.length));
    }
    return lengths;
}
