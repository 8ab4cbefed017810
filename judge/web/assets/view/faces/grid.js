// The faces of games that are played on the cells of a grid: stones in holes, or discs on squares.

import { h } from "../ui.js";
import { columnName, rowName } from "../games.js";
import { cellAt, circle, cross, marginText, places, square, stone, valueMark } from "./marks.js";

const STEP = 40; // the distance from one cell to the next
const MARGIN = 22; // the space for the names of rows and columns
const RADIUS = 16;

export const holes = { layout, inside: (cell, state) => inside(state, "holes") };
export const squares = { layout, inside: (cell, state) => inside(state, "squares") };

function layout([rows, columns], words) {
    const [wide, high] = [columns * STEP, rows * STEP];
    const names = places(columns).map((column) => marginText(columnName(words, column), middle(column), MARGIN / 2));
    const line = (row) => ({
        name: marginText(rowName(words, row), MARGIN / 2, middle(row)),
        cells: places(columns).map((column) =>
            cellAt(words, row * columns + column, row, column, middle(column), middle(row)),
        ),
    });
    return {
        width: MARGIN + wide + 4,
        height: MARGIN + high + 4,
        under: [
            h("rect.plate", { x: MARGIN, y: MARGIN, width: wide, height: high, rx: 8 }),
            h("g", { "aria-hidden": "true" }, names),
        ],
        rows: places(rows).map(line),
    };
}

function middle(place) {
    return MARGIN + (place + 0.5) * STEP;
}

function inside(state, face) {
    const ground = face === "holes" ? circle("hole", RADIUS + 1) : square("square", STEP);
    return [ground, content(state, face), state.isIllegal && square("illegal", 36)];
}

function content(state, face) {
    const { code, isLast } = state;
    if (code === "#") {
        return cross("forbidden", RADIUS * 0.6);
    }
    if (code === "0" || code === "1") {
        const isNumbered = state.isNumbered && state.move !== null;
        return [
            stone(face, code, RADIUS - 1),
            isLast && circle("mark", RADIUS + 1.5),
            state.isInLine && circle("star", RADIUS + 1.5),
            isNumbered && h("text.number", String(state.move)),
            isLast && !isNumbered && circle("dot", 4),
        ];
    }
    if (state.value !== null) {
        return valueMark(state.value);
    }
    const marks = state.hints.map((hint) => hintMark(hint, face));
    if (state.ghost !== null) {
        const { number, player } = state.ghost;
        const shown = [stone(face, player, RADIUS - 2), h("text.number", String(number))];
        marks.push(h("g", { class: `ghost p${player}` }, shown));
    }
    return state.isChoice && marks.length === 0 ? circle("may", 4.5) : marks;
}

function hintMark({ sign, isNow }, face) {
    const name = `hint ${isNow ? "now" : ""}`;
    const place = face === "squares" ? 0 : sign === "0" ? -6.5 : 6.5;
    const body = sign === "0" ? circle(name, face === "holes" ? 4.5 : 5) : square(name, 8.4, 1.5);
    return h("g", { class: `p${sign}`, transform: `translate(${place} 0)`, "data-hint": sign }, body);
}
