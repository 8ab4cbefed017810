// What the judge says of each game: its name, its face and its words. The rules are in Python only.

import { told } from "./words.js";

let games = {};

// Sets the descriptions of the games by name, which are those of judge/web/game_words.py.
export function setGames(found) {
    games = found;
}

export function gameNames() {
    return Object.keys(games);
}

// Returns the description of a game, or undefined for a game that is not known here.
export function described(name) {
    return games[name];
}

export function gameName(name) {
    return games[name] ? told(games[name].name) : name;
}

// Returns the names of a column and of a row in the margin of a game's board.
export function columnName({ letters }, column) {
    return letters[column] ?? String(column);
}

export function rowName({ first_row: first }, row) {
    return String(first + row);
}

// Returns the name of the cell in a row and a column.
export function cellName(words, row, column) {
    return told(words.cell, { row, column, name: columnName(words, column) + rowName(words, row) });
}

// Returns the move of a ply of a recorded game in words. A game may have words for a move that changes further cells,
// and for a move after which the same side is to move again.
export function moveInWords(game, ply) {
    const { move, again, more } = described(game.game);
    const [, place, ...further] = game.changes[ply - 1].filter(
        (part, number) => number < 1 || typeof part === "number",
    );
    const isAgain = game.movers[ply] === game.movers[ply - 1];
    const text = more[Math.min(further.length, more.length) - 1] ?? (again && isAgain ? again : move);
    const [row, column] = [Math.floor(place / game.size[1]), place % game.size[1]];
    return told(text, { move: game.moves[ply - 1], row, column });
}

// Returns the number of discs or boxes of each player, as a list, or null for a game that does not count them. These
// are the last of a game's cells.
export function counts(game, [rows, columns], codes) {
    const owners = codes.slice(-rows * columns);
    return described(game).counts ? [..."01"].map((player) => owners.filter((code) => code === player).length) : null;
}
