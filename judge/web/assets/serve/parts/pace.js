// How many games a minute end, by those of the last minutes.

const WINDOW_S = 300; // what is older counts no more
const FEWEST_GAMES = 2;

export class Pace {
    // `now`: seconds of a clock that only goes forward.
    constructor(now) {
        this.begun = now;
        this.ends = [];
    }

    // How long ago games ended before this page came: the time runs from the end of the first of them.
    seed(ages, now) {
        const known = ages.filter((age) => age >= 0 && age < WINDOW_S);
        if (known.length > 0) {
            const oldest = Math.max(...known);
            this.begun = now - oldest;
            this.ends = known.filter((age) => age < oldest).map((age) => now - age);
        }
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
