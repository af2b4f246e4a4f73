"""The conformance kit of selection rules.

A rule may state how it settles ties with an attribute `ties`: `"later"` (the default) or
`"earlier"`. Whichever of two candidates it prefers, it has to prefer in any order; two that
it takes for equal it has to settle by their order, as stated.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from dataclasses import replace

from orkernel.errors import RefusedError
from orkernel.records import Candidate, Selection
from orkernel.testing.conformance.base import Conformance, Subject, conformance_test, require
from orkernel.testing.conformance.plugin_calls import cancelled, error_of, unchanged, within
from orkernel.testing.conformance.samples import candidate, pool

ROUNDS = 60
"""Random pools per test."""


def _select(subject: Subject, candidates: Sequence[Candidate], seed: int = 0) -> Selection:
    found = subject.target.select(candidates, subject.context(seed=seed))
    require(isinstance(found, Selection), f"it returns {type(found).__name__}, not a Selection")
    index = found.index
    require(type(index) is int, f"the index is {index!r}, not a whole number")
    require(
        0 <= index < len(candidates), f"index {index} is outside 0…{len(candidates) - 1}, 0-based"
    )
    chosen: Selection = found
    return chosen


def _ties(subject: Subject) -> str:
    return str(getattr(subject.target, "ties", "later"))


def _pools(*, coarse: bool = False) -> list[list[Candidate]]:
    return [pool(random.Random(seed), coarse=coarse) for seed in range(ROUNDS)]


def _reordered(candidates: Sequence[Candidate], order: Sequence[int]) -> list[Candidate]:
    return [replace(candidates[old], index=new) for new, old in enumerate(order)]


@conformance_test(added_in="0.1")
def test_a_refused_candidate_is_never_selected(subject: Subject) -> None:
    """Of random candidates, some refused with the best scores, a usable one is selected."""
    for candidates in _pools() + _pools(coarse=True):
        index = _select(subject, candidates).index
        require(not candidates[index].refused, f"it selects candidate {index}, which was refused")
    best_refused = [
        candidate(0, [[100.0] * 4], "a check failed"),
        candidate(1, [[1.0] * 4]),
        candidate(2, [[100.0] * 4], "a check failed"),
    ]
    require(
        _select(subject, best_refused).index == 1, "it does not select the only usable candidate"
    )


@conformance_test(added_in="0.1")
def test_the_index_counts_refused_candidates(subject: Subject) -> None:
    """The index is 0-based over all candidates, refused ones included."""
    for usable in range(5):
        candidates = [
            candidate(i, [[50.0] * 4], "" if i == usable else "a check failed") for i in range(5)
        ]
        index = _select(subject, candidates).index
        require(index == usable, f"the only usable candidate is {usable}; it says {index}")


@conformance_test(added_in="0.1")
def test_a_single_candidate_is_selected(subject: Subject) -> None:
    """With one candidate, scored or not, there is nothing to choose."""
    for scores in ([], [[0.0] * 4], [[100.0] * 4]):
        require(_select(subject, [candidate(0, scores)]).index == 0, "it does not select it")


@conformance_test(added_in="0.1")
def test_candidates_without_evaluations_can_be_selected(subject: Subject) -> None:
    """Without a scorer there are no evaluations; the rule still selects one."""
    candidates = [candidate(0, (), "a check failed"), candidate(1), candidate(2)]
    require(_select(subject, candidates).index in (1, 2), "it selects a refused candidate")


@conformance_test(added_in="0.1")
def test_without_a_usable_candidate_it_refuses(subject: Subject) -> None:
    """If every candidate was refused, or there is none, it raises RefusedError."""
    refused = [candidate(i, [[90.0] * 4], "a check failed") for i in range(3)]
    for candidates in (refused, refused[:1], []):
        error = error_of(lambda c=candidates: subject.target.select(c, subject.context()))  # type: ignore[misc]
        require(
            isinstance(error, RefusedError),
            f"of {len(candidates)} refused candidates it selects one, or raises "
            f"{type(error).__name__}; it has to raise RefusedError",
        )


@conformance_test(added_in="0.1")
def test_the_reason_is_given(subject: Subject) -> None:
    """The reason is a text that says something."""
    for candidates in _pools():
        reason = _select(subject, candidates).reason
        require(isinstance(reason, str) and reason.strip(), f"the reason is {reason!r}")


@conformance_test(added_in="0.1")
def test_equal_candidates_and_seed_give_the_same_selection(subject: Subject) -> None:
    """Asked twice, and asked as a new object, the rule answers the same."""
    for seed, candidates in enumerate(_pools() + _pools(coarse=True)):
        first = _select(subject, candidates, seed)
        again = subject.fresh().select(copy.deepcopy(candidates), subject.context(seed=seed))
        require(first == _select(subject, candidates, seed), "asked again it answers otherwise")
        require(first == again, "a new object of it answers otherwise")


@conformance_test(added_in="0.1")
def test_candidates_are_not_changed(subject: Subject) -> None:
    """Neither the list nor a candidate is another afterwards; a tuple does as well as a list."""
    for candidates in _pools():
        with unchanged(candidates=candidates):
            chosen = _select(subject, candidates)
        require(_select(subject, tuple(candidates)) == chosen, "a tuple gives another answer")


@conformance_test(added_in="0.1")
def test_equal_candidates_are_settled_as_stated(subject: Subject) -> None:
    """Of candidates that are equal in everything, the later (or earlier) is selected, as stated."""
    ties = _ties(subject)
    require(ties in ("earlier", "later"), f"`ties` is {ties!r}; it is 'earlier' or 'later'")
    for size in range(2, 6):
        twins = [candidate(i, [[70.0, 80.0, 90.0, 60.0]]) for i in range(size)]
        index = _select(subject, twins).index
        wanted = size - 1 if ties == "later" else 0
        require(index == wanted, f"of {size} equal candidates it selects {index}, not the {ties}")


@conformance_test(added_in="0.1")
def test_the_order_of_candidates_settles_ties_only(subject: Subject) -> None:
    """Reordered candidates give the same choice, up to candidates that the rule takes for equal."""
    later = _ties(subject) == "later"
    for seed, candidates in enumerate(_pools() + _pools(coarse=True)):
        order = list(range(len(candidates)))
        random.Random(seed).shuffle(order)
        one = _select(subject, candidates).index
        place = _select(subject, _reordered(candidates, order)).index
        other = order[place]
        if one == other:
            continue
        pair = [
            _select(subject, _reordered(candidates, p)).index for p in ((one, other), (other, one))
        ]
        require(
            pair == ([1, 1] if later else [0, 0]),
            f"candidate {one} is selected in one order of {len(candidates)}, candidate {other} in "
            f"another, though the rule prefers one of the two",
        )
        require(
            (place > order.index(one)) == later,
            f"two candidates are equal, but it selects the {'earlier' if later else 'later'}",
        )


@conformance_test(added_in="0.1")
def test_an_interrupted_run_is_not_held_up(subject: Subject) -> None:
    """After an interruption, or past the deadline, it answers or stops at once."""
    candidates = pool(random.Random(1))
    for changes in ({"cancel": cancelled()}, {"deadline": 0.0}):
        ctx = subject.context(**changes)
        within(5.0, "it", lambda c=ctx: error_of(lambda: subject.target.select(candidates, c)))  # type: ignore[misc]


class SelectionRuleConformance(Conformance, kind="selection_rules", modules=(__name__,)):
    """What a selection rule must do."""
