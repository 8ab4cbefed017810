// The first page: the games being played, the form for a new game, and the list of record files.

import { element, withFocusKept } from "../../view/dom.js";
import { gameName, t, told } from "../../view/words.js";
import { ask, Refusal } from "../api.js";
import { NewGame } from "../parts/new_game.js";
import { notice } from "../parts/notice.js";
import { RecordFiles } from "../parts/record_files.js";
import { top } from "../top.js";

const AGAIN_MS = 3000; // the interval at which the lists are requested
const FIRST_MS = 600; // the interval before the second request: the server must first read files that are new to it

export async function startPage(root, start) {
    await new StartPage(root, start).open();
}

class StartPage {
    constructor(root, start) {
        Object.assign(this, { root, start });
        this.form = new NewGame(start, new URLSearchParams(location.search));
        this.tables = element("section", { class: "panel tables" });
        this.records = new RecordFiles(start, () => this.look());
        this.trouble = element("div", { class: "troubles" });
        this.shown = "";
    }

    async open() {
        await this.look();
        this.build();
        this.watch();
    }

    async watch() {
        for (let pause = FIRST_MS; ; pause = AGAIN_MS) {
            await new Promise((resolve) => setTimeout(resolve, pause));
            if (!document.hidden) {
                await this.look();
            }
        }
    }

    async look() {
        try {
            const [{ tables }, records] = await Promise.all([ask("/api/tables"), ask("/api/records")]);
            Object.assign(this, { tablesNow: tables, recordsNow: records });
            this.trouble.replaceChildren();
            this.showLists();
        } catch (error) {
            if (!(error instanceof Refusal)) {
                throw error;
            }
            if (this.trouble.textContent !== told(error.texts)) {
                this.trouble.replaceChildren(notice(told(error.texts), "trouble"));
            }
        }
    }

    build() {
        document.title = "dropfour";
        const header = top("", null, () => {
            this.shown = "";
            this.build();
        });
        this.form.build();
        this.records.build();
        this.showLists();
        const beside = element("div", { class: "beside" }, this.tables, this.records.element);
        this.root.classList.add("start");
        this.root.replaceChildren(header, this.trouble, this.form.element, beside);
    }

    // Shows the lists. They are built anew only if they have changed; a link in them keeps the focus.
    showLists() {
        const now = JSON.stringify([this.tablesNow, this.recordsNow]);
        if (now === this.shown) {
            return;
        }
        this.shown = now;
        this.tables.hidden = !this.tablesNow?.length;
        withFocusKept(this.tables, () =>
            this.tables.replaceChildren(element("h2", {}, t("Your games")), this.tableList()),
        );
        this.records.show(this.recordsNow ?? { files: [] });
    }

    tableList() {
        const entries = (this.tablesNow ?? []).map((table) => {
            const link = element(
                "a",
                { href: `/play/${encodeURIComponent(table.id)}` },
                t("{game} against {player}", { game: gameName(table.game), player: table.player }),
            );
            const state = table.is_over ? t("over") : t("{plies} plies", { plies: table.plies });
            return element("li", {}, link, element("span", { class: "state" }, state));
        });
        return element("ul", { class: "entries" }, entries);
    }
}
