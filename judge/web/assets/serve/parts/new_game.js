// The form that begins a new game: it asks for the game, the opponent and the board.

import { Component } from "../../view/vendor/preact.js";
import { gameName, gameNames } from "../../view/games.js";
import { choice, h, labelled } from "../../view/ui.js";
import { count, t, told } from "../../view/words.js";
import { ask } from "../api.js";
import { asked, Notice } from "./frame.js";

const BY_PATH = ""; // chosen instead of a player's name if the player is given by its path
const USUAL_LIMIT_S = 3;
const MOST_MOVES_NAMED = 12; // moves that are listed of a position with which the game begins

// Properties: the answer to /api/start as `start`. The page's address may have a game, its board options and `moves`.
export class NewGame extends Component {
    constructor(properties) {
        super(properties);
        const { bots, players, levels } = properties.start;
        const { game, moves = "", ...board } = Object.fromEntries(new URLSearchParams(location.search));
        this.state = {
            game: gameNames().includes(game) ? game : gameNames()[0],
            player: bots[0] ?? (players.length > 1 ? players[0] : levels[0].player),
            path: "",
            first: "human",
            limit_s: String(USUAL_LIMIT_S),
            board,
            moves: moves.split(" ").filter(Boolean),
            isSent: false,
            refused: null,
        };
        // If the reader comes back to this page from the browser's cache, the form can be used again.
        addEventListener("pageshow", (shown) => shown.persisted && this.setState({ isSent: false }));
    }

    submit = async (event) => {
        event.preventDefault();
        const { game, first, limit_s: limit, moves, path } = this.state;
        const given = Object.entries(this.state.board).filter(([, value]) => value !== "");
        const content = {
            game,
            first,
            player: this.player() === BY_PATH ? path.trim() : this.player(),
            limit_s: Number(limit),
            board: Object.fromEntries(given.map(([name, value]) => [name, this.valueOf(name, value)])),
            moves: moves.length > 0 ? moves : undefined,
        };
        this.setState({ isSent: true, refused: null });
        const { id, refused } = await asked(() => ask("/api/tables", content));
        if (refused) {
            this.setState({ isSent: false, refused });
        } else {
            location.href = `/play/${encodeURIComponent(id)}`;
        }
    };

    // Returns the value of a board option for a text: a number if the option is one, else the text.
    valueOf(name, text) {
        return this.option(name)?.bounds && /^\d+$/.test(text) ? Number(text) : text;
    }

    options() {
        return this.props.start.games[this.state.game].options;
    }

    option(name) {
        return this.options().find((each) => each.name === name);
    }

    // Returns the opponents that can be chosen: [[group, [[player, name]]]].
    opponents() {
        const { players, levels, presets, bots, takes_paths: takesPaths } = this.props.start;
        const named = (all) => all.map((name) => [name, name]);
        const own = players.at(-1); // our bot
        const byLevel = levels.map(({ player, title, iterations }) => [
            player,
            t("bot at level {level} ({number} iterations per move)", { level: told(title), number: count(iterations) }),
        ]);
        return [
            [t("your bots"), named(bots.filter((name) => !players.includes(name)))],
            [t("players of the players file"), named(players.slice(0, -1))],
            [t("strengths of our bot"), [...byLevel, [own, t("bot at full strength")]]],
            [t("presets of our bot"), named(presets[this.state.game])],
            ["", takesPaths ? [[BY_PATH, t("another bot, given by its path")]] : []],
        ].filter(([, all]) => all.length > 0);
    }

    // Returns the opponent: the chosen one, or the first if the game has no such opponent.
    player() {
        const all = this.opponents().flatMap(([, each]) => each.map(([player]) => player));
        return all.includes(this.state.player) ? this.state.player : all[0];
    }

    // Returns an input that sets a part of the state.
    input(name, attributes) {
        return h("input", {
            value: this.state[name],
            onInput: (event) => this.setState({ [name]: event.target.value }),
            ...attributes,
        });
    }

    render({ start }, { game, first, moves, isSent, refused }) {
        const { least_s: least, most_s: most } = start.limits;
        const limit = { type: "number", min: least, max: most, step: "any", required: true };
        const begin = (name) => this.setState({ game: name, board: {}, moves: [] });
        const games = gameNames().map((name) => [name, gameName(name)]);
        const sides = { human: t("you"), player: t("your opponent") };
        return h(
            "section.panel.new-game",
            h("h2", t("A new game")),
            start.players_error && h(Notice, { texts: start.players_error }),
            h(
                "form.fields",
                { onSubmit: this.submit },
                choice(t("which game"), games, game, begin),
                this.opponentFields(),
                choice(t("who begins"), sides, first, (side) => this.setState({ first: side })),
                labelled(t("your opponent's limit per move, in seconds"), this.input("limit_s", limit)),
                moves.length > 0 ? this.position() : this.options().map((option) => this.boardField(option)),
                h("button.main", { type: "submit", disabled: isSent }, t("Play")),
            ),
            h(
                "div.answer",
                isSent && h(Notice, { key: "news", kind: "news", text: t("Your opponent is being started …") }),
                refused && h(Notice, { texts: refused }),
            ),
            h("p.elsewhere", h("a", { href: "/position" }, t("Set up a position and see what its moves are worth"))),
        );
    }

    opponentFields() {
        const player = this.player();
        const option = ([value, name]) => h("option", { key: value, value, selected: value === player }, name);
        const groups = this.opponents().map(([label, all]) =>
            label ? h("optgroup", { label }, all.map(option)) : all.map(option),
        );
        const onInput = (event) => this.setState({ player: event.target.value });
        const path = { type: "text", maxlength: 200, placeholder: t("a path in a folder of --bots") };
        const isByPath = player === BY_PATH;
        return [
            labelled(t("opponent"), h("select", { value: player, onInput }, groups)),
            labelled(t("path of the bot"), this.input("path", { ...path, required: isByPath }), { hidden: !isByPath }),
        ];
    }

    // Returns the field for a board option of the game.
    boardField({ name, title, bounds, choices, example, default: usual }) {
        const { board } = this.state;
        const set = (value) => this.setState({ board: { ...this.state.board, [name]: value } });
        if (choices.length > 0) {
            const all = choices.map((each) => [String(each), String(each)]);
            const named = usual === null ? [["", t("chosen at random")], ...all] : all;
            return choice(told(title), named, board[name] ?? String(usual ?? ""), set);
        }
        const chance = example ? t("chosen at random, or for example {example}", { example }) : t("chosen at random");
        const input = h("input", {
            type: bounds ? "number" : "text",
            min: bounds?.[0],
            max: bounds?.[1],
            placeholder: usual ?? chance,
            value: board[name] ?? "",
            onInput: (event) => set(event.target.value),
        });
        return labelled(told(title), input);
    }

    // Returns the note that the game begins with a board and moves that were set up.
    position() {
        const { moves } = this.state;
        const board = Object.entries(this.state.board).map(([name, value]) => {
            const { title = { en: name } } = this.option(name) ?? {};
            return `${told(title)} ${value}`;
        });
        const named = moves.slice(0, MOST_MOVES_NAMED).join(" ");
        const fields = { number: moves.length, moves: moves.length > MOST_MOVES_NAMED ? `${named} …` : named };
        const drop = () => this.setState({ moves: [], board: {} });
        return h(
            "p.begins",
            t("The game begins from the position after {number} moves: {moves}", fields),
            board.length > 0 && ` (${board.join(", ")})`,
            " ",
            h("button", { type: "button", onClick: drop }, t("begin from an empty board instead")),
        );
    }
}
