// Connect four: a grid with gravity, columns and rows from 0 at the top left.

import { FORBIDDEN, FREE } from "../record.js";
import { t } from "../words.js";

const LINE = 4;
export const DIRECTIONS = [
    [0, 1],
    [1, 0],
    [1, 1],
    [1, -1],
];

export const connectFour = {
    shape: "holes",

    columnName: (column) => String(column),

    rowName: (row) => String(row),

    moveInWords(game, move, place) {
        const [, columns] = game.size;
        return t("column {column} (row {row})", { column: place % columns, row: Math.floor(place / columns) });
    },

    // The move that a cell is picked for: its column's.
    moveAt: ([, columns], cell) => String(cell % columns),

    counts: () => null,

    // The cells that complete a line for a player: [{cell, player, now: whether a stone would land there}].
    hints(size, codes) {
        const found = [];
        for (let cell = 0; cell < codes.length; cell += 1) {
            for (const player of codes[cell] === FREE ? "01" : "") {
                if (DIRECTIONS.some((step) => completes(size, codes, cell, player, step))) {
                    found.push({ cell, player, now: landing(size, codes, cell % size[1]) === cell });
                }
            }
        }
        return found;
    },

    // Where the stones of columns come to rest, played one after the other: [{cell, player}].
    variation(size, codes, moves, mover) {
        const stones = [];
        const filled = [...codes];
        let player = mover;
        for (const move of moves) {
            const cell = /^\d+$/.test(move) ? landing(size, filled, Number(move)) : -1;
            if (cell < 0) {
                break;
            }
            filled[cell] = player;
            stones.push({ cell, player });
            player = player === "0" ? "1" : "0";
        }
        return stones;
    },
};

// The cell where a stone dropped into the column comes to rest, -1 if none is free.
export function landing([rows, columns], codes, column) {
    for (let row = rows - 1; row >= 0 && column < columns; row -= 1) {
        if (codes[row * columns + column] === FREE) {
            return row * columns + column;
        }
        if (![FORBIDDEN, "0", "1"].includes(codes[row * columns + column])) {
            break;
        }
    }
    return -1;
}

// Whether a stone of the player on the cell is part of a line in the direction.
export function completes(size, codes, cell, player, [down, right]) {
    return 1 + run(size, codes, cell, player, down, right) + run(size, codes, cell, player, -down, -right) >= LINE;
}

function run([rows, columns], codes, cell, player, down, right) {
    let length = 0;
    let row = Math.floor(cell / columns) + down;
    let column = (cell % columns) + right;
    while (row >= 0 && row < rows && column >= 0 && column < columns && codes[row * columns + column] === player) {
        length += 1;
        row += down;
        column += right;
    }
    return length;
}
