// Positions that a reader sets up by clicks: what a click puts on the board, and the text of a position for an address.
// The server checks positions by the rules.

import { faceOf } from "../../view/board.js";
import { described } from "../../view/games.js";
import { FORBIDDEN, FREE } from "../../view/record.js";
import { ask } from "../api.js";

export const BY_MOVES = "moves"; // the tool with which a click plays a move, for both sides in turn
const TEXT = /^#([a-z_]+)\/(\d{1,2})x(\d{1,2})\/([-01])\/([-.01]*#?[-.01]*)\/(by-hand|[\w,]*)$/;
const BY_HAND = "by-hand";

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

export function startOf(game, size = described(game).setup.usual) {
    return { game, size, mover: "0", moves: [] };
}

// Returns the position after a click on a cell with a tool, as one set up by hand, or null if nothing changes. There is
// one forbidden cell, and a click with the tool that a cell has takes it away.
export function changedByHand(position, cell, tool) {
    const { game, size, codes, mover } = position;
    const others = tool === FORBIDDEN ? codes.map((code) => (code === FORBIDDEN ? FREE : code)) : codes;
    const put = faceOf(game).put ?? (() => others.with(cell, codes[cell] === tool ? FREE : tool));
    const after = put(size, codes, cell, tool);
    const next = { ...position, codes: after, mover: mover === "-" ? "0" : mover, moves: null };
    return after.join("") === codes.join("") ? null : next;
}

// Returns the board options of a new game on the board of a position, or null if it lacks the forbidden cell that the
// game needs.
export function boardOptions({ game, size: [rows, columns], codes }) {
    const cell = codes.indexOf(FORBIDDEN);
    const fields = { rows, columns, forbidden: cell < 0 ? null : `${Math.floor(cell / columns)},${cell % columns}` };
    const options = Object.entries(described(game).setup.board).map(([name, form]) => {
        return [name, form.replace(/\{(\w+)\}/g, (_, field) => fields[field] ?? "")];
    });
    return options.some(([, value]) => value === "") ? null : Object.fromEntries(options);
}

// Returns the part of an address that describes a position.
export function asHash({ game, size, codes, mover, moves }) {
    const led = moves === null ? BY_HAND : moves.join(",");
    return `#${game}/${size.join("x")}/${mover}/${encodeURIComponent(codes.join(""))}/${led}`;
}

// Returns the position that such a part describes, or null if it describes none.
export function fromHash(hash) {
    const [, game, rows, columns, mover, text, led] = TEXT.exec(decoded(hash)) ?? [];
    const moves = led === BY_HAND ? null : led?.split(",").filter(Boolean);
    const position = { game, size: [Number(rows), Number(columns)], codes: [...(text ?? "")], mover, moves };
    return described(game) ? position : null;
}

function decoded(hash) {
    try {
        return decodeURIComponent(hash);
    } catch {
        return "";
    }
}
