// The form that begins a new game: it asks for the game, the opponent and the board.

import { choice, element } from "../../view/dom.js";
import { count, gameName, t, told } from "../../view/words.js";
import { ask, Refusal } from "../api.js";
import { levelName, optionName } from "./names.js";
import { notice } from "./notice.js";

const BY_PATH = ""; // chosen instead of a player's name if the player is given by its path
const USUAL_LIMIT_S = 3;
const MOST_MOVES_NAMED = 12; // moves that are listed of a position with which the game begins

export class NewGame {
    // start: the answer to /api/start. wished: URLSearchParams from the page that leads here, with a game, its board
    // options and `moves`.
    constructor(start, wished) {
        const names = Object.keys(start.games);
        this.start = start;
        this.moves = (wished.get("moves") ?? "").split(" ").filter(Boolean);
        this.values = {
            game: names.includes(wished.get("game")) ? wished.get("game") : names[0],
            player: start.bots[0] ?? (start.players.length > 1 ? start.players[0] : start.levels[0].player),
            path: "",
            first: "human",
            limit_s: String(USUAL_LIMIT_S),
        };
        this.board = Object.fromEntries([...wished].filter(([name]) => !["game", "moves"].includes(name)));
        this.element = element("section", { class: "panel new-game" });
    }

    // Builds the form, at first and after a change of the language.
    build() {
        const { values, start } = this;
        const games = Object.keys(start.games).map((name) => [name, gameName(name)]);
        const set = (name) => (value) => {
            values[name] = value;
        };
        const fields = [
            choice(t("which game"), games, values.game, (name) => this.change(name)),
            ...this.opponentFields(),
            choice(
                t("who begins"),
                [
                    ["human", t("you")],
                    ["player", t("the player")],
                ],
                values.first,
                set("first"),
            ),
            this.limitField(),
        ];
        this.answer = element("div", { class: "answer" });
        const form = element(
            "form",
            { class: "fields", submit: (event) => this.submit(event) },
            fields,
            this.moves.length > 0 ? this.position() : this.boardFields(),
            element("button", { type: "submit", class: "main" }, t("Play")),
        );
        const elsewhere = element("a", { href: "/position" }, t("Set up a position and see what its moves are worth"));
        const wrong = start.players_error;
        this.element.replaceChildren(
            element("h2", {}, t("A new game")),
            wrong ? notice(told(wrong), "trouble") : "",
            form,
            this.answer,
            element("p", { class: "elsewhere" }, elsewhere),
        );
    }

    // Returns the opponents that can be chosen: [[group, [[player, name]]]].
    opponents() {
        const { players, levels, presets, bots } = this.start;
        const named = (all) => all.map((name) => [name, name]);
        const own = players.at(-1); // our bot
        const byLevel = levels.map(({ player, name, iterations }) => [
            player,
            t("bot, {level} ({number} iterations a move)", { level: levelName(name), number: count(iterations) }),
        ]);
        return [
            [t("your bots"), named(bots.filter((name) => !players.includes(name)))],
            [t("names of the players file"), named(players.slice(0, -1))],
            [t("our bot"), [...byLevel, [own, t("bot, full strength")]]],
            [t("presets of our bot"), named(presets[this.values.game])],
        ].filter(([, all]) => all.length > 0);
    }

    opponentFields() {
        const { values } = this;
        const option = ([player, name]) =>
            element("option", { value: player, selected: player === values.player }, name);
        const groups = this.opponents().map(([label, all]) => element("optgroup", { label }, all.map(option)));
        const path = element("input", { type: "text", maxlength: 200, placeholder: t("a path in a folder of --bots") });
        const pathField = labelled(t("its path"), path);
        const select = element("select", {}, groups);
        if (this.start.takes_paths) {
            select.append(option([BY_PATH, t("another one, by its path")]));
        }
        const chosen = () => {
            const isByPath = select.value === BY_PATH;
            values.player = select.value;
            values.path = path.value;
            pathField.hidden = !isByPath;
            path.required = isByPath;
        };
        path.value = values.path;
        [select, path].forEach((input) => input.addEventListener("input", chosen));
        chosen(); // another game has other presets
        return [labelled(t("against"), select), pathField];
    }

    change(game) {
        this.values.game = game;
        this.board = {};
        this.moves = [];
        this.build();
        this.element.querySelector("select").focus();
    }

    limitField() {
        const { least_s: least, most_s: most } = this.start.limits;
        const input = element("input", {
            type: "number",
            min: least,
            max: most,
            step: "any",
            required: true,
            input: () => {
                this.values.limit_s = input.value;
            },
        });
        input.value = this.values.limit_s;
        return labelled(t("the player's limit for a move, in seconds"), input);
    }

    // Returns the fields for the board options of the game.
    boardFields() {
        return this.start.games[this.values.game].options.map((option) => {
            const label = optionName(option.name);
            const usual = option.default ?? null;
            const set = (value) => {
                this.board[option.name] = value;
            };
            if (option.choices) {
                const all = option.choices.map((each) => [String(each), String(each)]);
                const named = usual === null ? [["", t("by chance")], ...all] : all;
                return choice(label, named, this.board[option.name] ?? String(usual ?? ""), set);
            }
            const isNumber = option.least !== undefined && option.most !== undefined && option.kind !== "text";
            const input = element("input", {
                type: isNumber ? "number" : "text",
                min: isNumber ? option.least : null,
                max: isNumber ? option.most : null,
                placeholder: usual ?? (option.name === "forbidden" ? t("by chance, or 4,5") : t("by chance")),
                input: () => set(input.value),
            });
            input.value = this.board[option.name] ?? "";
            return labelled(label, input);
        });
    }

    // Returns the note that the game begins with a board and moves that were set up.
    position() {
        const board = Object.entries(this.board).map(([name, value]) => `${optionName(name)} ${value}`);
        const named = this.moves.slice(0, MOST_MOVES_NAMED).join(" ");
        const moves = this.moves.length > MOST_MOVES_NAMED ? `${named} …` : named;
        const drop = () => {
            this.moves = [];
            this.board = {};
            this.build();
        };
        return element(
            "p",
            { class: "begins" },
            t("From the position after {number} moves: {moves}", { number: this.moves.length, moves }),
            board.length > 0 ? ` (${board.join(", ")})` : "",
            " ",
            element("button", { type: "button", click: drop }, t("from an empty board instead")),
        );
    }

    async submit(event) {
        event.preventDefault();
        const given = Object.entries(this.board).filter(([, value]) => value !== "");
        const { path, ...values } = this.values;
        const asked = {
            ...values,
            player: values.player === BY_PATH ? path.trim() : values.player,
            limit_s: Number(values.limit_s),
            board: Object.fromEntries(given.map(([name, value]) => [name, this.valueOf(name, value)])),
        };
        if (this.moves.length > 0) {
            asked.moves = this.moves;
        }
        const press = this.element.querySelector("button.main");
        // If the reader comes back to this page from the browser's cache, the form can be used again.
        addEventListener("pageshow", (shown) => shown.persisted && this.build(), { once: true });
        press.disabled = true;
        this.answer.replaceChildren(notice(t("The player is started …"), "news"));
        try {
            const { id } = await ask("/api/tables", asked);
            location.href = `/play/${encodeURIComponent(id)}`;
        } catch (error) {
            press.disabled = false;
            if (!(error instanceof Refusal)) {
                throw error;
            }
            this.answer.replaceChildren(notice(told(error.texts), "trouble"));
        }
    }

    // Returns the value of a board option for a text: a number if the option is one, else the text.
    valueOf(name, text) {
        const option = this.start.games[this.values.game].options.find((each) => each.name === name);
        return option?.kind === "integer" && /^\d+$/.test(text) ? Number(text) : text;
    }
}

function labelled(label, input) {
    return element("label", { class: "choice" }, element("span", {}, label), input);
}
