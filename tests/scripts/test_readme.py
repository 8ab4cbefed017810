"""README and the pages in docs/: their commands exist and take the options shown, in both languages; links lead on."""

import functools
import os
import re
import subprocess
import sys

import pytest

from judge.__main__ import BOT
from judge.command_line.pages import OVERVIEW, PAGES
from judge.command_table import COMMANDS
from judge.players import players_file
from judge.players.players_file import Entry
from tests.places import REPOSITORY
from tests.scripts.helpers import markdown

READMES = ("README.md", "README.zh.md")
MOST_LINES = 120  # of a README
LARGEST_PICTURE = {".svg": 60_000, ".png": 150_000}
BOT_PAGE = "docs/bot.md"
ALONE = ("CONTRIBUTING.md",)  # pages outside docs/ that are in English only
OPTION = re.compile(r"--[a-z][a-z0-9-]*")
SCRIPT = re.compile(r"(?<![\w/.])(?:scripts|\.ci)/\w+")
PACKAGE = re.compile(r'run_package" (\w+(?:\.\w+)*)')  # that a script starts
COMMANDS_OF_SCRIPTS = {"scripts/play": "play", "scripts/read_match_record": "import", "scripts/logic": "logic"}
WITH_SUBCOMMANDS = ("judge", "bot", "strength_suite")


def chinese(page):
    """The Chinese page to an English one."""
    return page.replace("docs/", "docs/zh/") if page.startswith("docs/") else page.removesuffix(".md") + ".zh.md"


DOCS = sorted(path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "docs").glob("*.md"))
ENGLISH = [page for page in (READMES[0], *DOCS) if (REPOSITORY / chinese(page)).exists()]
PAIRED = sorted([*ENGLISH, *map(chinese, ENGLISH)])
ALL = sorted({*READMES, *DOCS, *PAIRED, *ALONE})


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
        package, rest = ("bot", words[2:]) if words[1:2] == [BOT] else ("judge", words[1:])
    elif words[:2] == ["python", "-m"] and words[2] in ("judge", "bot"):
        package, rest = words[2], words[3:]
    elif words[0] in COMMANDS_OF_SCRIPTS:
        package, rest = "judge", [COMMANDS_OF_SCRIPTS[words[0]], *words[1:]]
    elif package_of(words[0]):
        package, rest = package_of(words[0]), words[1:]
    else:
        return None
    has_subcommand = package in WITH_SUBCOMMANDS and rest and not rest[0].startswith("-")
    return package, rest[0] if has_subcommand else None, rest[1:] if has_subcommand else rest


@functools.cache
def help_of(package, *words):
    """What --help of a package says behind these words; asked for once."""
    own = ["-m", package] if package in ("judge", "bot") else [str(REPOSITORY / "scripts" / "run_module.py"), package]
    command = [sys.executable, *own, *words, "--help"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


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


@pytest.mark.parametrize("page", ENGLISH)
def test_both_languages_show_the_same_commands(page):
    assert lines_of(page) == lines_of(chinese(page))


@pytest.mark.parametrize("page", READMES)
def test_a_readme_is_short_and_opens_with_a_picture_and_two_commands(page):
    text = (REPOSITORY / page).read_text("utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert text.index("](docs/pictures/") < text.index("```")
    assert lines_of(page)[:2] == [["scripts/play"], ["scripts/test"]]
    assert "dropfour match src:../v7 src:../v8" in text


def test_every_command_of_the_judge_is_shown():
    shown = [started(words)[:2] for words in OWN_COMMANDS]
    assert {command for package, command in shown if package == "judge" and command} == set(COMMANDS)


@pytest.mark.parametrize("words", OWN_COMMANDS, ids=" ".join)
def test_every_command_has_the_options_shown(words):
    package, subcommand, others = started(words)
    game = others[others.index("--game") :][:2] if "--game" in others else []  # which has options of its own
    if any(word.isdigit() for word in game):
        game = []  # it is the number of a recorded one
    known = options_of(package, *filter(None, [subcommand]), *game)
    assert {word for word in others if word.startswith("--")} <= known | {"--help", "--version"}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_names_its_page_which_is_there_in_both_languages(command):
    page = PAGES[command]
    assert help_of("judge", command).splitlines()[-1] == f"More: {page}"
    assert page in ENGLISH


def test_only_commands_have_pages():
    assert set(PAGES) == set(COMMANDS)
    assert READMES[0] == OVERVIEW


@pytest.mark.parametrize("command", [(), ("analyze",), ("bench",), ("presets",)])
def test_the_bots_help_names_its_page(command):
    assert BOT_PAGE in help_of("bot", *command)


@pytest.mark.parametrize("page", ALL)
def test_every_link_leads_to_a_file_and_a_heading(page):
    path = REPOSITORY / page
    for link in markdown.links(path):
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), link
        if anchor:
            assert anchor in markdown.anchors(target), link


@pytest.mark.parametrize("page", ENGLISH)
def test_pages_in_two_languages_link_to_each_other_and_from_their_readme(page):
    for one, other, readme in ((page, chinese(page), READMES[0]), (chinese(page), page, READMES[1])):
        assert os.path.relpath(other, os.path.dirname(one)) in markdown.links(REPOSITORY / one)
        if page != READMES[0]:
            assert one in markdown.links(REPOSITORY / readme)
            assert os.path.relpath(readme, os.path.dirname(one)) in markdown.links(REPOSITORY / one)


def test_every_page_can_be_reached_from_the_readme():
    assert {page for page in DOCS if page not in PAIRED} <= set(markdown.links(REPOSITORY / READMES[0]))


def test_pictures_are_small():
    shown = {
        (REPOSITORY / page).parent / link
        for page in ALL
        for link in markdown.links(REPOSITORY / page)
        if link.endswith(tuple(LARGEST_PICTURE))
    }
    assert shown
    for picture in shown:
        assert picture.stat().st_size < LARGEST_PICTURE[picture.suffix]


@pytest.mark.parametrize("page", ALL)
def test_every_script_named_exists(page):
    for name in SCRIPT.findall((REPOSITORY / page).read_text("utf-8")):
        path = REPOSITORY / name
        assert path.is_dir() or path.with_suffix(".py").exists() or os.access(path, os.X_OK), name


@pytest.mark.parametrize("page", ["docs/players.md", "docs/zh/players.md"])
def test_the_players_file_shown_can_be_read(page, tmp_path):
    (content,) = markdown.code_blocks(REPOSITORY / page, "toml")
    path = tmp_path / "players.toml"
    path.write_text(content, "utf-8")
    assert players_file.read(path) == {
        "wide": Entry("'bot@HEAD~1:puct-basic' --iterations 20000 --set exploration=5.0 --memory 400"),
        "best-sample": Entry(f"lib:{tmp_path / '../samples/100.so'}"),
        "mine": Entry(f"src:{tmp_path / '../connect4/v8'}"),
        "random": Entry("python engines/random_mover.py --seed {seed}", tmp_path),
    }


@pytest.mark.parametrize("page", [BOT_PAGE, chinese(BOT_PAGE)])
def test_every_bot_option_in_the_table_exists(page):
    text = (REPOSITORY / page).read_text("utf-8")
    first_cells = re.findall(r"^\| (`--.*?) \|", text, re.MULTILINE)
    listed = [option for cell in first_cells for option in OPTION.findall(cell)]
    assert len(listed) >= 10
    assert set(listed) <= options_of("bot")
