"""The scorer `self-confidence`: how far the language model itself trusts a formulation.

One call for each candidate that passes the checks. What the checks refuse cannot be selected, and
is not shown to the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from orkernel.records import DIMENSIONS, Evaluation, Score
from orkernel_llm.client import Prompt, client_of
from orkernel_llm.prompting import render
from orkernel_llm.scoring.consistency import consistent
from orkernel_llm.scoring.judgement import SCHEMA, one_line, read_judgement
from orkernel_llm.scoring.view import diagnostics_text, formulation_text, trial_text

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.records import Candidate, Problem

NAME = "self-confidence"
PROMPT = "score-1"


class SelfConfidenceScorer:
    """Asks the run's language model for findings and four numbers."""

    def score(
        self,
        problem: Problem,
        candidate: Candidate,
        peers: Sequence[Candidate],
        ctx: RunContext,
    ) -> Evaluation:
        """Judge one candidate by itself; peers are not shown.

        Raises:
            Malformed: The answer has no four numbers from 0 to 100.
            PluginError: The model did not answer; see `orkernel_llm.failures`.
            UsageError: There is no language model, or the user has to change something.
            Cancelled: The user interrupted.
        """
        del peers
        formulation = candidate.formulation
        if formulation is None or candidate.refused:
            reason = one_line(candidate.refused) or "no formulation"
            return _nothing(f"not judged: {reason}")
        statement = problem.statement or formulation.statement
        messages = render(
            PROMPT,
            statement=statement,
            formulation=formulation_text(formulation),
            diagnostics=diagnostics_text(candidate),
            trial=trial_text(problem, candidate),
        )
        prompt = Prompt(PROMPT, "evaluate", messages, SCHEMA)
        client = client_of(ctx)
        reply = client.ask(prompt, ctx)
        judgement = read_judgement(reply.value, reply.text, client.name)
        judged = consistent(judgement, formulation, statement)
        return Evaluation(NAME, judged.scores, judged.findings)


def _nothing(reason: str) -> Evaluation:
    return Evaluation(NAME, {dimension: Score(0.0, reason) for dimension in DIMENSIONS})
