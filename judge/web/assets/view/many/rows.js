// The games of the list as objects, and what filters and sorts them.

// Each row of the page's data as an object; `index` is the game's place among all, from 0.
export function readRows(list) {
    return list.rows.map((_, index) => readRow(list, index));
}

export function readRow(list, index) {
    const game = { index };
    list.columns.forEach((name, place) => {
        game[name] = list.rows[index][place];
    });
    game.names = { A: list.players[game.a], B: list.players[game.b] };
    game.ids = { A: game.a, B: game.b };
    game.where = list.boards[game.board];
    const { words, size } = game.where;
    game.sought = sought([game.names.A, game.names.B, size, ...Object.values(words)].join("\n"));
    return game;
}

// Text as it is looked for: a size may be written 9x12, 9 x 12 or 9×12.
function sought(text) {
    return text.toLowerCase().replace(/(\d) *[x×] *(\d)/g, "$1x$2");
}

export const NO_FILTER = { player: "", result: "", ending: "", side: "", text: "" };

// The side of the player looked for in a game: "" if it does not play there. Without one, A is meant.
function sideOf(game, player) {
    return player === "" ? "A" : (["A", "B"].find((side) => String(game.ids[side]) === player) ?? "");
}

// Whether a side "won", "lost", "drew" a game, or it was "void".
export function resultOf(game, side) {
    if (game.ending === "VOID") {
        return "void";
    }
    return game.winner === null ? "drawn" : game.winner === side ? "won" : "lost";
}

// Whether a game fits what is looked for.
export function fits(game, filter) {
    const side = sideOf(game, filter.player);
    const moves = side === game.first ? "first" : "second";
    const text = sought(filter.text);
    return (
        side !== "" &&
        (filter.result === "" || resultOf(game, side) === filter.result) &&
        (filter.ending === "" || game.ending === filter.ending) &&
        (filter.side === "" || moves === filter.side) &&
        (text === "" || game.sought.includes(text))
    );
}

const KEYS = {
    number: (game) => game.index,
    players: (game) => `${game.names.A} ${game.names.B}`,
    where: (game) =>
        `${game.where.game} ${game.where.size.replace(/\d+/g, (side) => side.padStart(2, "0"))} ${game.where.words.en}`,
    result: (game) => ({ A: 0, B: 2 })[game.winner] ?? (game.ending === "VOID" ? 3 : 1),
    ending: (game) => game.ending,
    plies: (game) => game.plies,
    slowest: (game) => game.slowest ?? -1,
};

// The games in another order; where they are alike, in that of the file.
export function sorted(games, key, isDescending) {
    const of = KEYS[key];
    const sign = isDescending ? -1 : 1;
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    return [...games].sort((one, other) => sign * compare(of(one), of(other)) || one.index - other.index);
}
