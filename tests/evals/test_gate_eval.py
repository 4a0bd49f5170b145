"""The gate on our own labelled messages."""

from pathlib import Path

from evals.gate import evaluate


def test_our_labelled_messages() -> None:
    """On the project's own labelled file: recall at least 0.98, at most a quarter of the others inline."""
    tally = evaluate(Path(__file__).parents[2] / "evals" / "data" / "gate_cases.jsonl")
    result = tally.result()
    assert result["messages"] >= 150
    assert result["recall"] >= 0.98, [c for c in tally.wrong if c["urgent"]]
    assert result["inline_other"] <= 0.25, [c for c in tally.wrong if not c["urgent"]]
