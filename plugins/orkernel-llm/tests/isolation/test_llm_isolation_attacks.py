"""Every attack, in every way to isolate: contained, told in words, and the host goes on."""

from __future__ import annotations

import re

import pytest
from llm_isolation_attacks import ATTACKS, Attack
from llm_isolation_host import SMALL, Host, Recorded, still_computes

from orkernel_llm.isolation import Sandbox


@pytest.mark.parametrize("attack", ATTACKS, ids=[attack.name for attack in ATTACKS])
def test_attack_is_contained_and_told(attack: Attack, backend: Recorded, host: Host) -> None:
    """`host` checks at its end that nothing of it was touched."""
    with Sandbox(SMALL, backend) as sandbox:
        sandbox.put(host.variables())
        executed = sandbox.run(attack.code, attack.seconds)
        alive = sandbox.alive
    told = f"{executed.value} {executed.stopped} {executed.error} {executed.output}"
    assert host.secret not in told
    assert "ESCAPED" not in executed.output
    assert re.search(attack.told, told), told[:2000]
    assert attack.stops is None or alive is not attack.stops
    assert backend.survivors() == []
    if attack.stops is not False:
        assert still_computes(backend)


def test_the_corpus_has_at_least_forty_attacks_with_names_of_their_own() -> None:
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS) >= 40
