// Positions of reversi, set up by hand or by moves.

import { reversi as rules, turnedBy } from "../../view/games/reversi.js";
import { FREE } from "../../view/record.js";
import { t } from "../../view/words.js";

const SIDES = [4, 10];

export const reversi = {
    sides: SIDES,
    isSquare: true,
    usual: [8, 8],
    tools: () => [
        ["0", t("discs of the first player")],
        ["1", t("discs of the second player")],
        [FREE, t("take away")],
    ],

    start([rows, columns]) {
        const codes = Array(rows * columns).fill(FREE);
        const upper = Math.floor((rows - 1) / 2);
        const lower = upper + 1;
        codes[upper * columns + upper] = codes[lower * columns + lower] = "1";
        codes[upper * columns + lower] = codes[lower * columns + upper] = "0";
        return codes;
    },

    put(size, codes, cell, tool) {
        const changed = [...codes];
        changed[cell] = codes[cell] === tool ? FREE : tool;
        return changed;
    },

    legal: (size, codes, mover) => rules.hints(size, codes, mover).map((hint) => hint.cell),

    play(size, codes, cell, mover) {
        const changed = [...codes];
        [cell, ...turnedBy(size, codes, cell, mover)].forEach((each) => {
            changed[each] = mover;
        });
        const other = mover === "0" ? "1" : "0";
        const next = [other, mover].find((side) => this.legal(size, changed, side).length > 0);
        return { codes: changed, mover: next ?? "-" };
    },

    problem(size, codes, mover) {
        if (this.legal(size, codes, mover).length > 0) {
            return "";
        }
        return this.legal(size, codes, mover === "0" ? "1" : "0").length > 0
            ? t("The side to move has no move here, and is passed over: it is the other's turn.")
            : t("Nobody has a move here: the game is over.");
    },

    board: (size) => ({ size: size[0] }),
};
