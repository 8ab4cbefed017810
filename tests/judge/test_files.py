"""Files and folders of others: what is read of them, how far folders are walked, and that they can be removed."""

import os

import pytest

from judge import files
from judge.files import Unsuitable

LARGE = 300 * 10**9


@pytest.fixture
def sparse(tmp_path):
    """A file of zeros that takes no room."""
    path = tmp_path / "sparse"
    path.touch()
    os.truncate(path, LARGE)
    return path


def all_parts(path, most):
    return b"".join(files.parts(path, most))


@pytest.mark.parametrize("read", [files.content, files.require_file, all_parts])
def test_what_is_no_file_or_too_large_is_named_and_not_read(tmp_path, sparse, read):
    (tmp_path / "folder").mkdir()
    for name, target in {"zero": "/dev/zero", "kernel": "/proc/self/environ"}.items():
        (tmp_path / name).symlink_to(target)
    for name, error in [
        ("sparse", "sparse has 300,000,000,000 bytes, expected at most 1,000"),
        ("zero", "zero: expected a file, got a device"),
        ("kernel", "kernel: expected a file, got a file of the kernel"),
    ]:
        with pytest.raises(Unsuitable) as refused:
            read(tmp_path / name, 1000)
        assert str(refused.value) == f"{tmp_path}/{error}"
    with pytest.raises(OSError, match="folder"):
        read(tmp_path / "folder", 1000)
    (tmp_path / "text").write_text("text")
    assert read(tmp_path / "text", 4) in (b"text", None, (4).to_bytes(8, "big") + b"text")


def test_a_new_file_takes_the_place_of_none(tmp_path):
    path, link = tmp_path / "new", tmp_path / "link"
    files.write_new(path, b"text")
    link.symlink_to("nowhere")
    for taken in (path, link):
        with pytest.raises(FileExistsError) as refused:
            files.write_new(taken, b"other")
        assert str(refused.value) == f"{taken} exists already, and is not overwritten"
    assert path.read_bytes() == b"text" and not link.exists()


def test_a_pipe_and_the_empty_device_may_be_read():
    reading, writing = os.pipe()
    os.write(writing, b"text")
    os.close(writing)
    assert files.content(f"/dev/fd/{reading}", 4) == b"text"
    os.close(reading)
    assert files.content("/dev/null", 0) == b""


def test_a_pipe_is_read_up_to_the_limit():
    reading, writing = os.pipe()
    os.write(writing, b"text")
    with pytest.raises(Unsuitable, match="has 4 bytes, expected at most 3"):
        files.content(f"/dev/fd/{reading}", 3)
    os.close(reading)
    os.close(writing)


def walked(root, *words):
    return [(str(inside), [entry.name for entry in entries]) for inside, entries in files.walk(root, *words)]


def test_folders_are_walked_in_order_and_links_are_not_followed(tmp_path):
    for name in ("b/x/deep", "a", ".git/objects"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "c").symlink_to("b")
    (tmp_path / "a" / "file").touch()
    found = walked(tmp_path, lambda path: not path.name.startswith(".") and len(path.parts) < 3)
    assert found == [(".", [".git", "a", "b", "c"]), ("a", ["file"]), ("b", ["x"]), ("b/x", ["deep"])]


def test_what_is_too_deep_or_too_much_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        walked(tmp_path / "none")
    tmp_path.joinpath(*["d"] * files.DEEPEST).mkdir(parents=True)
    assert len(walked(tmp_path)) == files.DEEPEST + 1
    tmp_path.joinpath(*["d"] * files.DEEPEST, "d").mkdir()
    with pytest.raises(Unsuitable, match="contains folders nested deeper than 64 levels"):
        walked(tmp_path)
    assert len(walked(tmp_path, lambda path: len(path.parts) <= files.DEEPEST)) == files.DEEPEST + 1
    with pytest.raises(Unsuitable, match="contains more than 9 files and folders"):
        walked(tmp_path, lambda path: len(path.parts) <= files.DEEPEST, 9)


def test_a_folder_of_any_depth_is_removed(memory_folder):
    """Deeper than Python's functions go, with a path longer than a system call takes, and without rights."""
    descriptor = os.open(memory_folder, os.O_RDONLY)
    os.mkdir("own", dir_fd=descriptor)
    for level in range(2500):
        below = os.open("own" if level == 0 else "d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
        os.mkdir("d", dir_fd=descriptor)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor))
        os.symlink("/", "link", dir_fd=descriptor)
        if level % 100 == 99:
            os.mkdir("closed", 0, dir_fd=descriptor)
    os.close(descriptor)
    os.chmod(memory_folder / "own", 0)
    files.remove(memory_folder / "own")
    assert list(memory_folder.iterdir()) == []
