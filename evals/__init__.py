"""Evaluations run on the frozen example domain, so that they measure the guarantees in any fork."""

from evals.example import stand_in

stand_in()
