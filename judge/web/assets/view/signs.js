// The signs on buttons. They are drawings, because every system draws characters of these shapes in its own way.

import { drawn } from "./dom.js";

const SIGNS = {
    first: "M2 2h2v12H2zM14 2v12L5 8z",
    back: "M12 2v12L3 8z",
    play: "M4 1.5v13L15 8z",
    pause: "M3 2h4v12H3zM9 2h4v12H9z",
    on: "M4 2v12l9-6z",
    last: "M12 2h2v12h-2zM2 2v12l9-6z",
};

export function sign(name) {
    return drawn("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, drawn("path", { d: SIGNS[name] }));
}
