"""Cells of the tables in docs/results.md."""

from strength_suite.report import tables


def test_the_report_tells_how_the_machine_was():
    old = {"games": 2}
    assert (tables.machine_state(old), tables.short_of_core(old)) == ("not measured", "not measured")
    idle = {"machine": {"state": "idle"}, "short_of_core": {"A": 0.001, "B": None, "bound": 0.02, "warning": False}}
    assert (tables.machine_state(idle), tables.short_of_core(idle)) == ("idle", "0.1%/-")
    busy = {"machine": {"state": "busy"}, "short_of_core": {"A": 0.021, "B": 0.0, "bound": 0.02, "warning": True}}
    assert (tables.machine_state(busy), tables.short_of_core(busy)) == ("busy", "2.1%/0.0% (!)")
    unknown = {"machine": {"state": None}, "short_of_core": {"A": None, "B": None, "bound": 0.02, "warning": False}}
    assert (tables.machine_state(unknown), tables.short_of_core(unknown)) == ("not measured", "not measured")
