// Functions that read one recorded game ply by ply. Its JSON is that of judge/web/record_data.py.

export const FREE = ".";
export const FORBIDDEN = "#";
const LARGEST_VALUE = 1e12; // a larger number in a bot's report is not taken for a value
const HINT = /(\d+)([!:])(\S+)/g; // a cell, whether the hint is for the next move, the sign
const SWING = 0.5; // the least change of a side's value from one of its moves to the next that is marked

// Returns the number of plies that can be shown.
export function lastPly(game) {
    return game.changes?.length ?? 0;
}

// Returns the characters of the cells in the position after a ply, as a list.
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

// Returns the number of the cell that a ply took.
export function placeOf(game, ply) {
    return game.changes[ply - 1][1];
}

// Returns a Map from a cell to the ply that took it, for the plies up to `ply`.
export function placedUntil(game, ply) {
    const placed = new Map();
    for (let number = 1; number <= ply; number += 1) {
        placed.set(placeOf(game, number), number);
    }
    return placed;
}

// Returns the player to move after a ply, "0" or "1", or "-" at the end of the game.
export function moverAfter(game, ply) {
    return game.movers[ply] ?? "-";
}

// Returns the side, "A" or "B", of player "0" or "1" of the rules. playerOf() is its inverse.
export function sideOf(game, player) {
    return (player === "0") === (game.first === "A") ? "A" : "B";
}

export function playerOf(game, side) {
    return side === game.first ? "0" : "1";
}

export function nameOf(game, side) {
    return game.players["AB".indexOf(side)].name;
}

// Returns the position after a ply as Board shows it.
export function positionAt(game, ply, names) {
    return {
        game: game.game,
        size: game.size,
        moves: game.move_of_cell,
        codes: codesAt(game, ply),
        names,
        placed: placedUntil(game, ply),
        last: ply > 0 ? placeOf(game, ply) : null,
        line: ply === lastPly(game) ? game.line : [],
    };
}

// Returns the bot's report on a ply as a Map, which is empty without a report.
export function reportOf(game, ply) {
    const values = Object.entries(game.reports).map(([key, all]) => [key, all[ply - 1] ?? null]);
    const known = values.filter(([, value]) => value !== null);
    return new Map(known.flatMap(([key, value]) => (key === "..." ? Object.entries(value) : [[key, value]])));
}

export function numberOf(value) {
    return typeof value === "number" && Math.abs(value) <= LARGEST_VALUE ? value : null;
}

// Returns the value that the side which moved at a ply reported, from -1 to 1 from its own point of view. Returns null
// if it reported no usable value, and if its guard answered, which does not search.
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

// Returns how much a side's value changed at this ply since its previous value, or 0 if the change is less than SWING.
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

// Returns the review of a ply, {value, proven, best, lost, mark} as in judge/review/marks.py, or null without one.
export function reviewOf(game, ply) {
    return game.review?.plies[ply - 1] ?? null;
}

// Returns the moves that the bot expected after its ply: [{cell, player}].
export function expectedAfter(game, ply) {
    const line = game.reports.pv?.[ply - 1];
    const moves = Array.isArray(line) ? singleMoves(game, line).slice(1) : [];
    return stonesOf(game, codesAt(game, ply), moves, game.expected[ply] ?? "");
}

// Returns the hints on the cells of the position after a ply: [{cell, sign, isNow}], as in judge/games/game.py.
export function hintsAt(game, ply) {
    return [...(game.hints[ply] ?? "").matchAll(HINT)].map(([, cell, when, sign]) => ({
        cell: Number(cell),
        sign,
        isNow: when === "!",
    }));
}

// Returns the moves that a bot names as single plies. It may name a turn of several plies by their names, one after the
// other.
export function singleMoves({ move_of_cell: names }, named) {
    const plies = new RegExp(`.{${names[0].length}}`, "g");
    return named.map(String).flatMap((move) => {
        const parts = names.includes(move) ? [move] : (move.match(plies) ?? []);
        return parts.join("") === move && parts.every((part) => names.includes(part)) ? parts : [move];
    });
}

// Returns for each move the cell that it takes if it is made now: the last free cell that has the move's name, or -1 if
// there is none.
export function cellsOf({ move_of_cell: names }, codes, moves) {
    return moves.map((move) => names.findLastIndex((name, cell) => name === move && codes[cell] === FREE));
}

// Returns the cells of moves that are made one after the other: [{cell, player}]. movers: a text with a character for
// each move, the player who makes it.
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
