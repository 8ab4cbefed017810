// Texts and ticks of the clocks that show how long a side has been thinking.

import { t } from "../../view/words.js";

const TENTHS_BELOW_S = 60; // below so many seconds a clock shows tenths
const TICK_MS = 100;

// Returns a number of seconds in the form of a clock: 0:07.3, 1:05, 1:02:03.
export function clockText(seconds) {
    const isShort = seconds < TENTHS_BELOW_S;
    const tenths = Math.floor(Math.max(0, seconds) * 10 + 1e-6);
    const whole = Math.floor(tenths / 10);
    const two = (number) => String(number).padStart(2, "0");
    if (isShort) {
        return `0:${two(whole)}.${tenths % 10}`;
    }
    const minutes = Math.floor(whole / 60);
    const hours = Math.floor(minutes / 60);
    return hours > 0 ? `${hours}:${two(minutes % 60)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

// Returns a number of seconds that goes on growing, with tenths and its unit.
export function tenths(seconds) {
    return t("{number} s", { number: (Math.floor(Math.max(0, seconds) * 10) / 10).toFixed(1) });
}

export function now() {
    return performance.now() / 1000;
}

// Calls tick() ten times a second while the page is visible. Returns the id of the interval.
export function ticking(tick) {
    return setInterval(() => document.hidden || tick(), TICK_MS);
}
