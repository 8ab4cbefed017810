// A notice to the reader, in a paragraph of its own.

import { element } from "../../view/dom.js";

// Returns the element of a notice. kind: "trouble", which screen readers read out at once, or "news".
export function notice(text, kind, ...others) {
    const role = kind === "trouble" ? "alert" : "status";
    return element("p", { class: `notice ${kind}`, role }, text, others);
}
