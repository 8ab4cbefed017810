"""What the judge prints and writes, frozen: `freeze.py make CHECKOUT FOLDER` and `freeze.py compare A B NEW`.

It stands here for the time in which the judge is put together anew, and goes with its end. `make` runs every command of
a checkout on fixed input, one case after the other, and writes a file for each: arguments, status, what was printed and
what was written. A and B are two folders made from the old revision: where they differ, digits
are not compared: they tell times or the load. What is printed of NEW differs from the old revision.
"""

import difflib
import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

WORK = Path("/tmp/frozen")  # the same for every checkout, as paths are printed
PATIENCE_S = 600
PYTHON = Path(sys.executable)
GAMES = ("connect_four", "reversi", "dots")
PAGES = re.compile(r"\.html$")


def bot(script, *words, game="connect_four"):
    of_game = [] if game == "connect_four" else ["--game", game]
    return " ".join(["python", "-S", "-s", f"engines/{script}.py", *map(str, words), *of_game])


def modes(game):
    """The misbehaviours that a game has, each an option of misbehave.py."""
    shown = subprocess.run(
        [PYTHON, WORK / "engines/misbehave.py", "--game", game, "--help"], capture_output=True, text=True, check=True
    ).stdout
    groups = re.findall(r"\{([a-z_0-9,\s]+)\}", shown)
    return re.sub(r"\s", "", max(groups, key=len)).split(",")


def cases():
    """(name, arguments, more of the environment, stdin) in the order in which they run."""
    commands = [
        "play",
        "human",
        "serve",
        "connect",
        "logic",
        "match",
        "sprt",
        "batch",
        "tournament",
        "elo",
        "llr",
        "replay",
        "view",
        "review",
        "repro",
        "import",
        "export",
        "check",
        "doctor",
        "completion",
    ]
    zh = {"LANGUAGE": "zh_CN", "LANG": "C.UTF-8"}
    yield "none", [], {}, ""
    yield "help", ["--help"], {}, ""
    yield "help zh", ["--help"], zh, ""
    yield "unknown", ["mtach"], {}, ""
    for name in commands:
        for language, more in (("en", {}), ("zh", zh)):
            yield f"{name} --help {language}", [name, "--help"], more, ""
            yield f"{name} no option {language}", [name, "--no-such-option"], more, ""
            if name not in ("play", "human", "serve", "doctor", "logic"):
                yield f"{name} alone {language}", [name], more, ""
    for shell in ("bash", "zsh", "fish"):
        yield f"completion {shell}", ["completion", shell], {}, ""
    first, rand = bot("first_legal"), bot("random_mover", "--seed", "{seed}")
    wrong = (
        "--limit x", "--limit 0", "--limit -1", "--limit nan", "--seed x", "--seed -1", "--seed 99999999999999999999",
        "--memory-limit x", "--memory-limit -1", "--rows 8", "--rows 13", "--rows x", "--cols 99", "--forbidden 1",
        "--forbidden 99,99", "--size 8", "--game chess", "--game reversi --size 3", "--game reversi --rows 9",
        "--game dots --size 9", "--game dots --size 5x0", "--game reversi --opening-plies x", "--opening-plies 3",
        "--record engines", "--record /dev/null", "--record /nowhere/x/y", "--players nowhere.toml",
        "--players broken.toml", "--players wrong.toml", "--forensics engines/wires.py", "--sandbox perhaps",
        "--first C",
    )  # fmt: skip
    for words in wrong:
        for language, more in (("en", {}), ("zh", zh)):
            yield f"play {words} {language}", ["play", first, first, *words.split()], more, ""
    for words in ("--games 0", "--games x", "--jobs 0 --games 2", "--jobs 99 --games 2", "--resume --games 2",
                  "--cluster nowhere --games 2", "--cluster local:x --games 2", "--games 3 --tls-ca x"):  # fmt: skip
        yield f"match {words}", ["match", first, rand, *words.split()], {}, ""
    for player in ("nobody", "bot:nobody", "bot@nothing", "src:nowhere", "lib:nowhere.so", "", "src:engines", "folder",
                   "bot --nonsense", "nofile.py", "named", "named@x"):  # fmt: skip
        for language, more in (("en", {}), ("zh", zh)):
            yield f"player {player} {language}", ["play", player, first, "--players", "named.toml"], more, ""
    yield "named plays", ["play", "one", "two", "--players", "named.toml", "--seed", "1", "--json"], {}, ""
    # Games, each to a record of its own.
    play = ["--limit", "20", "--free-start", "--seed", "7", "--json"]
    for game in GAMES:
        of_game = ["--game", game]
        one, two = bot("first_legal", game=game), bot("random_mover", "--seed", "{seed}", game=game)
        for language, more in (("en", {}), ("zh", zh)):
            record = ["--record", f"play-{game}-{language}.jsonl"]
            yield f"play {game} {language}", ["play", one, two, *of_game, *play, *record], more, ""
        yield f"play {game} quiet", ["play", one, two, *of_game, *play, "--quiet", "--first", "B"], {}, ""
        yield f"play {game} charged", ["play", one, two, *of_game, "--seed", "3"], {}, ""
        for mode in modes(game):
            record = ["--record", f"faults-{game}.jsonl", "--limit", "1", "--seed", "5", "--json"]
            culprit = bot("misbehave", mode, "--at", 2, "--limit", 1, game=game)
            yield f"fault {game} {mode}", ["play", culprit, one, *of_game, *record], {}, ""
        yield f"faults {game} zh", ["replay", f"faults-{game}.jsonl", "--plain"], zh, ""
        yield (
            f"match {game}",
            ["match", one, two, *of_game, *play, "--games", "6", "--record", f"match-{game}.jsonl"],
            {},
            "",
        )
        yield f"batch {game}", ["batch", one, "--against", two, bot("misbehave", "exit_3", game=game), *of_game, *play,
              "--record", f"batch-{game}.jsonl", "--compete", f"compete-{game}"], {}, ""  # fmt: skip
        yield f"tournament {game}", ["tournament", one, two, f"{two} ", *of_game, *play, "--rounds", "2",
              "--record", f"tournament-{game}.jsonl"], zh if game == "dots" else {}, ""  # fmt: skip
        yield f"sprt {game}", ["sprt", one, two, *of_game, *play, "--games", "8", "--elo0", "0", "--elo1", "400",
              "--record", f"sprt-{game}.jsonl"], {}, ""  # fmt: skip
        cut = (
            f"lines = open('match-{game}.jsonl').readlines(); "
            f"open('cut-{game}.jsonl', 'w').writelines(lines[:2] + [lines[2][:50]])"
        )
        yield f"cut {game}", ["-c", cut], {}, ""
        resume = ["match", one, two, *of_game, *play, "--games", "6", "--record", f"cut-{game}.jsonl", "--resume"]
        yield f"resume {game}", resume, {}, ""
        yield f"resume other {game}", [*resume[:1], two, *resume[2:]], {}, ""
        yield f"resume complete {game}", resume, {}, ""
        for words in ([], ["--game", "1"], ["--game", "99"], ["--game", "x"]):
            yield f"replay {game} {words}", ["replay", f"match-{game}.jsonl", *words], {}, ""
            yield f"replay {game} {words} zh", ["replay", f"match-{game}.jsonl", *words], zh, ""
            yield f"repro {game} {words}", ["repro", f"match-{game}.jsonl", *words], {}, ""
        yield (
            f"repro fault {game}",
            ["repro", f"faults-{game}.jsonl", "--game", "3", "--output", f"repro-{game}.txt"],
            {},
            "",
        )
        for form in ("saiblo", "compete", "csv", "text"):
            out = f"export-{game}-{form}"
            yield f"export {game} {form}", ["export", f"match-{game}.jsonl", "--format", form, "--output", out], {}, ""
            yield (
                f"export one {game} {form}",
                ["export", f"match-{game}.jsonl", "--format", form, "--game", "1"],
                {},
                "",
            )
            yield (
                f"export faults {game} {form}",
                ["export", f"faults-{game}.jsonl", "--format", form, "--output", f"{out}-f"],
                zh,
                "",
            )
        yield f"export moves {game}", ["export", f"match-{game}.jsonl", "--format", "csv", "--lines", "moves"], {}, ""
        for form in ("text", "saiblo", "compete"):
            made = f"export-{game}-{form}"
            yield f"import {game} {form}", ["import", f"+{made}", "--record", f"imported-{game}-{form}.jsonl"], {}, ""
            yield f"import show {game} {form}", ["import", f"+{made}", "--show"], {}, ""
            yield f"import json {game} {form}", ["import", f"+{made}", "--show", "--json"], {}, ""
            yield f"import zh {game} {form}", ["import", f"+{made}", "--show"], zh, ""
        yield (
            f"view {game}",
            ["view", f"match-{game}.jsonl", f"faults-{game}.jsonl", "--html", f"view-{game}.html"],
            {},
            "",
        )
        yield (
            f"review {game}",
            ["review", f"match-{game}.jsonl", "--engine", bot("first_legal", "--values", game=game), "--json"],
            {},
            "",
        )
        yield f"review kept {game}", ["review", f"match-{game}.jsonl", "--markdown"], {}, ""
        yield f"review zh {game}", ["review", f"match-{game}.jsonl"], zh, ""
        yield f"view reviewed {game}", ["view", f"match-{game}.jsonl", "--html", f"reviewed-{game}.html"], zh, ""
    yield "forensics", ["play", bot("misbehave", "segfault"), first, *play, "--forensics", "incidents"], {}, ""
    yield "sandbox off", ["play", first, rand, *play, "--sandbox", "off"], {}, ""
    yield (
        "failing",
        ["match", bot("misbehave", "exit_3", "--at", 0), first, *play, "--games", "10", "--record", "failing.jsonl"],
        {},
        "",
    )
    yield (
        "human",
        ["human", first, "--seed", "1", "--rows", "9", "--cols", "9", "--forbidden", "0,0"],
        {},
        "3\nundo\n4\nhelp\nx\n99\n5\nquit\n",
    )
    yield (
        "human zh",
        ["human", first, "--seed", "1", "--rows", "9", "--cols", "9", "--forbidden", "0,0"],
        zh,
        "3\nundo\n4\nhelp\nx\n99\n5\n5\n5\n5\n5\n5\n5\n",
    )
    for words in (
        "--games 10,20,30",
        "--pairs 1,2,3,4,5",
        "--games 1,2",
        "--pairs x",
        "--games 0,0,5 --json",
        "--pairs 5,10,40,15,9 --json",
    ):
        yield f"elo {words}", ["elo", *words.split()], {}, ""
        yield f"elo zh {words}", ["elo", *words.split()], zh, ""
        yield f"llr {words}", ["llr", *words.split(), "--elo0", "0", "--elo1", "10"], {}, ""
        yield (
            f"llr normalized {words}",
            ["llr", *words.split(), "--elo0", "0", "--elo1", "10", "--model", "normalized"],
            zh,
            "",
        )
    yield "doctor", ["doctor"], {}, ""
    yield "doctor zh", ["doctor"], zh, ""
    yield "doctor json", ["doctor", "--json"], {}, ""
    yield "check", ["check", first, "--limit", "2", "--verbose", "--seed", "1", "--json"], {}, ""
    yield "check zh", ["check", bot("misbehave", "off_board", "--at", 3), "--limit", "2", "--seed", "1"], zh, ""
    yield "connect nobody", ["connect", "127.0.0.1", "1", first], {}, ""
    yield "logic nothing", ["logic"], {}, ""
    yield "logic garbage", ["logic"], {}, "\x00\x00\x00\x05hello"
    for path in sorted(Path(WORK).glob("results/*.jsonl")):
        name = f"results/{path.name}"
        yield f"{name} replay", ["replay", name, "--game", "1"], {}, ""
        yield f"{name} csv", ["export", name, "--format", "csv"], {}, ""
    for path in sorted(Path(WORK).glob("results/*.jsonl"))[::6]:
        name = f"results/{path.name}"
        yield f"{name} view", ["view", name, "--html", "old.html"], {}, ""
        yield f"{name} text", ["export", name, "--format", "text"], zh, ""


def prepare(checkout):
    """Make the working folder with what the cases read."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    shutil.copytree(checkout / "tests/engines", WORK / "engines", ignore=shutil.ignore_patterns("__pycache__"))
    (WORK / "broken.toml").write_text("a = [")
    (WORK / "folder").mkdir()
    named = f'[one]\ncommand = "{bot("first_legal")}"\n[two]\ncommand = "{bot("random_mover")}"\n'
    (WORK / "named.toml").write_text(named)
    (WORK / "wrong.toml").write_text(f"{named}[three]\nunknown = 1\n")
    (WORK / "results").mkdir()
    for packed in sorted((checkout / "docs/results").glob("*.jsonl.gz")):
        with open(WORK / "results" / packed.name.removesuffix(".gz"), "wb") as file:
            subprocess.run(["gzip", "-dc", packed], stdout=file, check=True)


def files_seen():
    return {
        path.relative_to(WORK): path.read_bytes()
        for path in sorted(WORK.rglob("*"))
        if path.is_file() and path.parts[len(WORK.parts)] not in ("results", "engines", "home")
    }


def readable(name, data):
    """A file's text; of a page its data apart from the rest of it, which would be long."""
    if len(data) > 200_000:
        return [f"{len(data)} bytes, {hashlib.sha256(data).hexdigest()}"]
    return data.decode("utf-8", "replace").splitlines()


def run(checkout, name, words, more, stdin):
    """What a case shows, as lines."""
    expanded = []
    for word in words:
        if word.startswith("+"):
            path = WORK / word[1:]
            inside = path.rglob("*") if path.is_dir() else [path]
            expanded += sorted(str(file.relative_to(WORK)) for file in inside if file.is_file()) or [word[1:]]
        else:
            expanded.append(word)
    before = files_seen()
    environment = {
        "PATH": f"{PYTHON.parent}:/usr/bin:/bin",
        "HOME": str(WORK / "home"),
        "PYTHONPATH": str(checkout),
        "COLUMNS": "100",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        **more,
    }
    command = [PYTHON, *(expanded if expanded[:1] == ["-c"] else ["-m", "judge", *expanded])]
    done = subprocess.run(
        command, cwd=WORK, env=environment, input=stdin.encode(), capture_output=True, timeout=PATIENCE_S
    )
    lines = [f"arguments: {words}", f"status: {done.returncode}"]
    for title, data in (("stdout", done.stdout), ("stderr", done.stderr)):
        lines += [f"-- {title}", *readable(title, data)]
    for path, data in files_seen().items():
        if before.get(path) != data:
            kept = before.get(path, b"")
            new = data[len(kept) :] if data.startswith(kept) else data
            lines += [f"-- file {path}", *readable(str(path), new)]
    text = "\n".join(lines).replace(str(checkout), "CHECKOUT")
    return re.sub(r"\b[0-9a-f]{7}(\+[0-9a-f]+|\+)?\b(?=[^\n]{0,3})", "REVISION", text)


def make(checkout, folder):
    folder.mkdir(parents=True)
    prepare(checkout)
    for number, (name, *case) in enumerate(cases()):
        text = run(checkout, name, *case)
        safe = re.sub(r"[^A-Za-z0-9.-]+", "_", name)[:90]
        (folder / f"{number:04}-{safe}.txt").write_text(text)
        print(f"\r{number} {name:60.60}", end="", file=sys.stderr, flush=True)


def masked(line):
    """The line without what tells times, moments and names by chance."""
    line = re.sub(r"[0-9a-f]{12,}", "#", line)
    return re.sub(r"\d+", "#", re.sub(r"\d+(\.\d+)?(e-?\d+)?", "#", line))


def compare(first, second, new):
    """Print what differs; returns how many cases do."""
    differing = random = 0
    for path in sorted(first.iterdir()):
        if not (new / path.name).exists():
            print(f"== {path.name}: missing")
            differing += 1
            continue
        old, again, now = (folder.joinpath(path.name).read_text().splitlines() for folder in (first, second, new))
        if now in (old, again):
            continue
        if len(old) == len(again) == len(now):
            loose = [one != two for one, two in zip(old, again, strict=True)]
            old, again, now = (
                [masked(line) if free else line for line, free in zip(lines, loose, strict=True)]
                for lines in (old, again, now)
            )
        else:
            old, again, now = ([masked(line) for line in lines] for lines in (old, again, now))
        if old != again:  # a board that nobody's seed has drawn
            random += 1
        elif old != now:
            differing += 1
            print(f"== {path.name}")
            for line in list(difflib.unified_diff(old, now, lineterm="", n=0))[2:42]:
                print(line[:400])
    print(f"{differing} cases differ, {random} are never the same")
    return differing


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]).resolve(), Path(sys.argv[3]))
    else:
        sys.exit(1 if compare(*map(Path, sys.argv[2:])) else 0)
