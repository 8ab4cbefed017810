// How many games a minute end, by those that this page has seen end.

const WINDOW_S = 300; // what is older counts no more
const FEWEST_GAMES = 2;

export class Pace {
    // `now`: seconds of a clock that only goes forward.
    constructor(now) {
        this.begun = now;
        this.ends = [];
    }

    add(now) {
        this.ends.push(now);
    }

    // Games a minute; null where too few have ended to tell.
    perMinute(now) {
        const from = Math.max(this.begun, now - WINDOW_S);
        this.ends = this.ends.filter((end) => end >= from);
        return this.ends.length < FEWEST_GAMES ? null : (60 * this.ends.length) / (now - from);
    }
}
