// The names of opponents, and the form of addresses, sizes and dates.

import { spoken, t, told } from "../../view/words.js";

// Returns the name of an opponent: our bot at a level is called by the level, not by its command. start: the answer to
// /api/start.
export function opponentName({ levels }, player) {
    const level = levels.find((each) => each.player === player);
    return level ? t("bot at level {level}", { level: told(level.title) }) : player;
}

// Returns the path of a record file in the form that an address needs.
export function address(path) {
    return path.split("/").map(encodeURIComponent).join("/");
}

const UNITS = ["B", "KB", "MB", "GB"];

// Returns a number of bytes as a text with at most four digits and a unit.
export function bytes(number) {
    let unit = 0;
    let rest = number;
    while (rest >= 1000 && unit < UNITS.length - 1) {
        rest /= 1000;
        unit += 1;
    }
    return `${rest.toFixed(unit > 0 && rest < 10 ? 1 : 0)} ${UNITS[unit]}`;
}

// Returns a time, given in the form of ISO 8601, in the form of the reader's language.
export function moment(text) {
    const date = new Date(text);
    return Number.isNaN(date.valueOf())
        ? text
        : date.toLocaleString(spoken(), { dateStyle: "medium", timeStyle: "short" });
}
