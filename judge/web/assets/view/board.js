// A board of any game: shows a position, and reports which cell is picked, by a click or by keys. It knows nothing of
// records and of rules; what a game's board looks like says its face.

import { Component } from "./vendor/preact.js";
import { dots } from "./faces/dots.js";
import { holes, squares } from "./faces/grid.js";
import { described } from "./games.js";
import { h, memo } from "./ui.js";
import { spoken, t } from "./words.js";

// For each face: layout(size, words, moves) returns {width, height, under, rows, over}. `under` and `over` are drawn
// below and above the cells. A row is {name, cells}; a cell has its `number`, the middle `x` and `y`, its `name`, a
// `kind` ("cell" or "edge") and the `data` by which a page finds it. inside(cell, state) returns what a cell shows.
const FACES = { holes, squares, edges: dots };
export const COLUMN_KEYS = "0123456789ab"; // the key for each column, on boards whose moves are columns
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// Returns the number of columns that are moves, or 0 if a move is a single cell.
export function columnMoves({ size: [, columns], moves }) {
    return moves.slice(0, columns).every((name, column) => name === String(column)) ? columns : 0;
}

// Properties: `pick`, which is called with the number of a picked cell; `isPickable`, whether keys pick cells too;
// `takesAll`, whether cells that no move takes can be picked; `anywhere`, whether keys count wherever they are pressed;
// and `position`, an object with these keys:
//   game       the game's name
//   size       [rows, columns]
//   moves      the move of each cell, as judge/games/game.py has them
//   codes      a character for each cell, as judge/games/game.py has them
//   names      {"0": the first player's name, "1": the other's}
//   placed     Map from a cell to the number of the move that took it
//   last       the cell taken last, or null
//   line       the cells that have won
// and, if they are to be shown:
//   illegal    the cell of the illegal move that ended the game
//   numbered   whether moves are numbered
//   hints      the result of hintsAt() in record.js
//   ghosts     [{cell, player}], expected moves
//   choices    a Set of the cells that may be taken
//   values     a Map from a cell to the value of taking it, as faces/marks.js draws it
export class Board extends Component {
    current = null; // the cell that the tab key leads to
    way = null; // the x at which a way up or down by keys began

    componentDidMount() {
        if (this.props.anywhere) {
            addEventListener("keydown", (event) => this.pressAnywhere(event));
        }
    }

    render({ position, isPickable, takesAll }) {
        const { game, size, moves, choices } = position;
        const words = described(game);
        const kind = `${game} ${size}`;
        if (kind !== this.kind) {
            this.current = null;
        }
        if (kind !== this.kind || spoken() !== this.language) {
            this.face = FACES[words.face];
            this.layout = this.face.layout(size, words, moves);
        }
        Object.assign(this, { kind, language: spoken() });
        const { layout } = this;
        this.cells = layout.rows
            .flatMap(({ cells }) => cells)
            .filter(({ number }) => takesAll || moves[number] !== null);
        if (this.find(this.current) === undefined) {
            this.current = choices?.values().next().value ?? this.cells[0].number;
        }
        const picture = {
            role: isPickable ? "grid" : "table",
            class: words.face,
            viewBox: `0 0 ${layout.width} ${layout.height}`,
            "data-rows": size[0],
            "data-cols": size[1],
            "aria-label": isPickable ? t("the board: arrow keys and Enter make a move") : t("the board"),
        };
        const rows = layout.rows.map(({ name, cells }) =>
            h(Row, { name, cells: cells.map((cell) => this.cell(cell)) }),
        );
        const acts = isPickable && {
            onKeyDown: (event) => this.press(event),
            onFocusIn: (event) => this.stand(this.cellOf(event.target)),
        };
        return h(
            "div",
            { class: isPickable ? "board pickable" : "board", ...acts },
            h("svg", { key: kind, ...picture }, layout.under, ...rows, layout.over),
        );
    }

    // Returns the properties of a cell. It is drawn again if its `look` has changed.
    cell(cell) {
        const { position, isPickable } = this.props;
        const state = stateOf(cell.number, position);
        const keys = isPickable &&
            this.cells.includes(cell) && {
                role: "gridcell",
                tabindex: cell.number === this.current ? 0 : -1,
                "aria-disabled": position.choices && !columnMoves(position) ? !state.isChoice : null,
            };
        const { names } = position;
        return { cell, state, names, keys, board: this, look: JSON.stringify([state, names, keys]) };
    }

    find(number) {
        return this.cells.find((cell) => cell.number === number);
    }

    cellOf(target) {
        return this.find(Number(target.closest("[data-cell]")?.dataset.cell));
    }

    choose(number) {
        const cell = this.find(number);
        if (cell) {
            this.stand(cell);
            this.way = null;
            this.props.pick?.(number);
        }
    }

    stand(cell) {
        if (this.props.isPickable && cell && cell.number !== this.current) {
            this.current = cell.number;
            this.forceUpdate();
        }
    }

    // Handles a key that was pressed anywhere on the page, even if the board has no focus. Keys in fields are ignored.
    pressAnywhere(event) {
        const isTaken = event.target.matches?.("select, textarea, input") || event.defaultPrevented;
        if (isTaken || event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        const column = COLUMN_KEYS.indexOf(event.key);
        if (column >= 0 && column < columnMoves(this.props.position) && !event.repeat) {
            this.choose(column); // the number of the column's first cell
        } else if (STEPS[event.key]) {
            event.preventDefault();
            this.step(this.find(this.current), STEPS[event.key]);
        }
    }

    press(event) {
        const cell = this.cellOf(event.target);
        if (!cell || event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            this.choose(cell.number);
        } else if (STEPS[event.key]) {
            event.preventDefault();
            this.step(cell, STEPS[event.key]);
        }
    }

    // Moves to the next cell of the same row, or up or down to the next row. In that row it takes the cell nearest to
    // the x at which the way up or down began, because the edges of neighbouring rows are not below each other.
    step(from, [right, down]) {
        const way = this.way === null || right ? from.x : this.way;
        const ahead = (cell) => (cell.x - from.x) * right + (cell.y - from.y) * down;
        const aside = (cell) => Math.abs(right ? cell.y - from.y : cell.x - way);
        const [next] = this.cells
            .filter((cell) => ahead(cell) > 0 && (!right || cell.y === from.y))
            .sort((one, other) => ahead(one) - ahead(other) || aside(one) - aside(other));
        this.base.querySelector(`[data-cell="${next?.number}"]`)?.focus();
        this.way = right ? null : way;
    }
}

// A row of cells. A row and a cell are drawn again only if what they show has changed.
const Row = memo(
    ({ name, cells }) => h("g", { role: "row" }, name, ...cells.map((cell) => h(Cell, cell))),
    ({ cells }) => cells.map(({ look }) => look),
);

const Cell = memo(
    ({ cell, state, names, keys, board }) => {
        const { code } = state;
        const isTaken = code === "0" || code === "1";
        const states = {
            last: state.isLast,
            won: state.isInLine,
            dimmed: isTaken && state.hasLine && !state.isInLine,
            taken: isTaken,
            allowed: state.isChoice,
            [`p${code}`]: isTaken,
        };
        const attributes = {
            role: "cell",
            class: [cell.kind, ...Object.keys(states).filter((name) => states[name])].join(" "),
            ...cell.data,
            "data-cell": cell.number,
            "data-code": code,
            "aria-label": inWords(cell.name, state, names),
            onClick: () => board.choose(cell.number),
            ...keys,
        };
        return h("g", attributes, board.face.inside(cell, state));
    },
    ({ look }) => [look],
);

function stateOf(number, position) {
    const { ghosts = [], hints = [] } = position;
    const ghost = ghosts.findIndex((each) => each.cell === number);
    return {
        code: position.codes[number],
        move: position.placed.get(number) ?? null,
        isLast: position.last === number,
        isInLine: position.line.includes(number),
        isIllegal: position.illegal === number,
        hints: hints.filter((hint) => hint.cell === number),
        ghost: ghost < 0 ? null : { number: ghost + 1, player: ghosts[ghost].player },
        isNumbered: position.numbered ?? false,
        isChoice: position.choices?.has(number) ?? false,
        value: position.values?.get(number) ?? null,
        hasLine: position.line.length > 0,
    };
}

// Returns the name of a cell and its state in words.
function inWords(name, state, names) {
    const free = state.code === "-" ? t("taken before the first move") : t("free place");
    const words = [
        state.code === "#" ? t("forbidden cell") : (names[state.code] ?? free),
        state.move !== null && t("taken by move {number}", { number: state.move }),
        state.isLast && t("the last move"),
        state.isInLine && t("part of the line that won"),
        state.isIllegal && t("the illegal move"),
        state.ghost && t("taken by the expected move {number}", { number: state.ghost.number }),
        state.isChoice && t("can be taken by the next move"),
        state.value?.words,
    ];
    return `${name}: ${words.filter(Boolean).join(", ")}`;
}
