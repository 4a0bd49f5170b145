"""With REQUIRE_ALL=1 a skipped test fails: CI installs everything, so there a skip is a check that quietly went away.

Loaded by both conftest.py: `pytest_plugins = ["support.no_skips"]`.
"""

import os
from collections.abc import Generator

import pytest


def _refuse(report: pytest.TestReport | pytest.CollectReport) -> None:
    required = os.environ.get("REQUIRE_ALL", "") not in ("", "0")
    if required and report.skipped and not hasattr(report, "wasxfail"):
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"Skipped where REQUIRE_ALL=1 forbids it: {why}\nInstall what it needs; see .ci/run."


# First among the wrappers: it sees the outcome after pytest's own handling of xfail.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _refuse(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield  # a module that skips itself (importorskip) is skipped here, before it has tests
    _refuse(report)
    return report
