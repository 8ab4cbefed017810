// Measures how many games end per minute, by the games of the last minutes.

const WINDOW_S = 300; // games that ended earlier do not count
const FEWEST_GAMES = 2;

export class Pace {
    // Here and below `now` is the time, in seconds, of a clock that only goes forward.
    constructor(now) {
        this.begun = now;
        this.ends = [];
    }

    // Adds games that ended before the page was opened. `ages` says how many seconds ago each of them ended. The pace
    // is measured from the end of the first of them.
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

    // Returns the number of games per minute, or null if too few have ended.
    perMinute(now) {
        const from = Math.max(this.begun, now - WINDOW_S);
        this.ends = this.ends.filter((end) => end >= from);
        return this.ends.length < FEWEST_GAMES ? null : (60 * this.ends.length) / (now - from);
    }
}
