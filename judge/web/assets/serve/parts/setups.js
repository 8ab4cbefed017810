// Positions that a reader sets up by clicks, which the server checks by the rules, and their texts for addresses.

import { described } from "../../view/games.js";
import { FORBIDDEN } from "../../view/record.js";
import { ask } from "../api.js";

export const BY_MOVES = "moves"; // the tool with which a click plays a move, for both sides in turn
const TEXT = /^#([a-z_]+)\/(\d{1,2})x(\d{1,2})\/([-01])\/([-.01]*#?[-.01]*)\/(by-hand|[\w,]*)$/;
const BY_HAND = "by-hand";

// A position is {game, size, codes, mover, moves}. `moves` are those that led to it from the start, or null if it was
// set up by hand; `mover` is "-" at the end of the game; without `codes` it is the empty board. This function returns
// the position as the server knows it, after `click`, which may have a `move` or what is `put` by hand: [cell, tool]. It
// then has `move_of_cell`, as games have it, the legal moves as `choices`, and `wrong`, which says in each language what
// is wrong with it. Throws a Refusal.
export async function known({ game, size, codes, mover, moves }, click) {
    const cells = codes?.join("");
    const asked = { game, size, cells, mover, moves: moves ?? undefined, ...click };
    const { cells: found, ...position } = await ask("/api/position", asked);
    return { ...position, codes: [...found] };
}

export function startOf(game, size = described(game).setup.usual) {
    return { game, size, mover: "0", moves: [] };
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
