// Reversi: a square grid, columns named by letters and rows by numbers from 1 at the top.

import { FREE } from "../record.js";
import { t } from "../words.js";

const DIRECTIONS = [
    [-1, -1],
    [-1, 0],
    [-1, 1],
    [0, -1],
    [0, 1],
    [1, -1],
    [1, 0],
    [1, 1],
];
const LETTERS = "abcdefghij";
const CELL = /^([a-j])(\d+)$/;

export const reversi = {
    shape: "squares",

    columnName: (column) => LETTERS[column],

    rowName: (row) => String(row + 1),

    moveInWords(game, move, place, ply) {
        const passed = ply < game.movers.length && game.movers[ply] === game.movers[ply - 1];
        return passed ? t("{move}, the other side has no move", { move }) : move;
    },

    // The move that takes a cell.
    moveAt: ([, columns], cell) => `${LETTERS[cell % columns]}${Math.floor(cell / columns) + 1}`,

    counts: (size, codes) => [..."01"].map((player) => codes.filter((code) => code === player).length),

    // The cells that the side to move may take: [{cell, player, now}].
    hints(size, codes, mover) {
        const found = [];
        for (let cell = 0; cell < codes.length && mover !== "-"; cell += 1) {
            if (codes[cell] === FREE && turnedBy(size, codes, cell, mover).length > 0) {
                found.push({ cell, player: mover, now: true });
            }
        }
        return found;
    },

    // The cells of moves with whose they are: [{cell, player}]; a side without a move is passed over, and a move that is
    // none ends it. Discs that they turn are not shown.
    variation(size, codes, moves, mover) {
        const [rows] = size;
        const after = [...codes];
        const stones = [];
        let player = mover;
        for (const move of moves) {
            const found = CELL.exec(move);
            const cell = found ? (Number(found[2]) - 1) * rows + LETTERS.indexOf(found[1]) : -1;
            player = [player, otherThan(player)].find((one) => turnedBy(size, after, cell, one).length > 0);
            if (after[cell] !== FREE || player === undefined) {
                break;
            }
            for (const own of [cell, ...turnedBy(size, after, cell, player)]) {
                after[own] = player;
            }
            stones.push({ cell, player });
            player = otherThan(player);
        }
        return stones;
    },
};

const otherThan = (player) => (player === "0" ? "1" : "0");

// The cells whose discs a disc of the player on a free cell turns.
export function turnedBy([rows, columns], codes, cell, player) {
    const other = otherThan(player);
    return DIRECTIONS.flatMap(([down, right]) => {
        const line = [];
        let row = Math.floor(cell / columns) + down;
        let column = (cell % columns) + right;
        while (isAt(row, column) === other) {
            line.push(row * columns + column);
            row += down;
            column += right;
        }
        return isAt(row, column) === player ? line : [];
    });

    function isAt(row, column) {
        return row >= 0 && row < rows && column >= 0 && column < columns ? codes[row * columns + column] : null;
    }
}
