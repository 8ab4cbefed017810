"""scripts/strength and runs of before the presets were called by what they are."""

from tests.scripts.helpers.strength_command import info, succeed


def test_a_run_of_before_the_presets_new_names_is_found_and_goes_on(tmp_path):
    old, new = "slice1+move_seconds=0.003:seed001+move_seconds=0.003", "puct-basic+move_seconds=0.003:uct-fresh-tree"
    words = ("--games", 2, "--limit", 10, "--jobs", 2, "--oversubscribe")
    succeed(tmp_path, "presets", "--pairs", old, *words)
    name = "match_slice1+move-seconds=0.003_seed001+move-seconds=0.003_10s"
    assert info(tmp_path, name)["asked"]["players"][0] == "slice1+move_seconds=0.003"
    again = ("presets", "--pairs", f"{new}+move_seconds=0.003")
    assert "done already" in succeed(tmp_path, *again, *words, "--resume")
    assert "done already" not in succeed(tmp_path, *again, "--games", 4, *words[2:], "--resume")
    assert info(tmp_path, name)["lines"] == 4
    assert [path.name for path in (tmp_path / "results").glob("*.json")] == [f"{name}.json"]
    succeed(tmp_path, "report")
    assert (
        "| puct-basic+move_seconds=0.003 | uct-fresh-tree+move_seconds=0.003 |" in (tmp_path / "results.md").read_text()
    )
