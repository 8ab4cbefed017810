// How boards of each game are drawn and their moves are said in words. The rules are Python's.

import { t } from "./words.js";

const LETTERS = "abcdefghij";

// Of each game: the shape of its board, the names of columns and rows in its margin where they are simple ones, and
// a move in words. place: the cell that the ply took.
export const GAMES = {
    connect_four: {
        shape: "holes",

        columnName: (column) => String(column),

        rowName: (row) => String(row),

        moveInWords(game, move, place) {
            const [, columns] = game.size;
            return t("column {column} (row {row})", { column: place % columns, row: Math.floor(place / columns) });
        },
    },

    reversi: {
        shape: "squares",

        columnName: (column) => LETTERS[column],

        rowName: (row) => String(row + 1),

        moveInWords(game, move, place, ply) {
            const passed = ply < game.movers.length && game.movers[ply] === game.movers[ply - 1];
            return passed ? t("{move}, the other side has no move", { move }) : move;
        },
    },

    dots: {
        shape: "edges",

        moveInWords(game, move, place, ply) {
            const completed = game.changes[ply - 1].filter((part) => typeof part === "number").length - 1;
            return completed > 1
                ? t("{edge}, which completes two boxes", { edge: move })
                : completed === 1
                  ? t("{edge}, which completes a box", { edge: move })
                  : move;
        },
    },
};

// How many discs or boxes each player has, as a list; null for a game that does not count them. The boxes of dots and
// boxes are the last of its cells.
export function counts(game, [rows, columns], codes) {
    const owners = codes.slice(-rows * columns);
    return GAMES[game].shape === "holes"
        ? null
        : [..."01"].map((player) => owners.filter((code) => code === player).length);
}
