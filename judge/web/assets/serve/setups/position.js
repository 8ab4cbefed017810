// A position that is being set up: where it stands, how it changes, and its text for an address.

import { GAMES } from "../../view/board.js";
import { FORBIDDEN, FREE } from "../../view/record.js";
import { connectFour } from "./connect_four.js";
import { dots } from "./dots.js";
import { reversi } from "./reversi.js";

export const SETUPS = { connect_four: connectFour, reversi, dots };
export const BY_MOVES = "moves"; // the tool that plays, for both sides in turn
const TEXT = /^#([a-z_]+)\/(\d{1,2})x(\d{1,2})\/([-01])\/([-.01]*#?[-.01]*)\/(by-hand|[\w,]*)$/;
const BY_HAND = "by-hand";

// A position is {game, size, codes, mover, moves}: `moves` are those that led to it from the start, null where it was
// changed by hand; `mover` is "-" once moves have ended the game.
export function startOf(game, size) {
    return { game, size, codes: SETUPS[game].start(size), mover: "0", moves: [] };
}

// The position after a click on a cell; null if it changes nothing.
export function changed(position, cell, tool) {
    const setup = SETUPS[position.game];
    const { game, size, codes, mover } = position;
    if (tool !== BY_MOVES) {
        const after = setup.put(size, codes, cell, tool);
        const next = { ...position, codes: after, mover: mover === "-" ? "0" : mover };
        return after.join("") === codes.join("") ? null : { ...next, moves: isStart(next) ? [] : null };
    }
    const move = GAMES[game].moveAt(size, cell);
    if (move === null || !choices(position).some((each) => GAMES[game].moveAt(size, each) === move)) {
        return null;
    }
    return { ...position, ...setup.play(size, codes, cell, mover), moves: position.moves && [...position.moves, move] };
}

// The position with another side to move.
export function withMover(position, mover) {
    const next = { ...position, mover };
    return { ...next, moves: isStart(next) ? [] : null };
}

// The cells that the side to move may take.
export function choices({ game, size, codes, mover }) {
    const setup = SETUPS[game];
    return mover === "-" || setup.problem(size, codes, mover) ? [] : setup.legal(size, codes, mover);
}

// Whether a game may begin so.
function isStart({ game, size, codes, mover }) {
    return mover === "0" && withoutForbidden(codes) === SETUPS[game].start(size).join("");
}

function withoutForbidden(codes) {
    return codes.map((code) => (code === FORBIDDEN ? FREE : code)).join("");
}

// The part of an address that stands for a position.
export function asHash({ game, size, codes, mover, moves }) {
    const led = moves === null ? BY_HAND : moves.join(",");
    return `#${game}/${size.join("x")}/${mover}/${encodeURIComponent(codes.join(""))}/${led}`;
}

// The position that such a part stands for; null if it is none.
export function fromHash(hash) {
    const [, game, rows, columns, mover, text, led] = TEXT.exec(decoded(hash)) ?? [];
    const size = [Number(rows), Number(columns)];
    if (!Object.hasOwn(SETUPS, game ?? "") || !isSize(SETUPS[game], size)) {
        return null;
    }
    const start = startOf(game, size);
    const codes = [...text];
    if (codes.length !== start.codes.length) {
        return null;
    }
    const byMoves = led === BY_HAND ? null : replayed(start, codes.indexOf(FORBIDDEN), led.split(",").filter(Boolean));
    return byMoves ?? { ...start, codes, mover, moves: null };
}

function decoded(hash) {
    try {
        return decodeURIComponent(hash);
    } catch {
        return "";
    }
}

function isSize({ sides: [least, most], isSquare }, [rows, columns]) {
    return [rows, columns].every((side) => side >= least && side <= most) && (!isSquare || rows === columns);
}

// The position after moves from the start; null if one of them is not legal.
function replayed(start, forbidden, moves) {
    let position = start;
    if (forbidden >= 0) {
        position = { ...start, codes: start.codes.map((code, cell) => (cell === forbidden ? FORBIDDEN : code)) };
    }
    for (const move of moves) {
        const cell = choices(position).find((each) => GAMES[start.game].moveAt(start.size, each) === move);
        if (cell === undefined) {
            return null;
        }
        position = changed(position, cell, BY_MOVES);
    }
    return position;
}
