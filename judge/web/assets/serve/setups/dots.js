// Positions of dots and boxes, set up by hand or by moves.

import { boxNumber, completedBy, edgesOfBox } from "../../view/games/dots.js";
import { FREE } from "../../view/record.js";
import { t } from "../../view/words.js";

const SIDES = [1, 7];
const DRAWN = "-"; // an edge of which nobody knows whose it is

export const dots = {
    sides: SIDES,
    isSquare: false,
    usual: [5, 5],
    tools: () => [
        ["0", t("edges; boxes for the first player")],
        ["1", t("edges; boxes for the second player")],
        [FREE, t("take away")],
    ],

    start: (size) => Array(boxNumber(size, 0, 0) + size[0] * size[1]).fill(FREE),

    // An edge drawn or taken away, or a box given to a player. A box has an owner if and only if it has all its edges.
    put(size, codes, cell, tool) {
        const changed = [...codes];
        if (cell >= boxNumber(size, 0, 0)) {
            changed[cell] = codes[cell] === FREE || tool === FREE ? codes[cell] : tool;
            return changed;
        }
        changed[cell] = codes[cell] === FREE && tool !== FREE ? DRAWN : FREE;
        const complete = changed[cell] === FREE ? [] : completedBy(size, changed, cell);
        boxesOf(size, cell).forEach((box) => {
            changed[box] = complete.includes(box) ? tool : FREE;
        });
        return changed;
    },

    legal: (size, codes) => [...Array(boxNumber(size, 0, 0)).keys()].filter((edge) => codes[edge] === FREE),

    play(size, codes, cell, mover) {
        const changed = [...codes];
        changed[cell] = mover;
        const complete = completedBy(size, changed, cell);
        complete.forEach((box) => {
            changed[box] = mover;
        });
        const other = mover === "0" ? "1" : "0";
        const next = complete.length > 0 ? mover : other;
        return { codes: changed, mover: this.legal(size, changed).length === 0 ? "-" : next };
    },

    problem(size, codes) {
        return this.legal(size, codes).length > 0 ? "" : t("Every edge is drawn: the game is over.");
    },

    board: (size) => ({ size: `${size[0]}x${size[1]}` }),
};

// The boxes that an edge belongs to.
function boxesOf(size, edge) {
    const found = [];
    for (let row = 0; row < size[0]; row += 1) {
        for (let column = 0; column < size[1]; column += 1) {
            if (edgesOfBox(size, row, column).includes(edge)) {
                found.push(boxNumber(size, row, column));
            }
        }
    }
    return found;
}
