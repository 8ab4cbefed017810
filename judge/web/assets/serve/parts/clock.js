// Clocks, which show how long a side has been thinking.

import { Component } from "../../view/vendor/preact.js";
import { t } from "../../view/words.js";

const TENTHS_BELOW_S = 60; // below so many seconds a clock shows tenths
const TICK_MS = 100;

// Returns a number of seconds in the form of a clock: 0:07.3, 1:05, 1:02:03.
export function clockText(seconds) {
    const all = Math.floor(Math.max(0, seconds) * 10 + 1e-6);
    const whole = Math.floor(all / 10);
    const two = (number) => String(number).padStart(2, "0");
    if (seconds < TENTHS_BELOW_S) {
        return `0:${two(whole)}.${all % 10}`;
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

// Shows what the property draw() returns, ten times a second while the page is visible.
export class Ticking extends Component {
    componentDidMount() {
        this.timer = setInterval(() => document.hidden || this.forceUpdate(), TICK_MS);
    }

    componentWillUnmount() {
        clearInterval(this.timer);
    }

    render({ draw }) {
        return draw();
    }
}
