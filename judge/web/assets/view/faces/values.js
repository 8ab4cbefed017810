// The sign on a cell for the value of taking it. The shape shows at a glance what the text says as a number: it points
// up if the side to move is better and down if it is worse. It is filled if the value is proven, and has a heavy line
// around it if the move is the best one.

import { drawn } from "../dom.js";

const HALF = 17.5; // half the width
const [TOP, SHOULDER, BOTTOM] = [-16, -10, 11];
const MOST_LETTERS = 4; // a longer text gets smaller letters

// Returns the sign. value: {text, words, direction: "up", "level" or "down", isProven, isBest}. x, y: the middle of the
// cell.
export function valueMark(value, x = 0, y = 0, scale = 1) {
    const kinds = ["value", value.direction, value.isProven ? "proven" : "", value.isBest ? "best" : ""];
    const size = value.text.length > MOST_LETTERS ? "long" : null;
    return drawn(
        "g",
        {
            class: kinds.filter(Boolean).join(" "),
            transform: `translate(${x} ${y}) scale(${scale})`,
            "data-value": value.text,
        },
        drawn("path", { class: "sheet", d: outline(value.direction) }),
        drawn("text", { class: size, y: { up: 1.5, level: 0, down: -1.5 }[value.direction] }, value.text),
    );
}

function outline(direction) {
    if (direction === "up") {
        return `M${-HALF} ${SHOULDER}L0 ${TOP}L${HALF} ${SHOULDER}V${BOTTOM}H${-HALF}Z`;
    }
    if (direction === "down") {
        return `M${-HALF} ${-SHOULDER}L0 ${-TOP}L${HALF} ${-SHOULDER}V${-BOTTOM}H${-HALF}Z`;
    }
    return `M${-HALF} ${SHOULDER}H${HALF}V${-SHOULDER}H${-HALF}Z`;
}
