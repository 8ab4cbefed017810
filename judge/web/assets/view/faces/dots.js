// The drawing of the board of dots and boxes. Its cells are the edges and the boxes.

import { drawn } from "../dom.js";
import { t } from "../words.js";
import { inWords, isChanged } from "./cell.js";
import { boxMark } from "./stones.js";
import { valueMark } from "./values.js";

const STEP = 56; // the distance from one dot to the next
const MARGIN = 44; // the space for the names of lines
const VALUES = 0.88; // the scale of values, which are close together here
const LETTERS = "ABCDEFGH";

// Returns {element, cells, draw} for an empty board. Boxes are groups with data-row and data-col; edges have their name
// in data-edge. The middle of a cell is at its x and y.
export function dotsFace(size, rules, pick) {
    const [rows, columns] = size;
    const cells = [];
    const lines = [];
    for (let row = 0; row < rows; row += 1) {
        const line = drawn("g", { role: "row" });
        for (let column = 0; column < columns; column += 1) {
            const number = boxNumber(size, row, column);
            const group = drawn("g", {
                role: "cell",
                class: "cell",
                "data-row": row,
                "data-col": column,
                transform: `translate(${at(column + 0.5)} ${at(row + 0.5)})`,
                click: () => pick(number),
            });
            const named = () => t("box in row {row}, column {column}", { row, column });
            cells.push({ number, group, name: named, box: true, x: at(column + 0.5), y: at(row + 0.5) });
            line.append(group);
        }
        lines.push(line);
    }
    const edges = drawn("g", { role: "row" });
    for (const edge of edgesOf(size)) {
        const group = drawn("g", {
            role: "cell",
            class: "edge",
            "data-edge": edge.name,
            click: () => pick(edge.number),
        });
        cells.push({ ...edge, group, name: () => edge.name, box: false });
        edges.append(group);
    }
    const points = [];
    for (let row = 0; row <= rows; row += 1) {
        for (let column = 0; column <= columns; column += 1) {
            points.push(drawn("circle", { class: "point", cx: at(column), cy: at(row), r: 3.6 }));
        }
    }
    const view = `0 0 ${at(columns) + 16} ${at(rows) + 16}`;
    const element = drawn(
        "svg",
        { role: "table", class: "edges", viewBox: view, "data-rows": rows, "data-cols": columns },
        names(rows, columns),
        lines,
        edges,
        drawn("g", { "aria-hidden": "true" }, points),
    );
    return { element, cells, draw };
}

// Returns the numbers of the edges of a box: above, below, left, right. Cells are numbered as in
// judge/games/dots/board.py: horizontal edges row by row, then vertical edges row by row, then boxes row by row.
export function edgesOfBox([rows, columns], row, column) {
    const down = (rows + 1) * columns + row * (columns + 1) + column;
    return [row * columns + column, (row + 1) * columns + column, down, down + 1];
}

// Returns the number of the cell that is a box.
export function boxNumber([rows, columns], row, column) {
    return (rows + 1) * columns + rows * (columns + 1) + row * columns + column;
}

function at(place) {
    return MARGIN + place * STEP;
}

// Returns the letters in the margins, from which the names of edges are read: for a horizontal edge the letters left of
// its line and the letter above it, for a vertical edge the letters above its line and the letter left of it.
function names(rows, columns) {
    const texts = [];
    const add = (text, x, y) => texts.push(drawn("text", { class: "name", x, y }, text));
    for (let row = 0; row <= rows; row += 1) {
        add(`A${LETTERS[row]}`, 16, at(row));
        if (row < rows) {
            add(LETTERS[row], 20, at(row + 0.5));
        }
    }
    for (let column = 0; column <= columns; column += 1) {
        add(`B${LETTERS[column]}`, at(column), 26);
        if (column < columns) {
            add(LETTERS[column], at(column + 0.5), 12);
        }
    }
    return drawn("g", { "aria-hidden": "true" }, texts);
}

function edgesOf([rows, columns]) {
    const across = [];
    const down = [];
    for (let row = 0; row < rows; row += 1) {
        for (let column = 0; column < columns; column += 1) {
            const [above, below, left, right] = edgesOfBox([rows, columns], row, column);
            across[above] = edge("A", row, column);
            across[below] = edge("A", row + 1, column);
            down[left] = edge("B", column, row);
            down[right] = edge("B", column + 1, row);
        }
    }
    return Object.entries({ ...across, ...down }).map(([number, found]) => ({ number: Number(number), ...found }));
}

function edge(kind, line, place) {
    const [x1, y1, x2, y2] = kind === "A" ? [place, line, place + 1, line] : [line, place, line, place + 1];
    const ends = { x1: at(x1), y1: at(y1), x2: at(x2), y2: at(y2) };
    const middle = { x: (ends.x1 + ends.x2) / 2, y: (ends.y1 + ends.y2) / 2 };
    return { name: kind + LETTERS[line] + LETTERS[place], ends, ...middle };
}

function draw(cell, state, position) {
    const label = inWords(cell.name(), state, position.names);
    if (!isChanged(cell, state, label)) {
        return;
    }
    cell.group.setAttribute("aria-label", label);
    cell.group.setAttribute("data-code", state.code);
    const illegal = state.isIllegal ? drawn("line", { class: "illegal", ...cell.ends }) : null;
    cell.group.replaceChildren(...[cell.box ? box(state) : line(cell, state), illegal].flat(2).filter(Boolean));
    const owner = state.code === "0" || state.code === "1" ? `p${state.code}` : "";
    const states = [state.isLast ? "last" : "", state.isChoice ? "allowed" : "", owner].filter(Boolean);
    cell.group.setAttribute("class", [cell.box ? "cell" : "edge", ...states].join(" "));
}

function box(state) {
    if (state.code === "0" || state.code === "1") {
        return boxMark(state.code, 18);
    }
    const [hint] = state.hints;
    if (!hint) {
        return [drawn("rect", { class: "open", x: -18, y: -18, width: 36, height: 36, rx: 5 })];
    }
    const area = drawn("rect", {
        class: `chain ${hint.isNow ? "now" : ""}`,
        x: -22,
        y: -22,
        width: 44,
        height: 44,
        rx: 6,
    });
    return [area, drawn("text", { class: "length", "data-hint": hint.sign }, hint.sign)];
}

function line(cell, state) {
    const { x, y } = cell;
    const reach = drawn("line", { class: "reach", ...cell.ends });
    if (state.code === ".") {
        const ghost = state.ghost;
        if (state.value !== null) {
            return [reach, valueMark(state.value, x, y, VALUES)];
        }
        const choice = state.isChoice ? drawn("line", { class: "may", ...cell.ends }) : null;
        return ghost === null
            ? [reach, choice]
            : [
                  reach,
                  drawn(
                      "g",
                      { class: `ghost p${ghost.player}` },
                      drawn("line", { class: "line", ...cell.ends }),
                      tag(ghost.number, x, y),
                  ),
              ];
    }
    const shown = drawn("line", { class: state.code === "-" ? "line opening" : "line", ...cell.ends });
    const second = state.code === "1" ? drawn("line", { class: "core", ...cell.ends }) : null;
    return [reach, shown, second, state.numbers && state.move !== null ? tag(state.move, x, y) : null];
}

function tag(number, x, y) {
    const width = String(number).length * 6.5 + 7;
    const back = drawn("rect", { class: "tag", x: x - width / 2, y: y - 8, width, height: 16, rx: 5 });
    return [back, drawn("text", { class: "number", x, y }, String(number))];
}
