// The drawing of the boards of games that are played on the cells of a grid.

import { drawn } from "../dom.js";
import { t } from "../words.js";
import { inWords, isChanged } from "./cell.js";
import { stone } from "./stones.js";
import { valueMark } from "./values.js";

const STEP = 40; // the distance from one cell to the next
const MARGIN = 22; // the space for the names of rows and columns
const RADIUS = 16;

// Returns {element, cells, draw} for an empty board. Each cell is a group with data-row and data-col; its middle is at
// its x and y.
export function gridFace([rows, columns], rules, pick) {
    const width = MARGIN + columns * STEP;
    const height = MARGIN + rows * STEP;
    const plate = { class: "plate", x: MARGIN, y: MARGIN, width: columns * STEP, height: rows * STEP, rx: 8 };
    const cells = [];
    const lines = [];
    for (let row = 0; row < rows; row += 1) {
        const line = drawn("g", { role: "row" }, name(rules.rowName(row), MARGIN / 2, middle(row)));
        for (let column = 0; column < columns; column += 1) {
            const number = row * columns + column;
            const group = drawn("g", {
                role: "cell",
                class: "cell",
                "data-row": row,
                "data-col": column,
                transform: `translate(${middle(column)} ${middle(row)})`,
                click: () => pick(number),
            });
            const cellName =
                rules.shape === "squares"
                    ? () => rules.columnName(column) + rules.rowName(row)
                    : () => t("column {column} (row {row})", { column, row });
            cells.push({ number, group, name: cellName, x: middle(column), y: middle(row) });
            line.append(group);
        }
        lines.push(line);
    }
    const names = [...Array(columns).keys()].map((column) =>
        name(rules.columnName(column), middle(column), MARGIN / 2),
    );
    const heading = drawn("g", { "aria-hidden": "true" }, names);
    const element = drawn(
        "svg",
        {
            role: "table",
            class: rules.shape,
            viewBox: `0 0 ${width + 4} ${height + 4}`,
            "data-rows": rows,
            "data-cols": columns,
        },
        drawn("rect", plate),
        heading,
        lines,
    );
    return { element, cells, draw: (cell, state, position) => draw(cell, state, position, rules.shape) };
}

function middle(place) {
    return MARGIN + (place + 0.5) * STEP;
}

function name(text, x, y) {
    return drawn("text", { class: "name", x, y, "aria-hidden": "true" }, text);
}

function draw(cell, state, position, shape) {
    const label = inWords(cell.name(), state, position.names);
    if (!isChanged(cell, state, label)) {
        return;
    }
    cell.group.setAttribute("aria-label", label);
    cell.group.setAttribute("data-code", state.code);
    const isStone = state.code === "0" || state.code === "1";
    const dimmed = isStone && state.hasLine && !state.isInLine;
    const states = { last: state.isLast, won: state.isInLine, dimmed, taken: isStone, allowed: state.isChoice };
    cell.group.setAttribute(
        "class",
        ["cell", ...Object.keys(states).filter((key) => states[key]), isStone ? `p${state.code}` : ""].join(" ").trim(),
    );
    const illegal = state.isIllegal ? drawn("rect", { class: "illegal", x: -18, y: -18, width: 36, height: 36 }) : null;
    cell.group.replaceChildren(...[ground(shape), ...content(state, shape, isStone), illegal].flat().filter(Boolean));
}

function ground(shape) {
    return shape === "holes"
        ? drawn("circle", { class: "hole", r: RADIUS + 1 })
        : drawn("rect", { class: "square", x: -STEP / 2, y: -STEP / 2, width: STEP, height: STEP });
}

function content(state, shape, isStone) {
    if (state.code === "#") {
        const r = RADIUS * 0.6;
        return [drawn("path", { class: "forbidden", d: `M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}` })];
    }
    if (!isStone) {
        const marks = [...state.hints.map((hint) => hintMark(hint, shape)), ...ghost(state.ghost, shape)];
        const choice = state.isChoice && marks.length === 0 ? drawn("circle", { class: "may", r: 4.5 }) : null;
        return state.value === null ? [...marks, choice] : [valueMark(state.value)];
    }
    const number = state.numbers && state.move !== null ? drawn("text", { class: "number" }, String(state.move)) : null;
    const mark = state.isLast ? drawn("circle", { class: "mark", r: RADIUS + 1.5 }) : null;
    const won = state.isInLine ? drawn("circle", { class: "star", r: RADIUS + 1.5 }) : null;
    const dot = state.isLast && number === null ? drawn("circle", { class: "dot", r: 4 }) : null;
    return [...stone(shape, state.code, RADIUS - 1), mark, won, number, dot];
}

function hintMark(hint, shape) {
    const mark = { class: `hint ${hint.isNow ? "now" : ""}` };
    const place = shape === "holes" ? (hint.sign === "0" ? -6.5 : 6.5) : 0;
    const body =
        hint.sign === "0"
            ? drawn("circle", { ...mark, r: shape === "holes" ? 4.5 : 5 })
            : drawn("rect", { ...mark, x: -4.2, y: -4.2, width: 8.4, height: 8.4, rx: 1.5 });
    return drawn("g", { class: `p${hint.sign}`, transform: `translate(${place} 0)`, "data-hint": hint.sign }, body);
}

function ghost(found, shape) {
    if (found === null) {
        return [];
    }
    const text = drawn("text", { class: "number" }, String(found.number));
    return [drawn("g", { class: `ghost p${found.player}` }, stone(shape, found.player, RADIUS - 2), text)];
}
