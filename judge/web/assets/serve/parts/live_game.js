// Functions on a game that is being played. Its JSON is that of a recorded game; messages add moves to it.

import { nameOf, playerOf, sideOf, valueOf } from "../../view/record.js";

// Adds the moves in a message to a game. Returns false, and adds nothing, if moves before them are missing.
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

// Returns how a player is doing: {side, name, spent: seconds of all its moves, value: the latest it reported or null}.
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

// Returns the player, "0" or "1", who made the last move, or null before the first move.
export function lastPlayer(game) {
    return game.sides ? playerOf(game, game.sides.at(-1)) : null;
}
