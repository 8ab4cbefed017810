// The page of a game that the reader plays. The server has the game: the page shows its state and sends it commands.

import { Component } from "../../view/vendor/preact.js";
import { Board, COLUMN_KEYS, columnMoves } from "../../view/board.js";
import { counts, described } from "../../view/games.js";
import { moveLine } from "../../view/moves.js";
import { Outcome, resultForReader } from "../../view/outcome.js";
import { cellsOf, lastPly, moverAfter, playerOf, positionAt, sideOf, stonesOf } from "../../view/record.js";
import { button, h } from "../../view/ui.js";
import { seconds, t, told } from "../../view/words.js";
import { Connection } from "../connection.js";
import { TimedCard } from "../parts/cards.js";
import { now, tenths, Ticking } from "../parts/clock.js";
import { Confirming, Top, Troubles } from "../parts/frame.js";
import { address, opponentName } from "../parts/names.js";
import { bestInWords, lineInWords, valuesByCell } from "../parts/values.js";

// Properties: the answer to /api/start as `start`, and the `id` of the table.
export class PlayPage extends Component {
    // table: the latest state of the table that the server has sent, and `received`, the time at which it came; line: the
    // state of the connection; refused: what the server has refused, by language.
    state = { table: null, received: 0, line: "", refused: null };

    componentDidMount() {
        this.connection = new Connection(`/ws/tables/${encodeURIComponent(this.props.id)}`, {
            heard: (message) => this.hear(message),
            changed: (line) => this.setState({ line }),
        });
    }

    hear(message) {
        if (message.type === "refused") {
            this.setState({ refused: message.error });
        } else if (message.type === "table") {
            const { table, refused } = this.state;
            const isOld = table && lastPly(table.game) !== lastPly(message.game);
            this.setState({ table: message, received: now(), refused: isOld ? null : refused });
        }
    }

    send(content) {
        this.setState({ refused: null });
        if (!this.connection.send(content) && this.state.line !== "gone") {
            this.setState({ line: "lost" });
        }
    }

    // Plays the move that a picked cell stands for, if it stands for one.
    pick = (cell) => {
        const { game, turn, legal } = this.state.table;
        const move = game.move_of_cell[cell] ?? null;
        if (move === null || turn !== "human") {
            return;
        }
        if (legal.includes(move)) {
            this.send({ type: "move", move });
        } else {
            this.setState({ refused: { en: t("{move} is not a legal move: choose a marked place.", { move }) } });
        }
    };

    render(_, { table, line, refused }) {
        const lost = {
            lost: t(
                "The connection to the server is lost, and the page tries to connect again. The game waits on the server if the server still runs.",
            ),
            gone: t("The server does not have this game any more. Finished games are in the records."),
        }[line];
        const refusal = line !== "gone" && refused && told(refused);
        return h(
            "main.playing",
            h(Top),
            h(Troubles, { lines: [lost, table?.trouble && told(table.trouble), refusal] }),
            table && this.game(table, lost),
        );
    }

    game(table, lost) {
        const { game, turn, preparing, human, limit_s: limit } = table;
        const player = opponentName(this.props.start, table.player);
        const against = t("Against {player}", { player });
        const result = game.running ? "" : resultForReader(game, human);
        document.title = [result, against, "dropfour"].filter(Boolean).join(" · ");
        const isSettled = turn === null && !preparing;
        const ply = lastPly(game);
        const names = Object.fromEntries([..."01"].map((each) => [each, this.nameOf(sideOf(game, each), player)]));
        const thought = thoughtInWords(table, player).filter(Boolean).join("\n");
        return [
            h(
                "section.game",
                { class: lost ? "cut-off" : null, "data-face": described(game.game).face },
                h(
                    "div.title",
                    h("h2", against),
                    h("p", `${told(game.board)} · ${t("at most {limit} s per move", { limit })}`),
                ),
                h(
                    "div.columns",
                    h(
                        "div.left",
                        h(Board, {
                            position: positionOf(table, names),
                            pick: this.pick,
                            isPickable: true,
                            anywhere: true,
                        }),
                        this.actions(table, isSettled),
                        h("p.thought", thought),
                    ),
                    h(
                        "div.right",
                        h(
                            "div.players",
                            [..."01"].map((each) => this.card(table, each, player)),
                        ),
                        h("p.doing", h(Ticking, { draw: () => this.doing(player) })),
                        h("p.move", { role: "status" }, ply > 0 ? moveLine(game, ply) : t("before the first move")),
                        h(
                            "div.result",
                            { role: "status" },
                            !game.running && h(Outcome, { game, reader: human }),
                            isSettled && waysOn(table),
                        ),
                        h(Moves, { game }),
                    ),
                ),
            ),
            h("footer.help.keys-help", isSettled ? "" : keysInWords(game)),
        ];
    }

    nameOf(side, player) {
        return side === this.state.table.human ? t("you") : player;
    }

    card({ game, turn, human, clock, limit_s: limit }, player, opponent) {
        const side = sideOf(game, player);
        const isHuman = side === human;
        const isTurn = turn === (isHuman ? "human" : "player");
        const owned = counts(game.game, game.size, positionAt(game, lastPly(game)).codes);
        const running = () => (isTurn ? clock.turn_s + now() - this.state.received : null);
        return h(TimedCard, {
            game: game.game,
            player,
            side,
            name: this.nameOf(side, opponent),
            count: owned?.[Number(player)],
            state: turn === null ? (game.winner === side ? t("has won") : "") : isTurn ? t("is to move") : "",
            spent: isHuman ? clock.human_s : clock.player_s,
            turn: running,
            isLate: (time) => !isHuman && time > limit,
            hint: (time) =>
                isHuman
                    ? t("your moves have no time limit")
                    : t("this move has taken {time} of at most {limit}", {
                          time: seconds(time ?? 0),
                          limit: seconds(limit),
                      }),
        });
    }

    actions(table, isSettled) {
        const { turn, hint, evaluating } = table;
        const act = (text, name, isPossible, content, attributes) =>
            button(text, name, () => this.send(content), { disabled: !isPossible, ...attributes });
        const texts = {
            act: t("Resign"),
            question: t("Do you give up this game?"),
            yes: t("Yes, resign"),
            no: t("No, play on"),
        };
        const isToHint = turn === "human" && !hint?.thinking;
        const evaluate = { type: "evaluate", on: !evaluating };
        return h(
            "div.actions",
            { hidden: isSettled },
            act(t("Undo"), t("take back your last move and the answer to it"), table.can_undo, { type: "undo" }),
            act(t("Hint"), t("show what your opponent would play in your place"), isToHint, { type: "hint" }),
            act(t("Values"), t("show what each of your moves is worth"), !isSettled, evaluate, {
                "aria-pressed": evaluating,
            }),
            h(Confirming, { texts, act: () => this.send({ type: "resign" }), isPossible: !isSettled }),
        );
    }

    // Returns what is going on now, such as who is to move.
    doing(player) {
        const { table, received } = this.state;
        if (table.turn === "human") {
            return t("It is your move.");
        }
        if (table.turn === "player") {
            const time = tenths(table.clock.turn_s + now() - received);
            const limit = seconds(table.limit_s);
            return t("{player} is thinking: {time} of at most {limit}.", { player, time, limit });
        }
        return table.preparing ? t("{player} is being started …", { player }) : "";
    }
}

function positionOf({ game, hint, turn, legal, evaluation, ...table }, names) {
    const position = positionAt(game, lastPly(game), names);
    const { codes } = position;
    const mover = moverAfter(game, lastPly(game));
    return {
        ...position,
        ghosts: hint ? stonesOf(game, codes, hint.moves, mover.repeat(hint.moves.length)) : [],
        choices: new Set(turn === "human" ? cellsOf(game, codes, legal) : []),
        values: isEvaluated({ game, turn, evaluation, ...table }) ? valuesByCell(game, codes, evaluation) : new Map(),
    };
}

// Returns whether there are values for the current position.
function isEvaluated({ evaluation, game, turn }) {
    return turn !== null && evaluation?.moves?.length > 0 && evaluation.ply === lastPly(game);
}

// Returns lines with the hint and the values of the position, if they were asked for.
function thoughtInWords(table, player) {
    const { hint, evaluation } = table;
    const hinted = () =>
        hint.error
            ? told(hint.error)
            : t("{player} would play {move} in your place.", { player, move: hint.moves.join(" ") });
    const looking = hint?.thinking
        ? t("{player} is looking for the move that it would play in your place …", { player })
        : hint && hinted();
    if (isEvaluated(table)) {
        return [looking, bestInWords(evaluation), lineInWords(evaluation)];
    }
    const waiting = evaluation?.thinking && t("The values of your moves are being computed …");
    return [looking, evaluation?.error ? told(evaluation.error) : waiting];
}

// Returns the text on what keys do.
function keysInWords(game) {
    const columns = columnMoves({ size: game.size, moves: game.move_of_cell });
    const words = [t("arrow keys and Enter choose a place on the board")];
    if (columns > 0) {
        const letters = [...COLUMN_KEYS.slice(10, columns)].map((key, place) =>
            t("{key} drops a stone in column {column}", { key, column: 10 + place }),
        );
        words.unshift(
            t("0 to {last} drop a stone in the column with this number", { last: Math.min(columns, 10) - 1 }),
            ...letters,
        );
    }
    return t("Keys that you can use: {keys}", { keys: words.join(", ") });
}

function waysOn({ over }) {
    const place = over && `/records/${address(over.path)}#g${over.number}`;
    return h(
        "p.ways-on",
        over && h("a", { href: place }, t("Look at this game in its record file")),
        h("a", { href: "/" }, t("Play another game")),
    );
}

// The list of the moves so far, of which the latest is in view.
class Moves extends Component {
    componentDidUpdate() {
        this.base.scrollTop = this.base.scrollHeight;
    }

    componentDidMount() {
        this.componentDidUpdate();
    }

    render({ game }) {
        const entries = game.moves.map((move, place) =>
            h(
                "li",
                { title: moveLine(game, place + 1) },
                h("span.ply", String(place + 1)),
                h("span.made", { class: `p${playerOf(game, game.sides[place])}` }, move),
            ),
        );
        return h("ol.moves.plain", { "aria-label": t("moves"), hidden: entries.length === 0 }, entries);
    }
}
