// How the boards of each game are drawn and how its moves are put into words. The rules are in Python only.

import { t } from "./words.js";

const LETTERS = "abcdefghij";

// For each game: the shape of its board, the names of columns and rows in its margin if they are simple, and a move in
// words. place: the cell that the ply took.
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

// Returns the number of discs or boxes of each player, as a list, or null for a game that does not count them. The
// boxes of dots and boxes are the last of its cells.
export function counts(game, [rows, columns], codes) {
    const owners = codes.slice(-rows * columns);
    return GAMES[game].shape === "holes"
        ? null
        : [..."01"].map((player) => owners.filter((code) => code === player).length);
}
