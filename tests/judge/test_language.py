"""Which language is spoken, and texts of records in the reader's."""

import io
import json
import pickle
import signal
import string
import subprocess
import sys
import threading

import pytest

from judge.checks.limits import PRINTED
from judge.games.connect_four.rules import COLUMN
from judge.games.positions import AFTER_THE_END, IllegalMove
from judge.games.reversi.rules import Reversi
from judge.language import _, as_data, current_language, from_data, in_language, shown, templates
from judge.play.seat import describe_exit
from judge.reasons import ENDED, NO_REPLY, PLAYER, RESIGNED, TOOK_TOO_LONG, WRONG_COMMAND, protocol_error_in_words
from protocol.errors import FrameTooLong
from tests.judge.helpers.chinese import HAN, in_chinese
from tests.judge.helpers.scripted import PATIENCE_S, judge_environment


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
    for side, status, translated in (
        ("A", -signal.SIGSEGV, "A 被信号 11 终止（SIGSEGV，段错误）"),
        ("A", 3, "A 退出，状态 3"),
        ("B", None, "B 关闭了标准输出"),
        (PLAYER, 3, "它退出，状态 3"),
    ):
        yield ENDED.format(side=side, end=describe_exit(status)), translated
    position = Reversi(8)
    for move, translated in (
        ("d4", "A：d4 已有棋子"),
        ("a1", "A：a1 翻不了任何棋子，应为 d3 c4 f5 e6 之一"),
        ("x", "A：'x' 不是格子，应为一个字母加一个数字，如 d3"),
    ):
        with pytest.raises(IllegalMove) as raised:
            position.play(move)
        yield NO_REPLY.format(side="A", error=raised.value), translated
    too_long = FrameTooLong(field="frame length", expected="at most 2048 bytes", received="1936023922 bytes")
    yield (
        NO_REPLY.format(side="A", error=protocol_error_in_words(too_long)),
        "A：帧长度：应为 最多 2048 字节，收到 1936023922 字节",
    )
    yield WRONG_COMMAND.format(command="no/such", error="No such file or directory"), "no/such：没有那个文件或目录"
    yield AFTER_THE_END.format(move=COLUMN.format(column=3)), "第 3 列 下在对局结束之后"


def test_a_records_reason_is_shown_in_the_readers_language():
    for text, translated in reasons():
        assert shown(text) == text
        with in_chinese():
            assert shown(text) == translated


def test_a_reason_comes_back_from_what_a_record_keeps_of_it():
    for text, translated in reasons():
        kept = json.loads(json.dumps(as_data(text)))
        assert set(kept) == {"code", "fields"} and from_data(kept) == text
        assert as_data(from_data(kept)) == kept
        with in_chinese():
            assert shown(from_data(kept)) == translated
        assert pickle.loads(pickle.dumps(text)).fields == text.fields


def test_what_is_not_known_is_told_as_it_is():
    assert from_data("a sentence of a record before version 3") == "a sentence of a record before version 3"
    unknown = {"code": "of_tomorrow", "fields": {"side": "A", "end": {"code": "closed_stdout", "fields": {}}}}
    assert from_data(unknown) == "of_tomorrow (side: A, end: closed its stdout)"
    assert from_data({"code": "ended", "fields": {"side": "A"}}) == "ended (side: A)"
    assert from_data({"code": "of_tomorrow", "fields": {}}) == "of_tomorrow"


def test_what_somebody_printed_is_shown_as_it_was():
    text = PRINTED.format(text="it ended", printing=1, total=2, why="Killed")
    with in_chinese():
        assert shown(text) == '2 局中有 1 局选手打印了 "it ended"；已杀死'


def test_what_no_template_makes_is_shown_as_it_is():
    with in_chinese():
        for text in ("", "something_else", "of\x1b[31m another judge, 1 in 2 lines\nof text", "B ended with status 3"):
            assert shown(text) == text


def test_every_template_is_shown_with_what_it_was_filled_with():
    with in_chinese():
        for template in templates():
            text = template.format(**{name: f"<{name}>" for name in _fields(template)})
            assert all(f"<{name}>" in shown(text) for name in _fields(template))
            assert HAN.search(shown(text)) or "：" in shown(text) or template in ("{side} {ending}", "{side} {end}")


def _fields(template):
    return [name for _text, name, *_others in string.Formatter().parse(template) if name]


def test_what_a_thread_speaks_for_a_while_is_its_own():
    """A server makes texts in every language in many threads."""
    said, is_speaking, is_heard = [], threading.Event(), threading.Event()

    def speak():
        with in_language("zh"):
            is_speaking.set()
            assert is_heard.wait(PATIENCE_S)
            said.append((_("number"), current_language()))

    thread = threading.Thread(target=speak)
    thread.start()
    assert is_speaking.wait(PATIENCE_S)
    said.append((_("number"), current_language()))
    with in_language("en"):
        said.append((_("number"), current_language()))
    is_heard.set()
    thread.join()
    assert said == [("number", "en"), ("number", "en"), ("局数", "zh")]
    with in_chinese(), in_language("en"):
        text = ENDED.format(side="B", end=describe_exit(3))
        assert (_("number"), current_language(), shown(text)) == ("number", "en", "B ended with status 3")


def test_a_recorded_sentence_is_read_by_an_optimised_python_too():
    data = as_data(RESIGNED.format(side="A"))
    program = f"from judge import language, reasons; print(language.from_data({data!r}))"
    words = [sys.executable, "-O", "-c", program]
    done = subprocess.run(words, env=judge_environment(), capture_output=True, text=True, check=True)
    assert done.stdout == "A resigned\n"
