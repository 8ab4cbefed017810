"""The reasons why games end: templates for sentences, which records store as {code, fields}.

language.from_data() converts the stored form back to the sentence. Reasons that follow from the rules of one game are
in the module of that game. Records contain the codes, so a code must never change. The wording may change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from judge.language import from_data, recorded
from protocol.errors import FrameTooLong, RemoteProtocolError

if TYPE_CHECKING:  # doctor runs where msgspec is missing
    from protocol.records.record import GameRecord

# `side` is A or B, or PLAYER if a single player runs without an opponent.
PLAYER = recorded("it")
WON = recorded("{side} {ending}", "won")  # `ending` is the result of the game's ending()
RESIGNED = recorded("{side} resigned", "resigned")
SENT_OUT_OF_TURN = recorded("{side} sent bytes out of turn", "out_of_turn")
NO_REPLY = recorded("{side}: {error}", "no_reply")
PRINTED = recorded(
    '{side} printed "{text}" on stdout where a reply was due; stdout is for replies alone, other text belongs on '
    "stderr ({error})",
    "printed",
)
PRINTED_OUT_OF_TURN = recorded(
    '{side} printed "{text}" on stdout out of turn; stdout is for replies alone, other text belongs on stderr',
    "printed_out_of_turn",
)
TOOK_TOO_LONG = recorded("{side} took {elapsed} s, over the limit of {limit} s", "took_too_long")
SAID_NOTHING = recorded("{side} said nothing for {elapsed} s, over the limit of {limit} s", "said_nothing")
# Used if the clock did not run for `kept` s because the player could not run. The clock shows `counted` s.
TOOK_TOO_LONG_BY_CLOCK = recorded(
    "{side} took {counted} s by its clock, over the limit of {limit} s: {elapsed} s passed, and for {kept} s of them "
    "the machine ran other programs",
    "took_too_long_by_clock",
)
SAID_NOTHING_BY_CLOCK = recorded(
    "{side} said nothing for {counted} s by its clock, over the limit of {limit} s: {elapsed} s passed, and for "
    "{kept} s of them the machine ran other programs",
    "said_nothing_by_clock",
)
TOO_MUCH_MEMORY = recorded("{side} held {held} MB of memory, over the limit of {limit} MB", "too_much_memory")
ENDED = recorded("{side} {end}", "ended")
CLOSED_STDOUT = recorded("closed its stdout", "closed_stdout")
BY_SIGNAL = recorded("was ended by signal {number}", "by_signal")
BY_NAMED_SIGNAL = recorded("was ended by signal {number} ({name}, {meaning})", "by_named_signal")
WITH_STATUS = recorded("ended with status {status}", "with_status")
# shown() prefers these templates if the field `side` is PLAYER, because not every language has a space after "it".
OF_PLAYER = (
    recorded("it {end}"),
    recorded("it sent bytes out of turn"),
    recorded("it took {elapsed} s, over the limit of {limit} s"),
    recorded("it said nothing for {elapsed} s, over the limit of {limit} s"),
    recorded(
        'it printed "{text}" on stdout where a reply was due; stdout is for replies alone, other text belongs on '
        "stderr ({error})"
    ),
    recorded('it printed "{text}" on stdout out of turn; stdout is for replies alone, other text belongs on stderr'),
    recorded(
        "it took {counted} s by its clock, over the limit of {limit} s: {elapsed} s passed, and for {kept} s of them "
        "the machine ran other programs"
    ),
    recorded(
        "it said nothing for {counted} s by its clock, over the limit of {limit} s: {elapsed} s passed, and for "
        "{kept} s of them the machine ran other programs"
    ),
    recorded("it held {held} MB of memory, over the limit of {limit} MB"),
)
# Replies that break the protocol.
OF_BYTES = recorded("{field}: expected {expected}, received {received}", "wrong_bytes")
OF_LENGTHS = (
    recorded("frame length", "frame_length"),
    recorded("at most {number} bytes", "at_most_bytes"),
    recorded("{number} bytes", "bytes"),
)
# Failures of the judge and its machine.
JUDGE_FAILED = recorded("the judge failed: {error}", "judge_failed")
JUDGE_WAS_LATE = recorded("the judge woke up {late} s late while {side} was to move", "judge_was_late")
NOT_RUN = recorded("the machine did not run {side} for {kept} s of its turn", "not_run")
KEEPER_GONE = recorded("the program that starts and ends bots is gone", "keeper_gone")
NO_PROCESS = recorded("cannot start a process: {error}", "no_process")
# Errors in a player's command.
WRONG_COMMAND = recorded("{command}: {error}", "wrong_command")
EMPTY_COMMAND = recorded("the command is empty, expected a program and its arguments", "empty_command")
# Why there is no sandbox.
SANDBOX_TURNED_OFF = recorded("turned off by --sandbox off", "sandbox_turned_off")
SANDBOX_NOT_ON_LINUX = recorded("bubblewrap is for Linux", "sandbox_not_on_linux")
SANDBOX_NOT_INSTALLED = recorded("bubblewrap is not installed", "sandbox_not_installed")
SANDBOX_REFUSED = recorded("bubblewrap does not work here: {words}", "sandbox_refused")
SANDBOX_FAILED = recorded("bubblewrap failed: {words}", "sandbox_failed")
SANDBOX_TOO_SLOW = recorded("the trial takes over {limit} s", "sandbox_too_slow")
ENDS_WITH_STATUS = recorded("the trial ends with status {status}", "ends_with_status")
# Imported games of other programs.
AS_LOGGED = recorded("the imported file says: {words}", "as_logged")
AS_LOGGED_ALONE = recorded("the imported file gives no reason", "as_logged_alone")
UNFINISHED = recorded("the imported file ends before the game is over", "unfinished")
ILLEGAL_LAST = recorded("{side} made an illegal move: {error}", "illegal_last")
VOID_BY_FILE = recorded("the imported file says that the game does not count", "void_by_file")
# Texts of other programs (signals, Linux, shlex). Such a text is translated if it is the whole text of a field.
OF_OTHERS = (
    recorded("Aborted"),
    recorded("Bus error"),
    recorded("Floating point exception"),
    recorded("Illegal instruction"),
    recorded("Killed"),
    recorded("Segmentation fault"),
    recorded("Terminated"),
    recorded("Exec format error"),
    recorded("No such file or directory"),
    recorded("Permission denied"),
    recorded("No closing quotation"),
    recorded("No escaped character"),
)


def reason_of(record: GameRecord) -> str:
    """Return the English sentence that says why the game ended, or "" if the record has no reason.

    shown() translates it if the record has it as a Sentence; games that `convert` has written have only its text.
    """
    return from_data(record.extra.get("reason", ""))


def reason_as_json(record: GameRecord) -> dict[str, Any]:
    """Return a part of a JSON object that gives a game's reason: the sentence, its code and its fields.

    If the record has only a text, the code is None and the fields are {}.
    """
    reason = record.extra.get("reason", "")
    code_and_fields = reason if isinstance(reason, dict) else {"code": None, "fields": {}}
    return {
        "reason": reason_of(record) + "",
        "reason_code": code_and_fields["code"],
        "reason_fields": code_and_fields["fields"],
    }


def protocol_error_in_words(error: RemoteProtocolError) -> str:
    """Return the sentence that says which part of a reply is wrong, what was expected and what was received."""
    field, at_most, length = OF_LENGTHS
    if not isinstance(error, FrameTooLong):
        return OF_BYTES.format(field=error.field, expected=error.expected, received=error.received)
    # The error has texts such as "at most 2048 bytes". They are made from templates here, for shown() to translate.
    most = error.expected.removeprefix("at most ").removesuffix(" bytes")
    number = error.received.removesuffix(" bytes")
    received = length.format(number=number) if number.isdecimal() else error.received
    return OF_BYTES.format(field=field, expected=at_most.format(number=most), received=received)
