"""A report as a page."""

from pathlib import Path

from bromeliad.analysis.pages import write_page
from bromeliad.analysis.plots import plots
from bromeliad.analysis.report import Report
from bromeliad.analysis.report_tables import report_note, report_tables
from bromeliad.i18n import tr

__all__ = ["write_report"]


def write_report(path: str | Path, report: Report) -> None:
    """Write a page with the tables and plots of a report."""
    write_page(
        path,
        "report.html",
        title=tr("Report"),
        note=report_note(report),
        plots=plots(report),
        tables=report_tables(report),
    )
