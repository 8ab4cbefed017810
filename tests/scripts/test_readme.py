"""README and the pages in docs/: their commands exist and take the options shown, in both languages.

That their links lead somewhere is shown where the site is built, test_docs_site.py.
"""

import contextlib
import functools
import io
import itertools
import os
import re
import runpy
import sys
import warnings
from unittest import mock

import pytest

from judge.__main__ import ANALYZE, BOT
from judge.cli.commands import COMMANDS, OVERVIEW, module_of
from judge.players import players
from judge.players.players import Entry
from tests.places import REPOSITORY
from tests.scripts.helpers import markdown

READMES = ("README.md", "README.zh.md")
MOST_PICTURE_BYTES = 150_000
BOT_PAGE = "docs/bot.md"
ALONE = ("CONTRIBUTING.md",)  # pages outside docs/ that are in English only
OPTION = re.compile(r"--[a-z][a-z0-9-]*")
SCRIPT = re.compile(r"(?<![\w/.])(?:scripts|\.ci)/\w+")
PACKAGE = re.compile(r'run_package" (\w+(?:\.\w+)*)')  # that a script starts
OF_THEN = ("docs/results.md", "scripts/strength")  # runs name the command that they were made by
COMMANDS_OF_SCRIPTS = {"scripts/play": "play", "scripts/read_match_record": "import", "scripts/logic": "logic"}
WITH_SUBCOMMANDS = {"judge": 1, "bot": 1, "measurement": 2}  # how many words at most


def chinese(page):
    """The Chinese page to an English one."""
    return page.replace("docs/", "docs/zh/") if page.startswith("docs/") else page.removesuffix(".md") + ".zh.md"


DOCS = sorted(path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "docs").glob("*.md"))
ENGLISH = [page for page in (READMES[0], *DOCS) if (REPOSITORY / chinese(page)).exists()]
PAIRED = sorted([*ENGLISH, *map(chinese, ENGLISH)])
EXPERIMENTS = sorted(path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "docs/experiments").glob("*.md"))
ALL = sorted({*READMES, *DOCS, *PAIRED, *ALONE, *EXPERIMENTS})


def lines_of(page):
    """The command lines that a page shows, as lists of words."""
    return markdown.command_lines(REPOSITORY / page)


def package_of(script):
    """The package that a file in scripts/ starts, None if it is no such file."""
    path = REPOSITORY / script
    found = PACKAGE.search(path.read_text("utf-8")) if script.startswith("scripts/") and path.exists() else None
    return found and found.group(1)


def started(words):
    """(package, subcommand or None, the other words) of a command of ours that --help can be asked of, else None."""
    words = list(words)
    if words[0] == "dropfour":
        package, rest = ("judge", words[1:])
        if rest[:1] == [BOT]:
            package, rest = "bot", rest[1:]
        elif rest[:1] == [ANALYZE]:
            package = "bot"
    elif words[:2] == ["python", "-m"] and words[2] in ("judge", "bot"):
        package, rest = words[2], words[3:]
    elif words[0] in COMMANDS_OF_SCRIPTS:
        package, rest = "judge", [COMMANDS_OF_SCRIPTS[words[0]], *words[1:]]
    elif package_of(words[0]):
        package, rest = package_of(words[0]), words[1:]
    else:
        return None
    most = WITH_SUBCOMMANDS.get(package, 0)
    subcommands = list(itertools.takewhile(re.compile("[a-z]").match, rest[:most]))
    return package, " ".join(subcommands) or None, rest[len(subcommands) :]


@functools.cache
def help_of(package, *words):
    """What the help of a package says behind these words, of all options; asked for once, in this process."""
    is_of_judge = package == "judge" and words[:1] and words[0] in COMMANDS
    output, words = io.StringIO(), [*words, "--help-all" if is_of_judge else "--help"]
    with (
        contextlib.redirect_stdout(output),
        mock.patch.object(sys, "argv", [package, *words]),
        warnings.catch_warnings(),
        pytest.raises(SystemExit) as ended,
    ):
        warnings.simplefilter("ignore")  # of a module that a test has imported
        if is_of_judge:
            __import__(module_of(words[0]), fromlist=["main"]).main(words[1:])
        else:
            runpy.run_module(package, run_name="__main__")
    assert not ended.value.code, words
    return output.getvalue()


def options_of(*words):
    """The options that this --help names."""
    return set(OPTION.findall(help_of(*words)))


OWN_COMMANDS = sorted(
    {
        tuple(words)
        for page in PAIRED
        for line in lines_of(page)
        for words in markdown.commands_in(line)
        if words and started(words) is not None
    }
)


def test_both_languages_show_the_same_commands():
    for page in ENGLISH:
        assert lines_of(page) == lines_of(chinese(page)), page
    assert lines_of(READMES[0])[:2] == [["scripts/play"], ["scripts/test"]]


def test_every_command_of_the_judge_is_shown():
    shown = [started(words)[:2] for words in OWN_COMMANDS]
    assert {command for package, command in shown if package == "judge" and command} == set(COMMANDS)


def test_every_command_has_the_options_shown():
    for words in OWN_COMMANDS:
        package, subcommand, others = started(words)
        game = others[others.index("--game") :][:2] if "--game" in others else []  # which has options of its own
        if any(word.isdigit() for word in game):
            game = []  # it is the number of a recorded one
        known = options_of(package, *(subcommand or "").split(), *game)
        shown = {word for word in others if word.startswith("--")}
        assert shown <= known | {"--help", "--version"}, " ".join(words)


def test_the_help_of_every_command_names_its_page_which_is_there_in_both_languages():
    assert READMES[0] == OVERVIEW
    for command, page in ((name, command.page) for name, command in COMMANDS.items()):
        assert help_of("judge", command).splitlines()[-1] == f"More: {page}"
        assert page in ENGLISH, command
    for command in ((), ("analyze",), ("bench",), ("presets",)):
        assert BOT_PAGE in help_of("bot", *command)


def test_pages_in_two_languages_link_to_each_other_and_from_their_readme():
    for page in ENGLISH:
        for one, other, readme in ((page, chinese(page), READMES[0]), (chinese(page), page, READMES[1])):
            assert os.path.relpath(other, os.path.dirname(one)) in markdown.links(REPOSITORY / one), one
            if page != READMES[0]:
                assert one in markdown.links(REPOSITORY / readme)
                assert os.path.relpath(readme, os.path.dirname(one)) in markdown.links(REPOSITORY / one), one
    assert {page for page in DOCS if page not in PAIRED} <= set(markdown.links(REPOSITORY / READMES[0]))


def test_pictures_are_small():
    for page in ALL:
        for link in markdown.links(REPOSITORY / page):
            if link.endswith((".svg", ".png")):
                assert ((REPOSITORY / page).parent / link).stat().st_size < MOST_PICTURE_BYTES, link


def test_every_script_named_exists():
    for page in ALL:
        for name in SCRIPT.findall((REPOSITORY / page).read_text("utf-8")):
            if (page, name) == OF_THEN:
                continue
            path = REPOSITORY / name
            assert path.is_dir() or path.with_suffix(".py").exists() or os.access(path, os.X_OK), (page, name)


def test_the_players_file_shown_can_be_read(tmp_path):
    for page in ("docs/players.md", "docs/zh/players.md"):
        (content,) = markdown.code_blocks(REPOSITORY / page, "toml")
        path = tmp_path / "players.toml"
        path.write_text(content, "utf-8")
        assert players.read_players_file(path) == {
            "wide": Entry("'bot@HEAD~1:puct-basic' --iterations 20000 --set exploration=5.0 --memory 400"),
            "best-sample": Entry(f"lib:{tmp_path / '../samples/100.so'}"),
            "mine": Entry(f"src:{tmp_path / '../connect4/v8'}"),
            "random": Entry("python engines/random_mover.py --seed {seed}", tmp_path),
        }


def test_every_bot_option_in_the_table_exists():
    for page in (BOT_PAGE, chinese(BOT_PAGE)):
        first_cells = re.findall(r"^\| (`--.*?) \|", (REPOSITORY / page).read_text("utf-8"), re.MULTILINE)
        listed = [option for cell in first_cells for option in OPTION.findall(cell)]
        assert len(listed) >= 10
        assert set(listed) <= options_of("bot"), page
