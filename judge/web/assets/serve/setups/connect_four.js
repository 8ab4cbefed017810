// Positions of connect four, set up by hand or by moves.

import { completes, DIRECTIONS, landing } from "../../view/games/connect_four.js";
import { FORBIDDEN, FREE } from "../../view/record.js";
import { t } from "../../view/words.js";

const SIDES = [4, 12];

export const connectFour = {
    sides: SIDES,
    isSquare: false,
    usual: [9, 9],
    tools: () => [
        ["0", t("stones of the first player")],
        ["1", t("stones of the second player")],
        [FORBIDDEN, t("the forbidden cell")],
        [FREE, t("take away")],
    ],

    start: ([rows, columns]) => Array(rows * columns).fill(FREE),

    // A cell given to what the tool stands for; what stands there already is taken away.
    put(size, codes, cell, tool) {
        const changed = [...codes];
        if (tool === FORBIDDEN && codes.includes(FORBIDDEN)) {
            changed[codes.indexOf(FORBIDDEN)] = FREE;
        }
        changed[cell] = codes[cell] === tool ? FREE : tool;
        return changed;
    },

    // The cells where a stone would land.
    legal(size, codes) {
        const columns = [...Array(size[1]).keys()];
        return columns.map((column) => landing(size, codes, column)).filter((cell) => cell >= 0);
    },

    // {codes, mover} after a move into the column of a cell, which is no full one; the mover is "-" at the end.
    play(size, codes, cell, mover) {
        const changed = [...codes];
        const place = landing(size, codes, cell % size[1]);
        changed[place] = mover;
        const isOver =
            DIRECTIONS.some((step) => completes(size, changed, place, mover, step)) ||
            this.legal(size, changed).length === 0;
        return { codes: changed, mover: isOver ? "-" : mover === "0" ? "1" : "0" };
    },

    // Why there are no values of a position; "" if nothing speaks against them.
    problem(size, codes, mover) {
        const isLine = (cell) =>
            "01".includes(codes[cell]) && DIRECTIONS.some((step) => completes(size, codes, cell, codes[cell], step));
        if (codes.some((_, cell) => isLine(cell))) {
            return t("Somebody has four in a line: the game is over.");
        }
        if (this.legal(size, codes).length === 0) {
            return t("The board is full: the game is over.");
        }
        const isFloating = (cell) => "01".includes(codes[cell]) && landing(size, codes, cell % size[1]) > cell;
        const floating = codes.findIndex((_, cell) => isFloating(cell));
        if (floating >= 0) {
            return t("The stone in column {column} (row {row}) lies on nothing.", {
                column: floating % size[1],
                row: Math.floor(floating / size[1]),
            });
        }
        const sides = [mover, mover === "0" ? "1" : "0"];
        const [own, other] = sides.map((side) => codes.filter((code) => code === side).length);
        const counts = { own, other };
        return other - own === 0 || other - own === 1
            ? ""
            : t("The side to move has {own} stones and the other {other}: expected as many, or one more.", counts);
    },

    // The board that a game from here begins with, as options of a new game; null if there is none.
    board(size, codes) {
        const cell = codes.indexOf(FORBIDDEN);
        const forbidden = `${Math.floor(cell / size[1])},${cell % size[1]}`;
        return cell < 0 ? null : { rows: size[0], cols: size[1], forbidden };
    },
};
