// Positions that a reader sets up by clicks: what a click puts on the board, and the text of a position for an address.
// The server checks positions by the rules.

import { boxNumber, edgesOfBox } from "../../view/faces/dots.js";
import { FORBIDDEN, FREE } from "../../view/record.js";
import { t } from "../../view/words.js";
import { ask } from "../api.js";

export const BY_MOVES = "moves"; // the tool with which a click plays a move, for both sides in turn
const DRAWN = "-"; // a drawn edge whose owner is unknown
const TEXT = /^#([a-z_]+)\/(\d{1,2})x(\d{1,2})\/([-01])\/([-.01]*#?[-.01]*)\/(by-hand|[\w,]*)$/;
const BY_HAND = "by-hand";

// For each game: `sides`, the least and the most rows and columns; `usual`, the usual size; tools(), [[tool, name]];
// put(), the codes after a click with a tool on a cell; and board(), the board options of a new game on the board of a
// position, or null if there can be none.
export const SETUPS = {
    connect_four: {
        sides: [4, 12],
        isSquare: false,
        usual: [9, 9],
        tools: () => [
            ["0", t("stones of the first player")],
            ["1", t("stones of the second player")],
            [FORBIDDEN, t("the forbidden cell")],
            [FREE, t("take away")],
        ],

        put(size, codes, cell, tool) {
            const changed = tool === FORBIDDEN ? codes.map((code) => (code === FORBIDDEN ? FREE : code)) : codes;
            return changed.with(cell, codes[cell] === tool ? FREE : tool);
        },

        board([rows, columns], codes) {
            const cell = codes.indexOf(FORBIDDEN);
            const forbidden = `${Math.floor(cell / columns)},${cell % columns}`;
            return cell < 0 ? null : { rows, cols: columns, forbidden };
        },
    },

    reversi: {
        sides: [4, 10],
        isSquare: true,
        usual: [8, 8],
        tools: () => [
            ["0", t("discs of the first player")],
            ["1", t("discs of the second player")],
            [FREE, t("take away")],
        ],

        put: (size, codes, cell, tool) => codes.with(cell, codes[cell] === tool ? FREE : tool),

        board: ([rows]) => ({ size: rows }),
    },

    dots: {
        sides: [1, 7],
        isSquare: false,
        usual: [5, 5],
        tools: () => [
            ["0", t("edges; boxes for the first player")],
            ["1", t("edges; boxes for the second player")],
            [FREE, t("take away")],
        ],

        // Draws an edge, takes it away, or gives a box to a player. A box has an owner if and only if all its edges are
        // drawn.
        put(size, codes, cell, tool) {
            if (cell >= boxNumber(size, 0, 0)) {
                return codes.with(cell, codes[cell] === FREE || tool === FREE ? codes[cell] : tool);
            }
            const changed = codes.with(cell, codes[cell] === FREE && tool !== FREE ? DRAWN : FREE);
            for (let row = 0; row < size[0]; row += 1) {
                for (let column = 0; column < size[1]; column += 1) {
                    const edges = edgesOfBox(size, row, column);
                    if (edges.includes(cell)) {
                        const isWhole = edges.every((edge) => changed[edge] !== FREE);
                        changed[boxNumber(size, row, column)] = isWhole ? tool : FREE;
                    }
                }
            }
            return changed;
        },

        board: ([rows, columns]) => ({ size: `${rows}x${columns}` }),
    },
};

// A position is {game, size, codes, mover, moves}. `moves` are those that led to it from the start, or null if it was
// set up by hand; `mover` is "-" at the end of the game; without `codes` it is the empty board. This function returns
// the position as the server knows it, after `move` if there is one. It then has `move_of_cell`, as games have it, the
// legal moves as `choices`, and `wrong`, which says in each language what is wrong with it. Throws a Refusal.
export async function known({ game, size, codes, mover, moves }, move) {
    const cells = codes?.join("");
    const asked = { game, size, cells, mover, moves: moves ?? undefined, move };
    const { cells: found, ...position } = await ask("/api/position", asked);
    return { ...position, codes: [...found] };
}

export function startOf(game, size) {
    return { game, size, mover: "0", moves: [] };
}

// Returns the position after a click on a cell with a tool, as one set up by hand, or null if nothing changes.
export function changedByHand(position, cell, tool) {
    const { game, size, codes, mover } = position;
    const after = SETUPS[game].put(size, codes, cell, tool);
    const next = { ...position, codes: after, mover: mover === "-" ? "0" : mover, moves: null };
    return after.join("") === codes.join("") ? null : next;
}

// Returns the part of an address that describes a position.
export function asHash({ game, size, codes, mover, moves }) {
    const led = moves === null ? BY_HAND : moves.join(",");
    return `#${game}/${size.join("x")}/${mover}/${encodeURIComponent(codes.join(""))}/${led}`;
}

// Returns the position that such a part describes, or null if it describes none.
export function fromHash(hash) {
    const [, game, rows, columns, mover, text, led] = TEXT.exec(decoded(hash)) ?? [];
    if (!Object.hasOwn(SETUPS, game ?? "")) {
        return null;
    }
    const moves = led === BY_HAND ? null : led.split(",").filter(Boolean);
    return { game, size: [Number(rows), Number(columns)], codes: [...text], mover, moves };
}

function decoded(hash) {
    try {
        return decodeURIComponent(hash);
    } catch {
        return "";
    }
}
