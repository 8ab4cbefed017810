// Functions that the cells of all boards share: a cell is drawn anew only if its state has changed, and has a text.

import { t } from "../words.js";

// Returns whether the state or the label differs from those of the last call. The caller has to draw the cell then.
export function isChanged(cell, state, label) {
    const key = JSON.stringify([state, label]);
    const changed = cell.key !== key;
    cell.key = key;
    return changed;
}

// Returns the name of a cell and its state in words.
export function inWords(name, state, names) {
    const words = [stateInWords(state, names)];
    if (state.move !== null) {
        words.push(t("move {number}", { number: state.move }));
    }
    if (state.isLast) {
        words.push(t("last move"));
    }
    if (state.isInLine) {
        words.push(t("in the line that won"));
    }
    if (state.isIllegal) {
        words.push(t("the illegal move"));
    }
    if (state.ghost !== null) {
        words.push(t("expected as move {number}", { number: state.ghost.number }));
    }
    if (state.isChoice) {
        words.push(t("can be taken"));
    }
    if (state.value !== null) {
        words.push(state.value.words);
    }
    return `${name}: ${words.join(", ")}`;
}

function stateInWords(state, names) {
    if (state.code === "#") {
        return t("forbidden");
    }
    return names[state.code] ?? (state.code === "-" ? t("taken before the game") : t("free"));
}
