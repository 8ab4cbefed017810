// Games that are being played, and lists of games that grow. Their JSON is that of recorded games and of their list;
// messages add moves and games to it.

import { nameOf, sideOf, valueOf } from "../../view/record.js";

// Adds the moves in a message to a game. Returns false, and adds nothing, if moves before them are missing.
export function extend(game, message) {
    const { from, moves } = message;
    if (game.moves.length !== from) {
        return false;
    }
    for (const name of new Set([...Object.keys(game.reports), ...Object.keys(message.reports)])) {
        const before = game.reports[name] ?? Array(from).fill(null);
        game.reports[name] = [...before, ...(message.reports[name] ?? Array(moves.length).fill(null))];
    }
    game.moves.push(...moves);
    game.wall.push(...message.wall);
    game.changes.push(...message.changes);
    game.sides += message.sides;
    game.movers = game.movers.slice(0, from) + message.movers;
    game.line = message.line;
    message.wall.forEach((wall, place) => {
        if (game.limit !== null && wall > game.limit) {
            game.late.push(from + place + 1);
        }
    });
    return true;
}

// Returns how a player is doing: {side, name, spent: seconds of all its moves, value: the latest it reported or null}.
export function standing(game, player) {
    const side = sideOf(game, player);
    const own = [...game.sides].map((each, place) => (each === side ? place : -1)).filter((place) => place >= 0);
    const spent = own.reduce((sum, place) => sum + game.wall[place], 0);
    const values = own.map((place) => valueOf(game, place + 1)).filter((value) => value !== null);
    return { side, name: nameOf(game, side), spent, value: values.at(-1) ?? null };
}

// Adds a game to the list: its row, and the players and boards that are new with it.
export function addRow(list, { row, players, boards }) {
    list.rows.push(row);
    list.players.push(...players);
    list.boards.push(...boards);
}
