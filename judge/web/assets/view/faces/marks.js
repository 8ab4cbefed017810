// What the boards of all games share: the players' stones, which differ in shape as well as in colour, and the signs of
// values.

import { cellName } from "../games.js";
import { h } from "../ui.js";

const HALF = 17.5; // half the width of the sign of a value
const MOST_LETTERS = 4; // a longer text of a value gets smaller letters
const OUTLINES = {
    up: `M${-HALF} -10L0 -16L${HALF} -10V11H${-HALF}Z`,
    level: `M${-HALF} -10H${HALF}V10H${-HALF}Z`,
    down: `M${-HALF} 10L0 16L${HALF} 10V-11H${-HALF}Z`,
};

// Returns the elements of a stone around the middle of its cell. face: "holes" (connect four) or "squares" (reversi).
export function stone(face, player, radius) {
    if (player === "0" || face === "squares") {
        const ring = face === "squares" && player === "0" ? null : circle("ring", radius * 0.72);
        return [circle("stone", radius), ring];
    }
    return [square("stone", radius * 1.76, radius * 0.42), square("ring", radius * 1.24, radius * 0.24)];
}

// Returns the sign in a box that a player owns: a cross for one player, a ring for the other.
export function boxMark(player, radius) {
    const sign = player === "0" ? cross("sign", radius * 0.62) : circle("sign", radius * 0.62);
    return [square("owned", radius * 2, radius * 0.3), sign];
}

// Returns a small picture of a player's stone, for legends.
export function icon(face, player) {
    const body = face === "edges" ? boxMark(player, 9) : stone(face, player, 8.5);
    return h("svg", { class: `icon ${face} p${player}`, viewBox: "-10 -10 20 20", "aria-hidden": "true" }, body);
}

// Returns the sign on a cell for the value of taking it: {text, direction: "up", "level" or "down", isProven, isBest}.
// The shape shows at a glance what the text says as a number: it points up if the side to move is better and down if it
// is worse. It is filled if the value is proven, and has a heavy line around it if the move is the best one.
export function valueMark({ text, direction, isProven, isBest }, x = 0, y = 0, scale = 1) {
    const kinds = ["value", direction, isProven && "proven", isBest && "best"].filter(Boolean);
    const place = { transform: `translate(${x} ${y}) scale(${scale})`, "data-value": text };
    const size = text.length > MOST_LETTERS ? "long" : null;
    return h(
        "g",
        { class: kinds.join(" "), ...place },
        h("path.sheet", { d: OUTLINES[direction] }),
        h("text", { class: size, y: { up: 1.5, level: 0, down: -1.5 }[direction] }, text),
    );
}

export function circle(name, r) {
    return h("circle", { class: name, r });
}

export function square(name, side, corner) {
    return h("rect", { class: name, x: -side / 2, y: -side / 2, width: side, height: side, rx: corner });
}

export function cross(name, r) {
    return h("path", { class: name, d: `M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}` });
}

// Returns the numbers below another one.
export function places(number) {
    return [...Array(number).keys()];
}

// Returns a cell in a row and a column, as Board has it, whose middle is at x and y.
export function cellAt(words, number, row, column, x, y) {
    const data = { "data-row": row, "data-col": column, transform: `translate(${x} ${y})` };
    return { number, kind: "cell", name: cellName(words, row, column), x, y, data };
}

// Returns a text in the margin of a board.
export function marginText(text, x, y) {
    return h("text.name", { x, y, "aria-hidden": "true" }, text);
}
