// The list of games as it grows.

import { t } from "../../view/words.js";

// Add a game: its row, and the players and boards that no game before had. Whether there is more to filter by now.
export function addRow(list, { row, players, boards }) {
    const ending = list.columns.indexOf("ending");
    const isNew = players.length > 0 || !list.rows.some((each) => each[ending] === row[ending]);
    list.rows.push(row);
    list.players.push(...players);
    list.boards.push(...boards);
    return isNew;
}

// How a game of the list has ended, in a few words.
export function resultInWords(row) {
    if (row.ending === "VOID") {
        return t("VOID");
    }
    const side = `${row.winner} (${row.names[row.winner]})`;
    const result = row.winner === null ? t("draw") : t("{side} wins", { side });
    return row.ending === "NORMAL" ? result : `${result}: ${t(row.ending)}`;
}
