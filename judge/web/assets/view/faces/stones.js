// The drawings of the players' stones, which differ in shape as well as in colour.

import { drawn } from "../dom.js";

// Returns the elements of a stone around the middle of its cell. shape: "holes" (connect four) or "squares" (reversi).
export function stone(shape, player, radius) {
    if (player === "0" || shape === "squares") {
        const ring =
            shape === "squares" && player === "0" ? null : drawn("circle", { class: "ring", r: radius * 0.72 });
        return [drawn("circle", { class: "stone", r: radius }), ring];
    }
    return [square("stone", radius * 1.76, radius * 0.42), square("ring", radius * 1.24, radius * 0.24)];
}

// Returns a small picture of a player's stone, for legends.
export function icon(shape, player) {
    const body = shape === "edges" ? boxMark(player, 9) : stone(shape, player, 8.5);
    return drawn("svg", { class: `icon ${shape} p${player}`, viewBox: "-10 -10 20 20", "aria-hidden": "true" }, body);
}

// Returns the sign in a box that a player owns: a cross for one player, a ring for the other.
export function boxMark(player, radius) {
    const r = radius * 0.62;
    const sign =
        player === "0"
            ? drawn("path", { class: "sign", d: `M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}` })
            : drawn("circle", { class: "sign", r });
    return [square("owned", radius * 2, radius * 0.3), sign];
}

function square(name, side, corner) {
    return drawn("rect", { class: name, x: -side / 2, y: -side / 2, width: side, height: side, rx: corner });
}
