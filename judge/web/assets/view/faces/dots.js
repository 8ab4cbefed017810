// The face of dots and boxes. Its cells are the edges and the boxes.

import { h } from "../ui.js";
import { columnName } from "../games.js";
import { boxMark, cellAt, marginText, places, square, valueMark } from "./marks.js";

const STEP = 56; // the distance from one dot to the next
const MARGIN = 44; // the space for the names of lines
const VALUES = 0.88; // the scale of values, which are close together here

export const dots = { layout, inside: (cell, state) => (cell.ends ? line(cell, state) : box(state)) };

// Cells are numbered as in judge/games/dots/board.py: horizontal edges row by row, then vertical edges row by row, then
// boxes row by row.
function layout([rows, columns], words, moves) {
    const across = (rows + 1) * columns;
    const first = across + rows * (columns + 1); // the number of the first box
    const boxes = (row) =>
        places(columns).map((column) =>
            cellAt(words, first + row * columns + column, row, column, at(column + 0.5), at(row + 0.5)),
        );
    const edges = moves.slice(0, first).map((name, number) => {
        const isAcross = number < across;
        const [place, width] = isAcross ? [number, columns] : [number - across, columns + 1];
        const [x1, y1] = [at(place % width), at(Math.floor(place / width))];
        const ends = { x1, y1, x2: isAcross ? x1 + STEP : x1, y2: isAcross ? y1 : y1 + STEP };
        const middle = { x: (x1 + ends.x2) / 2, y: (y1 + ends.y2) / 2 };
        return { number, kind: "edge", name, ends, ...middle, data: { "data-edge": name } };
    });
    const points = places(rows + 1).flatMap((row) =>
        places(columns + 1).map((column) => h("circle.point", { cx: at(column), cy: at(row), r: 3.6 })),
    );
    return {
        width: at(columns) + 16,
        height: at(rows) + 16,
        under: names(rows, columns, words),
        rows: [...places(rows).map((row) => ({ cells: boxes(row) })), { cells: edges }],
        over: h("g", { "aria-hidden": "true" }, points),
    };
}

function at(place) {
    return MARGIN + place * STEP;
}

// Returns the letters in the margins, from which the names of edges are read: for a horizontal edge the letters left of
// its line and the letter above it, for a vertical edge the letters above its line and the letter left of it.
function names(rows, columns, words) {
    const texts = [];
    const add = (text, x, y) => texts.push(marginText(text, x, y));
    for (let row = 0; row <= rows; row += 1) {
        add(`A${columnName(words, row)}`, 16, at(row));
        if (row < rows) {
            add(columnName(words, row), 20, at(row + 0.5));
        }
    }
    for (let column = 0; column <= columns; column += 1) {
        add(`B${columnName(words, column)}`, at(column), 26);
        if (column < columns) {
            add(columnName(words, column), at(column + 0.5), 12);
        }
    }
    return h("g", { "aria-hidden": "true" }, texts);
}

function box({ code, hints: [hint] }) {
    if (code === "0" || code === "1") {
        return boxMark(code, 18);
    }
    return hint
        ? [square(`chain ${hint.isNow ? "now" : ""}`, 44, 6), h("text.length", { "data-hint": hint.sign }, hint.sign)]
        : square("open", 36, 5);
}

function line({ x, y, ends }, { code, value, ghost, isChoice, isNumbered, isIllegal, move }) {
    const drawn = (name) => h("line", { class: name, ...ends });
    const expected = () => h("g", { class: `ghost p${ghost.player}` }, drawn("line"), tag(ghost.number, x, y));
    const free = () => (value ? valueMark(value, x, y, VALUES) : ghost ? expected() : isChoice && drawn("may"));
    const taken = () => [
        drawn(code === "-" ? "line opening" : "line"),
        code === "1" && drawn("core"),
        isNumbered && move !== null && tag(move, x, y),
    ];
    return [drawn("reach"), code === "." ? free() : taken(), isIllegal && drawn("illegal")];
}

function tag(number, x, y) {
    const width = String(number).length * 6.5 + 7;
    const back = h("rect.tag", { x: x - width / 2, y: y - 8, width, height: 16, rx: 5 });
    return [back, h("text.number", { x, y }, String(number))];
}
