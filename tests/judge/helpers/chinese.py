"""The judge in Chinese: for processes of their own, and in the test's own process."""

import contextlib
import gettext
import re

import pytest

from judge import language
from tests.judge.helpers.scripted import judge_environment

HAN = re.compile(r"[\u4e00-\u9fff]")


def chinese_environment(**variables):
    """The environment of somebody in China, whose system may lack the locale."""
    environment = judge_environment(LANG="zh_CN.UTF-8", **variables)
    del environment["LC_ALL"]
    return environment


@contextlib.contextmanager
def in_chinese(**variables):
    """The judge speaks as these variables say, Chinese without any, in this process."""
    domain = gettext.textdomain()
    with pytest.MonkeyPatch.context() as patch:
        for name in language.VARIABLES:
            patch.delenv(name, raising=False)
        for name, value in (variables or {"LANG": "zh_CN.UTF-8"}).items():
            patch.setenv(name, value)
        try:
            language.use()
            yield
        finally:
            gettext.textdomain(domain)
