// Clocks: how long a side has thought, and goes on thinking.

import { t } from "../../view/words.js";

const TENTHS_BELOW_S = 60; // a clock that shows less than that shows tenths
const TICK_MS = 100;

// Seconds as a clock has them: 0:07.3, 1:05, 1:02:03.
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

// Seconds that run, with tenths.
export function tenths(seconds) {
    return t("{number} s", { number: (Math.floor(Math.max(0, seconds) * 10) / 10).toFixed(1) });
}

export function now() {
    return performance.now() / 1000;
}

// Calls tick() ten times a second while the page is seen.
export function ticking(tick) {
    return setInterval(() => document.hidden || tick(), TICK_MS);
}
