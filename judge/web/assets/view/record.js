// One recorded game, as judge/web/record_data.py has it, ply by ply.

export const FREE = ".";
export const FORBIDDEN = "#";
const LARGEST_VALUE = 1e12; // of what a bot reports: what is larger is no value
const HINT = /(\d+)([!:])(\S+)/g; // a cell, whether it concerns the next move, the sign
const EDGE = /.{1,3}/g; // of dots and boxes: a bot names a turn by its edges, one behind the other; a ply is one edge
const SWING = 0.5; // how much a side's value changes from one of its moves to the next where it is marked

// The number of plies that can be shown.
export function lastPly(game) {
    return game.changes?.length ?? 0;
}

// The characters of the position after a ply, as a list.
export function codesAt(game, ply) {
    const codes = [...game.start];
    for (const change of game.changes.slice(0, ply)) {
        let code = FREE;
        for (const part of change) {
            if (typeof part === "string") {
                code = part;
            } else {
                codes[part] = code;
            }
        }
    }
    return codes;
}

// The number of the cell that a ply took.
export function placeOf(game, ply) {
    return game.changes[ply - 1][1];
}

// {cell: the ply that took it}, up to a ply.
export function placedUntil(game, ply) {
    const placed = new Map();
    for (let number = 1; number <= ply; number += 1) {
        placed.set(placeOf(game, number), number);
    }
    return placed;
}

// Who moves after a ply: "0", "1", or "-" at the end.
export function moverAfter(game, ply) {
    return game.movers[ply] ?? "-";
}

// The side, A or B, of player "0" or "1" of the rules, and the other way round.
export function sideOf(game, player) {
    return (player === "0") === (game.first === "A") ? "A" : "B";
}

export function playerOf(game, side) {
    return side === game.first ? "0" : "1";
}

export function nameOf(game, side) {
    return game.players["AB".indexOf(side)].name;
}

// What the bot reported of a ply, as a Map; empty if nothing.
export function reportOf(game, ply) {
    const report = new Map();
    for (const [key, values] of Object.entries(game.reports)) {
        const value = values[ply - 1];
        if (value !== null && value !== undefined) {
            if (key === "...") {
                Object.entries(value).forEach(([name, other]) => report.set(name, other));
            } else {
                report.set(key, value);
            }
        }
    }
    return report;
}

export function numberOf(value) {
    return typeof value === "number" && Math.abs(value) <= LARGEST_VALUE ? value : null;
}

// What a side reported its position to be worth to itself, -1 to 1, at a ply; null if nothing usable, and
// where its guard answered, which searches nothing.
export function valueOf(game, ply) {
    const value = numberOf(game.reports.value?.[ply - 1]);
    return value === null || isGuarded(game, ply) ? null : Math.min(1, Math.max(-1, value));
}

export function isGuarded(game, ply) {
    return game.reports.guard?.[ply - 1] === true;
}

export function isLate(game, ply) {
    return game.late.includes(ply);
}

// How much a side's value changed with this ply since its value before; 0 where that is no swing.
export function swingOf(game, ply) {
    const value = valueOf(game, ply);
    if (value === null) {
        return 0;
    }
    for (let earlier = ply - 1; earlier > 0; earlier -= 1) {
        const before = game.sides[earlier - 1] === game.sides[ply - 1] ? valueOf(game, earlier) : null;
        if (before !== null) {
            return Math.abs(value - before) >= SWING ? value - before : 0;
        }
    }
    return 0;
}

// What a review says of a ply: {value, proven, best, lost, mark}, as judge/review/marks.py has it; null if nothing.
export function reviewOf(game, ply) {
    return game.review?.plies[ply - 1] ?? null;
}

// The moves that a bot expected to follow its ply: [{cell, player}].
export function expectedAfter(game, ply) {
    const line = game.reports.pv?.[ply - 1];
    const moves = Array.isArray(line) ? singleMoves(game.game, line).slice(1) : [];
    return stonesOf(game, codesAt(game, ply), moves, game.expected[ply] ?? "");
}

// What stands on the cells of a position to help its reader: [{cell, sign, isNow}], as judge/games/game.py has it.
export function hintsAt(game, ply) {
    return [...(game.hints[ply] ?? "").matchAll(HINT)].map(([, cell, when, sign]) => ({
        cell: Number(cell),
        sign,
        isNow: when === "!",
    }));
}

// The moves that a bot names, one by one.
export function singleMoves(game, named) {
    return named.flatMap((move) => (game === "dots" ? (String(move).match(EDGE) ?? []) : String(move)));
}

// The cell that each move takes if it is made now: of those that are named by it the last one that is free, -1 if there
// is none.
export function cellsOf({ move_of_cell: names }, codes, moves) {
    return moves.map((move) => names.findLastIndex((name, cell) => name === move && codes[cell] === FREE));
}

// The cells of moves that are made one after another by `movers`, a character each: [{cell, player}].
export function stonesOf(game, codes, moves, movers) {
    const filled = [...codes];
    const stones = [];
    for (const [place, player] of [...movers].entries()) {
        const [cell] = cellsOf(game, filled, [moves[place]]);
        if (cell < 0) {
            break;
        }
        filled[cell] = player;
        stones.push({ cell, player });
    }
    return stones;
}
