// What options of boards and levels of our bot are called, and how sizes and dates are written.

import { spoken, t } from "../../view/words.js";

export function optionName(name) {
    const names = {
        rows: t("rows"),
        cols: t("columns"),
        forbidden: t("forbidden cell"),
        size: t("size"),
        opening_plies: t("random moves before the game"),
    };
    return names[name] ?? name;
}

export function levelName(name) {
    return { easy: t("easy"), medium: t("medium"), strong: t("strong") }[name] ?? name;
}

// The path of a record file as a part of an address.
export function address(path) {
    return path.split("/").map(encodeURIComponent).join("/");
}

const UNITS = ["B", "KB", "MB", "GB"];

// A number of bytes in at most four digits.
export function bytes(number) {
    let unit = 0;
    let rest = number;
    while (rest >= 1000 && unit < UNITS.length - 1) {
        rest /= 1000;
        unit += 1;
    }
    return `${rest.toFixed(unit > 0 && rest < 10 ? 1 : 0)} ${UNITS[unit]}`;
}

// A moment, written as ISO 8601 has it, as the reader's calendar does.
export function moment(text) {
    const date = new Date(text);
    return Number.isNaN(date.valueOf())
        ? text
        : date.toLocaleString(spoken(), { dateStyle: "medium", timeStyle: "short" });
}
