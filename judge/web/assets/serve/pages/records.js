// The page of a record file: the same as that of `view`, but it gets its games from the server.

import { element } from "../../view/dom.js";
import { RecordsPage } from "../../view/records_page.js";
import { t } from "../../view/words.js";
import { ask } from "../api.js";
import { top } from "../top.js";

const MOST_KEPT = 128; // games

export async function recordsPage(root, start, place) {
    const { path, summary, is_running: isRunning } = await ask(`/api/records/${place}`);
    const watch = () =>
        isRunning ? element("a", { class: "live", href: `/watch/${place}` }, t("live: watch it")) : null;
    const header = (name, middle, changed) => top(name, [watch(), middle], changed);
    if (summary.list.rows.length > 0) {
        await new RecordsPage(summary, new Games(place), header).start();
        return;
    }
    const build = () => {
        document.title = `${path} · dropfour`;
        const text = element("p", {}, t("No game of this record is finished yet."));
        root.replaceChildren(header(path, null, build), element("section", { class: "panel" }, text));
    };
    build();
}

// The games of a record file. A game is requested when it is shown; the MOST_KEPT latest are kept.
class Games {
    constructor(place) {
        this.place = place;
        this.kept = new Map();
    }

    async game(index) {
        const game = this.kept.get(index) ?? (await ask(`/api/games/${this.place}?index=${index}`));
        this.kept.delete(index);
        this.kept.set(index, game);
        if (this.kept.size > MOST_KEPT) {
            this.kept.delete(this.kept.keys().next().value);
        }
        return game;
    }
}
