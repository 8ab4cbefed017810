// The games of the list as objects, and functions that filter and sort them.

// Returns each row of the page's data as an object. Its `index` is the game's place among all games, from 0.
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

// Returns a text in the form in which it is searched: a size may be written 9x12, 9 x 12 or 9×12.
function sought(text) {
    return text.toLowerCase().replace(/(\d) *[x×] *(\d)/g, "$1x$2");
}

// Returns the side of the player for whom the filter asks, or "" if it does not play in the game. Without such a player
// the side is A.
function sideOf(game, player) {
    return player === "" ? "A" : (["A", "B"].find((side) => String(game.ids[side]) === player) ?? "");
}

// Returns the result of a game for a side: "won", "lost", "drew" or "void".
export function resultOf(game, side) {
    if (game.ending === "VOID") {
        return "void";
    }
    return game.winner === null ? "drawn" : game.winner === side ? "won" : "lost";
}

// Returns whether a game fits the filter.
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

// Returns the games sorted by a key. Games with equal keys are in the order of the file.
export function sorted(games, key, isDescending) {
    const of = KEYS[key];
    const sign = isDescending ? -1 : 1;
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    return [...games].sort((one, other) => sign * compare(of(one), of(other)) || one.index - other.index);
}
