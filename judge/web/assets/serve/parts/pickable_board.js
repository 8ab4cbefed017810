// A board whose cells are picked: by a click or a finger, with arrow keys and Enter, or by the key of a column.

import { Board } from "../../view/board.js";
import { GAMES } from "../../view/games.js";
import { t } from "../../view/words.js";

export const COLUMN_KEYS = "0123456789ab"; // the key for each column, on boards whose moves are columns
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class PickableBoard extends Board {
    // Calls picked(cell) when a cell is picked. takesBoxes: whether the boxes of dots and boxes can be picked.
    constructor(picked, takesBoxes = false) {
        super((cell) => this.choose(cell));
        this.picked = picked;
        this.takesBoxes = takesBoxes;
        this.current = null;
        this.way = null;
        this.element.classList.add("pickable");
        this.element.addEventListener("keydown", (event) => this.press(event));
        this.element.addEventListener("focusin", (event) => this.stand(this.cellOf(event.target)));
    }

    // Shows a position as Board does. Keys reach all cells of the board, whether they may be taken or not.
    show(position) {
        const before = this.kind;
        super.show(position);
        this.columnMoves = GAMES[position.game].shape === "holes" ? position.size[1] : 0; // columns that are moves
        if (this.kind !== before) {
            this.current = null;
        }
        const { element } = this.face;
        element.setAttribute("role", "grid");
        element.setAttribute("aria-label", t("the board: arrow keys and Enter make a move"));
        if (this.current === null || !this.find(this.current)) {
            const [first] = [...(position.choices ?? [])];
            this.current = first ?? this.cells()[0].number;
        }
        for (const cell of this.cells()) {
            cell.group.setAttribute("role", "gridcell");
            cell.group.setAttribute("tabindex", cell.number === this.current ? 0 : -1);
            if (position.choices && GAMES[position.game].shape !== "holes") {
                cell.group.setAttribute("aria-disabled", String(!position.choices.has(cell.number)));
            }
        }
    }

    // Returns the cells that can be picked.
    cells() {
        return this.face.cells.filter((cell) => !cell.box || this.takesBoxes);
    }

    find(number) {
        return this.cells().find((cell) => cell.number === number);
    }

    cellOf(target) {
        return this.cells().find((cell) => cell.group.contains(target)) ?? null;
    }

    choose(number) {
        const cell = this.find(number);
        if (cell) {
            this.stand(cell);
            this.way = null;
            this.picked(number);
        }
    }

    // Makes this cell the one that the tab key leads to.
    stand(cell) {
        if (cell === null) {
            return;
        }
        this.find(this.current)?.group.setAttribute("tabindex", -1);
        this.current = cell.number;
        cell.group.setAttribute("tabindex", 0);
    }

    // Handles a key that was pressed anywhere on the page, even if the board has no focus. Keys in fields are ignored.
    pressAnywhere(event) {
        const isTaken = event.target.matches?.("select, textarea, input") || event.defaultPrevented;
        if (isTaken || event.ctrlKey || event.metaKey || event.altKey || !this.kind) {
            return;
        }
        const column = COLUMN_KEYS.indexOf(event.key);
        if (column >= 0 && column < this.columnMoves && !event.repeat) {
            this.choose(column); // the number of the column's first cell
        } else if (STEPS[event.key]) {
            event.preventDefault();
            this.step(this.find(this.current), STEPS[event.key]);
        }
    }

    press(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        const cell = this.cellOf(event.target);
        if (cell && (event.key === "Enter" || event.key === " ")) {
            event.preventDefault();
            this.choose(cell.number);
        } else if (cell && STEPS[event.key]) {
            event.preventDefault();
            this.step(cell, STEPS[event.key]);
        }
    }

    // Moves to the next cell of the same row, or up or down to the next row. In that row it takes the cell nearest to
    // the x at which the way up or down began, because the edges of neighbouring rows are not below each other.
    step(from, [right, down]) {
        const way = this.way === null || right ? from.x : this.way;
        const ahead = (cell) => (cell.x - from.x) * right + (cell.y - from.y) * down;
        const aside = (cell) => (right ? Math.abs(cell.y - from.y) : Math.abs(cell.x - way));
        const [next] = this.cells()
            .filter((cell) => ahead(cell) > 0 && (!right || cell.y === from.y))
            .sort((one, other) => ahead(one) - ahead(other) || aside(one) - aside(other));
        next?.group.focus();
        this.way = right ? null : way;
    }
}
