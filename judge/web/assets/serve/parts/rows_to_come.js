// Functions on a list of games that grows.

import { t } from "../../view/words.js";

// Adds a game to the list: its row, and the players and boards that are new with it. Returns whether its players or its
// ending are new, so that the filters need more choices.
export function addRow(list, { row, players, boards }) {
    const ending = list.columns.indexOf("ending");
    const isNew = players.length > 0 || !list.rows.some((each) => each[ending] === row[ending]);
    list.rows.push(row);
    list.players.push(...players);
    list.boards.push(...boards);
    return isNew;
}

// Returns in a few words how a game of the list has ended.
export function resultInWords(row) {
    if (row.ending === "VOID") {
        return t("VOID");
    }
    const side = `${row.winner} (${row.names[row.winner]})`;
    const result = row.winner === null ? t("draw") : t("{side} wins", { side });
    return row.ending === "NORMAL" ? result : `${result}: ${t(row.ending)}`;
}
