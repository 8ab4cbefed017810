// Sums over games of the list. A draw is half a point; VOID games do not count.

import { resultOf } from "./rows.js";

export class Score {
    constructor() {
        Object.assign(this, { won: 0, drawn: 0, lost: 0 });
    }

    add(result) {
        this[result] += 1;
    }

    get games() {
        return this.won + this.drawn + this.lost;
    }

    get points() {
        return this.won + this.drawn / 2;
    }

    get percent() {
        return this.games ? `${((100 * this.points) / this.games).toFixed(1)} %` : "–";
    }
}

// A Map that makes a Score for each new key.
class Scores extends Map {
    of(key) {
        if (!this.has(key)) {
            this.set(key, new Score());
        }
        return this.get(key);
    }
}

function judged(rows) {
    return rows.filter((row) => row.ending !== "VOID");
}

// Returns {players: their numbers, ordered by their share of points, of(one, other): the Score of one against the
// other, total(one): its Score against all}. Games of a player against itself are not counted.
export function crosstable(rows) {
    const pairs = new Scores();
    const totals = new Scores();
    for (const row of judged(rows).filter(({ a, b }) => a !== b)) {
        for (const [side, other] of [
            ["A", "B"],
            ["B", "A"],
        ]) {
            pairs.of(`${row.ids[side]} ${row.ids[other]}`).add(resultOf(row, side));
            totals.of(row.ids[side]).add(resultOf(row, side));
        }
    }
    const share = (player) => totals.get(player).points / totals.get(player).games;
    const players = [...totals.keys()].sort((one, other) => share(other) - share(one) || one - other);
    return {
        players,
        of: (one, other) => pairs.get(`${one} ${other}`) ?? null,
        total: (one) => totals.get(one),
    };
}

// Returns a Map from players to {first, second}: their Scores as the side that moves first and as the other side.
export function bySide(rows) {
    const first = new Scores();
    const second = new Scores();
    for (const row of judged(rows)) {
        for (const side of "AB") {
            (row.first === side ? first : second).of(row.ids[side]).add(resultOf(row, side));
        }
    }
    const players = [...new Set([...first.keys(), ...second.keys()])].sort((one, other) => one - other);
    return new Map(players.map((player) => [player, { first: first.of(player), second: second.of(player) }]));
}

// Returns for each game and board size, in order, {game, size, first: the Score of the sides that moved first,
// plies: the mean number of plies}.
export function bySize(rows) {
    const found = new Map();
    for (const row of judged(rows)) {
        const { game, size } = row.where;
        const key = `${game} ${size}`;
        const entry = found.get(key) ?? { game, size, first: new Score(), plies: 0 };
        entry.first.add(resultOf(row, row.first));
        entry.plies += row.plies;
        found.set(key, entry);
    }
    found.forEach((entry) => {
        entry.plies /= entry.first.games;
    });
    const order = ({ game, size }) => `${game} ${size.replace(/\d+/g, (side) => side.padStart(2, "0"))}`;
    return [...found.values()].sort((one, other) => (order(one) < order(other) ? -1 : 1));
}

// Returns a Map from endings to {games, A, B}: the number of games, and how often A and B were at fault. The commonest
// ending comes first.
export function endings(rows) {
    const found = new Map();
    for (const row of rows) {
        const entry = found.get(row.ending) ?? { games: 0, A: 0, B: 0 };
        entry.games += 1;
        if (row.fault) {
            entry[row.fault] += 1;
        }
        found.set(row.ending, entry);
    }
    return new Map([...found].sort(([, one], [, other]) => other.games - one.games));
}
