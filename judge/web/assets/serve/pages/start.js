// The first page: the games being played, the form for a new game, and the list of record files.

import { Component } from "../../view/vendor/preact.js";
import { gameName } from "../../view/games.js";
import { h } from "../../view/ui.js";
import { t, told } from "../../view/words.js";
import { ask } from "../api.js";
import { asked, Top, Troubles } from "../parts/frame.js";
import { opponentName } from "../parts/names.js";
import { NewGame } from "../parts/new_game.js";
import { RecordFiles } from "../parts/record_files.js";

const AGAIN_MS = 3000; // the interval at which the lists are requested
const FIRST_MS = 600; // the interval before the second request: the server must first read files that are new to it

// Properties: the answer to /api/start as `start`, and the first result of lists() as `lists`.
export class StartPage extends Component {
    state = this.props.lists;

    // Returns {tables, records: the answer to /api/records}, or {refused}.
    static lists() {
        return asked(async () => {
            const [{ tables }, records] = await Promise.all([ask("/api/tables"), ask("/api/records")]);
            return { tables, records, refused: null };
        });
    }

    look = async () => this.setState(await StartPage.lists());

    async componentDidMount() {
        for (let pause = FIRST_MS; ; pause = AGAIN_MS) {
            await new Promise((resolve) => setTimeout(resolve, pause));
            if (!document.hidden) {
                await this.look();
            }
        }
    }

    render({ start }, { tables = [], records = { files: [] }, refused }) {
        document.title = "dropfour";
        const entries = tables.map((table) => {
            const fields = { game: gameName(table.game), player: opponentName(start, table.player) };
            const address = `/play/${encodeURIComponent(table.id)}`;
            const state = table.is_over ? t("the game is over") : t("{plies} plies", { plies: table.plies });
            return h("li", h("a", { href: address }, t("{game} against {player}", fields)), h("span.state", state));
        });
        return h(
            "main.start",
            h(Top),
            h(Troubles, { lines: [refused && told(refused)] }),
            h(NewGame, { start }),
            h(
                "div.beside",
                h(
                    "section.panel.tables",
                    { hidden: tables.length === 0 },
                    h("h2", t("Your games")),
                    h("ul.entries", entries),
                ),
                h(RecordFiles, { start, records, changed: this.look }),
            ),
        );
    }
}
