// Something that the reader has to know, in a line of its own.

import { element } from "../../view/dom.js";

// kind: "trouble", which is read out at once, or "news".
export function notice(text, kind, ...others) {
    const role = kind === "trouble" ? "alert" : "status";
    return element("p", { class: `notice ${kind}`, role }, text, others);
}
