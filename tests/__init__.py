"""Tests run on the frozen example domain (evals/example), so that they prove the guarantees in any fork."""

from evals.example import stand_in

stand_in()
