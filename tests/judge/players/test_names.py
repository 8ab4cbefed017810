"""What players are called where people read: their program, and what tells it from another's."""

import shutil

from msgspec import structs

from judge.players.players import LONGEST_NAME, contestants, distinct_names, short_name, short_name_of_command
from protocol.records.record import append_record, read_records
from tests.judge.helpers.scripted import WIDE_LIMIT_S, command, run_judge
from tests.places import ENGINES


def test_a_commands_name_is_its_program():
    for text, name in [
        ("./bot", "bot"),
        ("bin/bot --depth 3", "bot"),
        ("python a/v7/main.py --seed {seed}", "main.py"),
        ("/usr/bin/python3.10 -S main.py", "main.py"),
        ("env THREADS=1 python3 a/main.py x", "main.py"),
        ("python -m package.play", "package.play"),
        ("python -c 'print(1)'", "python"),
        ("shiny a.txt", "shiny"),
        ("python", "python"),
        ("", ""),
        ("no 'end", "no 'end"),
    ]:
        assert short_name_of_command(text) == name


def test_a_long_name_lacks_its_middle():
    assert short_name("x" * LONGEST_NAME) == "x" * LONGEST_NAME
    shown = short_name("begins" + "x" * 100 + "ends")
    assert len(shown) <= LONGEST_NAME
    assert shown.startswith("beginsx") and shown.endswith("xends")


def test_what_tells_players_apart_is_shown():
    for texts, shown in [
        (("python a/v7/main.py --seed {seed}", "python a/v8/main.py --seed {seed}"), ("v7/main.py", "v8/main.py")),
        (("a/v7/build/out/bot", "a/v8/build/out/bot"), ("v7/.../bot", "v8/.../bot")),
        (("a/v7/bot", "b/v7/bot"), ("a/.../bot", "b/.../bot")),
        (("x/engine", "engine"), ("x/engine", "engine")),
        (("bot.exe --depth 3 -v", "bot.exe --depth 5 -v"), ("bot.exe --depth 3", "bot.exe --depth 5")),
        (("bot.exe", "bot.exe --fast"), ("bot.exe", "bot.exe --fast")),
        (("python3.10 main.py", "python3.12 main.py"), ("python3.10 main.py", "python3.12 main.py")),
        (("v7/bot -d 1", "v7/bot -d 2", "v8/bot"), ("v7/bot -d 1", "v7/bot -d 2", "v8/bot")),
        (("v7/bot", "v7/bot", "v8/bot"), ("v7/bot", "v7/bot", "v8/bot")),
        (("src:v7/src --debug", "src:v8/src", "src:v8/src --debug"), ("v7/src", "v8/src", "v8/src --debug")),
        (("lib:a/1.so", "lib:b/1.so"), ("a/1.so", "b/1.so")),
        (("no 'end", "no 'end "), ("no 'end", "no 'end ")),
    ]:
        assert tuple(distinct_names(texts)) == shown


def test_a_program_of_the_current_folder_is_in_one(tmp_path, monkeypatch):
    for version in ("v7", "v8"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "main.py").touch()
    monkeypatch.chdir(tmp_path / "v8")
    assert distinct_names(["python main.py", "python ../v7/main.py"]) == ["v8/main.py", "v7/main.py"]


def test_only_players_of_one_name_are_told_apart(tmp_path):
    (tmp_path / "players.toml").write_text('["bot.exe"]\ncommand = "./a/bot.exe"\n')
    texts = ["b/bot.exe", "c/bot.exe", "bot.exe", "x/other", "x/other"]
    found = contestants(texts, tmp_path / "players.toml")
    assert [player.name for player in found] == ["b/bot.exe", "c/bot.exe", "bot.exe", "other", "other"]
    assert [player.command for player in found] == ["b/bot.exe", "c/bot.exe", "./a/bot.exe", "x/other", "x/other"]


def test_the_bots_options_tell_it_apart():
    texts = [f"bot --set exploration=1.25 --iterations {number} --set final_move=visits" for number in (10, 20)]
    assert [player.name for player in contestants(texts)] == ["bot --iterations 10", "bot --iterations 20"]
    (alone,) = contestants(texts[:1])
    assert len(alone.name) <= LONGEST_NAME
    assert alone.command == texts[0]


def versions(folder):
    """Two commands that differ in the folder of their script; what else there is makes them long."""
    for version in ("v7", "v8"):
        place = folder / "a-folder-of-a-rather-long-name" / version
        place.mkdir(parents=True)
        for module in ENGINES.glob("*.py"):  # a player sees no other folder's modules
            shutil.copyfile(module, place / module.name)
        (place / "first_legal.py").rename(place / "main.py")
        yield command("first_legal").replace(str(ENGINES / "first_legal.py"), str(place / "main.py"))


def test_a_run_shows_short_names_and_keeps_whole_commands(tmp_path):
    seventh, eighth = versions(tmp_path)
    words = ("--free-start", "--limit", WIDE_LIMIT_S, "--record", "m.jsonl")
    done = run_judge(tmp_path, "match", seventh, eighth, "--games", 2, *words, "--seed", 1)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"A = {seventh}\nB = {eighth}\n")
    assert done.stdout.splitlines()[-1].startswith("not decided: v7/main.py against v8/main.py: ")
    (record, _), _ = read_records(tmp_path / "m.jsonl")
    assert [(player.name, player.command) for player in record.players] == [
        ("v7/main.py", seventh),
        ("v8/main.py", eighth),
    ]


def test_a_record_of_other_names_is_resumed(tmp_path):
    """As it was begun before players were told apart by their names."""
    seventh, eighth = versions(tmp_path)
    words = ("match", seventh, eighth, "--free-start", "--limit", WIDE_LIMIT_S, "--seed", 1, "--games")
    run_judge(tmp_path, *words, 1, "--record", "m.jsonl")
    ((record,), _) = read_records(tmp_path / "m.jsonl")
    players = tuple(structs.replace(player, name="main.py") for player in record.players)
    append_record(tmp_path / "old.jsonl", structs.replace(record, players=players))
    done = run_judge(tmp_path, *words, 2, "--record", "old.jsonl", "--resume")
    assert done.returncode == 0, done.stderr
    assert [[player.name for player in record.players] for record in read_records(tmp_path / "old.jsonl")[0]] == [
        ["main.py", "main.py"],
        ["v7/main.py", "v8/main.py"],
    ]


def test_a_batch_tells_its_own_player_from_the_others(tmp_path):
    seventh, eighth = versions(tmp_path)
    done = run_judge(tmp_path, "batch", seventh, "--against", eighth, "--free-start", "--limit", WIDE_LIMIT_S)
    assert done.returncode == 0, done.stderr
    assert "v7/main.py against 1 players" in done.stdout
    assert done.stdout.startswith(f"BOT = {seventh}\n")
    assert any(line.startswith("v8/main.py ") for line in done.stdout.splitlines())
