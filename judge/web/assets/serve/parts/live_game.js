// A game that is being played, as it grows: its JSON is that of a recorded game, and messages add to it.

import { nameOf, playerOf, sideOf, valueOf } from "../../view/record.js";

// Add the moves of a message to a game; false where moves between are missing, and nothing is added.
export function extend(game, message) {
    const { from, moves } = message;
    if (game.moves.length !== from) {
        return false;
    }
    const names = new Set([...Object.keys(game.reports), ...Object.keys(message.reports)]);
    for (const name of names) {
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

// What a player's side stands for: {side, name, spent: seconds of all its moves, value: what it reported last or null}.
export function standing(game, player) {
    const side = sideOf(game, player);
    let spent = 0;
    let value = null;
    game.wall.forEach((wall, place) => {
        if (game.sides[place] === side) {
            spent += wall;
            value = valueOf(game, place + 1) ?? value;
        }
    });
    return { side, name: nameOf(game, side), spent, value };
}

// The side that made the last move; null before the first.
export function lastPlayer(game) {
    return game.sides ? playerOf(game, game.sides.at(-1)) : null;
}
