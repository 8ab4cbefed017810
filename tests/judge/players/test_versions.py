import os
import subprocess

from judge.players import versions


def git(folder, *words):
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@b", *words], check=True)


def test_the_version_of_a_checkout_says_whether_it_was_changed_and_leaves_its_index_alone(tmp_path, monkeypatch):
    """git writes the index anew where a file's time has changed, under a lock that outlives a killed judge."""
    monkeypatch.setattr(versions, "CHECKOUT", tmp_path)
    file, index = tmp_path / "a.txt", tmp_path / ".git" / "index"
    file.write_text("one\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "a.txt")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    kept, whole = index.read_bytes(), versions.own_version.__wrapped__()
    assert versions.DIRTY not in whole
    os.utime(file, (0, 0))
    assert versions.own_version.__wrapped__() == whole
    file.write_text("two\n")
    assert versions.own_version.__wrapped__().startswith(f"{whole}{versions.DIRTY}+")
    assert index.read_bytes() == kept
