"""What the documentation's tests read out of its pages: code blocks, commands, links."""

import itertools
import re
import shlex

CODE_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
INNER_COMMAND = re.compile(r"\$\(([^)]*)\)")
VARIABLE = re.compile(r"[A-Z_]+=.*")
ENDS = ("|", "<", ">", "&&", ";")  # of a command on its line
EXTERNAL = ("http://", "https://", "mailto:")


def code_blocks(path, language):
    """The contents of the page's code blocks in a language."""
    return [content for marked, content in CODE_BLOCK.findall(path.read_text("utf-8")) if marked == language]


def command_lines(path):
    """The lines of the page's shell blocks, without comments, as lists of words."""
    lines = [line for block in code_blocks(path, "sh") for line in block.splitlines()]
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def commands_in(words):
    """The commands on a line, each as its words: those in $(..) too, without variables before and pipes behind."""
    inner = [shlex.split(text) for word in words for text in INNER_COMMAND.findall(word)]
    own = list(itertools.dropwhile(VARIABLE.fullmatch, words))
    ends = [index for index, word in enumerate(own) if word in ENDS]
    return [*inner, own[: ends[0]] if ends else own]


def links(path):
    """The page's links to other files of the repository and to headings, as they are written."""
    text = CODE_BLOCK.sub("", path.read_text("utf-8"))
    return [link for link in LINK.findall(text) if not link.startswith(EXTERNAL)]
