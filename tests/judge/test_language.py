"""Which language is spoken, and texts of records in the reader's."""

import io
import signal
import string
import sys
import threading

import pytest

from judge.checks.limits import PRINTED
from judge.games.positions import IllegalMove
from judge.games.reversi.rules import Reversi
from judge.language import _, shown, speaking, spoken, templates
from judge.play.clock import TOOK_TOO_LONG
from judge.play.seat import describe_exit
from tests.judge.helpers.chinese import HAN, in_chinese
from tests.judge.helpers.scripted import PATIENCE_S


def test_the_environment_says_which_language():
    for variables, said in (
        ({"LANG": "zh_CN.UTF-8"}, "局数"),
        ({"LANG": "zh_TW.UTF-8"}, "局数"),
        ({"LANG": "zh"}, "局数"),
        ({"LANG": "en_US.UTF-8"}, "number"),
        ({"LANG": "C"}, "number"),
        ({"LANG": "de_DE.UTF-8"}, "number"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, "number"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "局数"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "局数"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "zh_CN:en"}, "局数"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "en:zh_CN"}, "number"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "de:zh_CN"}, "局数"),
        ({"LANGUAGE": ""}, "number"),
    ):
        with in_chinese(**variables):
            assert _("number") == said, variables
        assert _("number") == "number"


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_english_where_a_stream_cannot_show_chinese(monkeypatch, name):
    for encoding, said in (("ascii", "number"), ("latin-1", "number"), ("gb2312", "局数")):
        stream = io.TextIOWrapper(io.BytesIO(), encoding)
        monkeypatch.setattr(sys, name, stream)
        with in_chinese():
            assert _("number") == said, encoding
    print("█ U+2588")  # gb2312 lacks it


def reasons():
    """Reasons as records keep them, made where the judge makes them."""
    yield TOOK_TOO_LONG.format(side="B", elapsed="3.100", limit="3"), "B 用了 3.100 秒，超过时限 3 秒"
    yield f"A {describe_exit(-signal.SIGSEGV)}", "A 被信号 11 终止（SIGSEGV，段错误）"
    yield f"A {describe_exit(3)}", "A 退出，状态 3"
    yield f"B {describe_exit(None)}", "B 关闭了标准输出"
    position = Reversi(8)
    for move, translated in (
        ("d4", "A：d4 已有棋子"),
        ("a1", "A：a1 翻不了任何棋子，应为 d3 c4 f5 e6 之一"),
        ("x", "A：'x' 不是格子，应为一个字母加一个数字，如 d3"),
    ):
        with pytest.raises(IllegalMove) as raised:
            position.play(move)
        yield f"A: {raised.value}", translated
    text = "A: frame length: expected at most 2048 bytes, received 1936023922 bytes"
    yield text, "A：帧长度：应为 最多 2048 字节，收到 1936023922 字节"
    yield "no/such: No such file or directory", "no/such：没有那个文件或目录"
    yield "column 3 played after the end of the game", "第 3 列 下在对局结束之后"


def test_a_records_reason_is_shown_in_the_readers_language():
    for text, translated in reasons():
        assert shown(text) == text
        with in_chinese():
            assert shown(text) == translated


def test_what_somebody_printed_is_shown_as_it_was():
    text = PRINTED.format(text="it ended", printing=1, total=2, why="Killed")
    with in_chinese():
        assert shown(text) == '2 次试验中有 1 次打印了 "it ended"；已杀死'


def test_what_no_template_makes_is_shown_as_it_is():
    with in_chinese():
        for text in ("", "something_else", "of\x1b[31m another judge, 1 in 2 lines\nof text"):
            assert shown(text) == text


def test_every_template_comes_back_with_what_it_was_filled_with():
    with in_chinese():
        for template in templates():
            names = {name: f"<{name}>" for name in ("side", *_fields(template))}
            text = template.format(**{**names, "side": "B"})
            assert shown(text) == _(template).format(**{**names, "side": "B"})
            assert HAN.search(shown(text)) or "：" in shown(text) or template in ("{side} {ending}", "{side} {end}")


def _fields(template):
    return [name for _text, name, *_others in string.Formatter().parse(template) if name]


def test_a_text_that_nests_templates_without_end_is_shown_all_the_same():
    with in_chinese():
        for text in ("A " * 3000, "A: " * 500, "A took" + " s, over the limit of " * 80):
            assert len(shown(text)) > len(text) // 2


def test_what_a_thread_speaks_for_a_while_is_its_own():
    """A server makes texts in every language in many threads."""
    said, is_speaking, is_heard = [], threading.Event(), threading.Event()

    def speak():
        with speaking("zh"):
            is_speaking.set()
            assert is_heard.wait(PATIENCE_S)
            said.append((_("number"), spoken()))

    thread = threading.Thread(target=speak)
    thread.start()
    assert is_speaking.wait(PATIENCE_S)
    said.append((_("number"), spoken()))
    with speaking("en"):
        said.append((_("number"), spoken()))
    is_heard.set()
    thread.join()
    assert said == [("number", "en"), ("number", "en"), ("局数", "zh")]
    with in_chinese(), speaking("en"):
        assert (_("number"), spoken(), shown("B ended with status 3")) == ("number", "en", "B ended with status 3")
