// A board of any game: shows a position and reports which cell is picked. It knows nothing of records.

import { element } from "./dom.js";
import { t } from "./words.js";
import { dotsFace } from "./faces/dots.js";
import { gridFace } from "./faces/grid.js";
import { GAMES } from "./games.js";

const FACES = { holes: gridFace, squares: gridFace, edges: dotsFace };

// A position to show is an object with these keys:
//   game       the game's name
//   size       [rows, columns]
//   codes      a character for each cell, as judge/games/game.py has them
//   names      {"0": the first player's name, "1": the other's}
//   placed     Map from a cell to the number of the move that took it
//   last       the cell taken last, or null
//   line       the cells that have won
//   illegal    the cell of the illegal move that ended the game, or null
//   numbers    whether moves are numbered
//   hints      the result of hintsAt() in record.js, or []
//   ghosts     [{cell, player}], expected moves
//   choices    a Set of the cells that may be taken, if these are to be shown
//   values     a Map from a cell to the value of taking it, as faces/values.js draws it, if values are to be shown
export class Board {
    // Calls pick(cell) when a cell is clicked.
    constructor(pick) {
        this.element = element("div", { class: "board" });
        this.pick = pick;
        this.kind = "";
    }

    show(position) {
        const rules = GAMES[position.game];
        const kind = `${position.game} ${position.size}`;
        if (kind !== this.kind) {
            this.face = FACES[rules.shape](position.size, rules, this.pick);
            this.element.replaceChildren(this.face.element);
            this.kind = kind;
        }
        this.face.element.setAttribute("aria-label", t("the board"));
        for (const cell of this.face.cells) {
            this.face.draw(cell, stateOf(cell.number, position), position);
        }
    }

    // Shows that there is no position, and why.
    refuse(text) {
        this.kind = "";
        this.element.replaceChildren(element("p", { class: "refusal" }, text));
    }
}

function stateOf(number, position) {
    const ghost = position.ghosts.findIndex((each) => each.cell === number);
    return {
        code: position.codes[number],
        move: position.placed.get(number) ?? null,
        isLast: position.last === number,
        isInLine: position.line.includes(number),
        isIllegal: position.illegal === number,
        hints: position.hints.filter((hint) => hint.cell === number),
        ghost: ghost < 0 ? null : { number: ghost + 1, player: position.ghosts[ghost].player },
        numbers: position.numbers,
        isChoice: position.choices?.has(number) ?? false,
        value: position.values?.get(number) ?? null,
        hasLine: position.line.length > 0,
    };
}
