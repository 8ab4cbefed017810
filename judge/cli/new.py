"""`python -m judge new FOLDER`: writes a first bot into a new folder, in C++ or Python, to build on.

The files are made from the templates in judge/templates/LANGUAGE/GAME/ and from one README.md that all bots share. A
line of a template may begin, after the sign of a comment, with marks such as [zh]; MARKS lists all of them. Such a line
is written, without its marks, only if all its marks fit the bot and the language of this program's messages. The README
also has fields such as $title, which are replaced.
"""

import os
import re
import shlex
import string
from pathlib import Path

from judge import program
from judge.cli import arguments, completers
from judge.cli.parser import Parser
from judge.formats.registry import REPLAYS
from judge.games import DEFAULT_GAME, GAMES
from judge.language import _, current_language, languages
from judge.players.own_bot import OWN_BOT, is_own_bot
from judge.players.source_player import PREFIX
from judge.runs.record_file import in_words
from judge.terminal import printable

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
CPP, PYTHON = "cpp", "python"
README = "README.md"
COPY = "-1"  # the ending of the name of the folder for a copy of an earlier version
UPLOADED_AS = {CPP: "C++ zip", PYTHON: "Python zip"}
SOURCES = {CPP: "*.cpp", PYTHON: "main.py"}
MARKS = (*languages(), CPP, PYTHON, *GAMES, "saiblo")
MARK = rf"\[({'|'.join(MARKS)})\] ?"
MARKED_LINE = re.compile(rf"(?P<before>\s*(?://|#)? ?)(?P<marks>({MARK})+)(?P<text>.*)")


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = Parser(
        "new",
        description=_(
            "Write a first bot of your own into a new folder, with a README that says how it is built, checked, played "
            "and uploaded. It plays legal moves; its comments explain its parts in the language of these messages."
        ),
        epilog=_("Exit status: 0 if the bot was written, 2 for bad arguments or a folder that is not empty."),
    )
    parser.add_argument(
        "folder",
        type=Path,
        metavar="FOLDER",
        completer=completers.complete_folder,
        help=_("a new folder, or an empty one"),
    )
    help_text = _("the programming language of the bot (default: {value})").format(value=CPP)
    parser.add_argument("--language", choices=(CPP, PYTHON), default=CPP, help=help_text)
    arguments.add_game_choice(parser)
    options = parser.parse_args(argv)
    folder = options.folder
    for name in (str(folder), folder.resolve().name):
        if printable(name) != name:  # no line could name it in a command
            parser.error(_("{path}: expected a folder name without control characters").format(path=printable(name)))
    files = bot_files(options.language, options.game, folder)
    try:
        if folder.is_dir() and any(folder.iterdir()):
            parser.error(
                _("{path} is not empty, expected a new or an empty folder").format(path=printable(str(folder)))
            )
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8")
    except OSError as error:
        parser.error(in_words(error))
    player, game_option = _player(options.language, str(folder)), _game_option(options.game)
    line = _("a bot for {game} was written to {folder}: {files}")
    print(line.format(folder=folder, game=_(GAMES[options.game].title), files=", ".join(files)))
    print(_("commands to run next:"))
    for command in (f"check {player}", f"play {player} {OWN_BOT}", f"match {player} {OWN_BOT} --games 10"):
        print(f"  {program.again()} {command}{game_option}")
    return 0


def bot_files(language: str, game: str, folder: Path) -> dict[str, str]:
    """Return the files of a first bot as {file name: text}.

    `language` is the bot's programming language. Comments and README are in the language of this program's messages.
    `folder` is the path of the bot's folder; the commands in the README contain the folder's name.
    """
    marks = {current_language(), language, game, *(["saiblo"] if game in REPLAYS else [])}
    paths = sorted((TEMPLATES / language / game).glob("*.*"))
    files = {path.name: choose_lines(path.read_text("utf-8"), marks) for path in paths}
    name = folder.resolve().name
    place = os.path.join(os.curdir, name) if name.startswith("-") else name
    fields = {
        "title": name,
        "game": _(GAMES[game].title),
        "first": next(iter(files)),
        "folder": shlex.quote(place),
        "copy": shlex.quote(f"{place}{COPY}"),
        "player": _player(language, name),
        "other": _player(language, f"{name}{COPY}"),
        "options": _game_option(game),
        "zip": shlex.quote(f"{name}.zip"),
        "sources": SOURCES[language] + (" *.h" if any(path.suffix == ".h" for path in paths) else ""),
        "upload": UPLOADED_AS[language],
    }
    readme = string.Template(choose_lines((TEMPLATES / README).read_text("utf-8"), marks))
    return {**files, README: readme.substitute(fields)}


def _player(language: str, folder: str) -> str:
    """Return the text that names the bot in `folder` as a player, quoted for a shell command."""
    if language == CPP:
        return shlex.quote(f"{PREFIX}{folder}")
    has_other_meaning = is_own_bot(folder) or ":" in folder or folder.startswith("-")
    return shlex.quote(os.path.join(os.curdir, folder) if has_other_meaning else folder)


def _game_option(game: str) -> str:
    """Return the option --game as part of a shell command, "" for the default game."""
    return "" if game == DEFAULT_GAME else f" --game {game}"


def choose_lines(text: str, marks: set[str]) -> str:
    """Return `text`, the content of a template, without each line that has a mark that is not in `marks`.

    The marks of the remaining lines are removed.
    """
    lines = []
    for line in text.splitlines():
        marked_line = MARKED_LINE.fullmatch(line)
        if marked_line is None:
            lines.append(line)
        elif marks.issuperset(re.findall(MARK, marked_line["marks"])):
            lines.append((marked_line["before"] + marked_line["text"]).rstrip())
    return "".join(f"{line}\n" for line in lines)
