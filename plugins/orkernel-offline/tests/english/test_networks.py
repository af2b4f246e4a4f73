"""Transport and assignment between named sites, each solved from matrices written by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, linprog

from orkernel.formulation.check import check
from orkernel.formulation.load import parse_formulation
from orkernel.formulation.provenance import locate, provenance_diagnostics
from orkernel_offline.english import Unreadable, readings

First = Callable[[str], dict[str, Any]]
Optimum = Callable[[dict[str, Any]], float]

SHIPPING: dict[str, tuple[list[list[float]], list[float], list[float], str]] = {
    "crates": (
        [[4, 6, 9], [5, 3, 8]],
        [120, 90],
        [50, 60, 70],
        "A company ships crates from two warehouses, Norwich and Leeds, to three stores, A, B and "
        "C. Norwich has 120 crates, Leeds 90. Store A needs 50 crates, B 60 and C 70. Shipping a "
        "crate from Norwich to A costs $4, to B $6 and to C $9; from Leeds it costs $5 to A, $3 to "
        "B and $8 to C. How many crates should be sent from each warehouse to each store to "
        "minimize the total cost?",
    ),
    "grain": (
        [[12, 7.5], [9, 11], [6, 14]],
        [80, 60, 70],
        [90, 100],
        "Three silos (Brenn, Alder and Moss) send grain to two mills (Hook and Tarn). The capacity "
        "of Brenn is 80 tonnes, the capacity of Alder is 60 tonnes and the capacity of Moss is 70 "
        "tonnes. Hook must receive at least 90 tonnes and Tarn must receive at least 100 tonnes. "
        "Transport costs $12 per tonne from Brenn to Hook, $7.50 from Brenn to Tarn, $9 from Alder "
        "to Hook, $11 from Alder to Tarn, $6 from Moss to Hook and $14 from Moss to Tarn. Minimize "
        "the total transport cost.",
    ),
    "respectively": (
        [[3, 5, 4], [6, 2, 7]],
        [200, 150],
        [100, 90, 80],
        "A brewery delivers kegs from the depots Ulm and Linz to the pubs Anchor, Badger and "
        "Crown. The depots have 200 and 150 kegs respectively. The pubs need 100, 90 and 80 kegs "
        "respectively. From Ulm to Anchor, Badger and Crown a keg costs 3, 5 and 4 dollars. From "
        "Linz to Anchor, Badger and Crown a keg costs 6, 2 and 7 dollars. Find the cheapest way to "
        "deliver all kegs that are needed.",
    ),
    "per-store": (
        [[8, 4], [3, 6], [5, 5]],
        [40, 40, 40],
        [55, 45],
        "Steel is moved from three yards, yard 1, yard 2 and yard 3, to two sites, North and "
        "South. Each yard holds 40 beams. North needs 55 beams, while South needs 45 beams. To "
        "North a beam costs $8 from yard 1, $3 from yard 2 and $5 from yard 3. To South a beam "
        "costs $4 from yard 1, $6 from yard 2 and $5 from yard 3. How should the beams be moved "
        "so that the total cost is minimized?",
    ),
    "exact": (
        [[2, 9, 6], [7, 3, 4]],
        [70, 80],
        [40, 60, 50],
        "Two plants, Gera and Jena, supply three customers: Abel, Boll and Cohn. Gera can ship at "
        "most 70 pallets and Jena can ship at most 80 pallets. Abel must get exactly 40 pallets, "
        "Boll exactly 60 pallets and Cohn exactly 50 pallets. Sending a pallet from Gera costs $2 "
        "to Abel, $9 to Boll and $6 to Cohn. Sending a pallet from Jena costs $7 to Abel, $3 to "
        "Boll and $4 to Cohn. Minimize the cost.",
    ),
    "table": (
        [[11, 6, 9], [5, 8, 12]],
        [300, 250],
        [120, 180, 200],
        "A dairy ships milk from two farms, Elm and Oak, to three towns, Rudd, Sale and Tove. The "
        "costs per ton in dollars, the stock of each farm and the needs of the towns are:\n\n"
        "| farm | Rudd | Sale | Tove | stock |\n|---|---:|---:|---:|---:|\n"
        "| Elm | 11 | 6 | 9 | 300 |\n| Oak | 5 | 8 | 12 | 250 |\n| need | 120 | 180 | 200 | |\n\n"
        "How much should be shipped from each farm to each town to minimize the cost?",
    ),
    "bare-table": (
        [[7, 3], [4, 5]],
        [60, 90],
        [70, 65],
        "Pallets are shipped along these routes; the cells are the cost of a pallet:\n\n"
        "| from | Ark | Bay | available |\n|---|---|---|---|\n| Pier | $7 | $3 | 60 |\n"
        "| Quay | $4 | $5 | 90 |\n| demand | 70 | 65 | |\n\nMinimize the total cost.",
    ),
    "two-tables": (
        [[5, 9], [8, 4]],
        [45, 55],
        [50, 40],
        "Sand is shipped from two pits, Vale and Wold, to two works, Firth and Glen.\n\n"
        "| pit | supply |\n|---|---|\n| Vale | 45 |\n| Wold | 55 |\n\n"
        "Firth needs 50 loads and Glen needs 40 loads. A load from Vale costs $5 to Firth and $9 "
        "to Glen. A load from Wold costs $8 to Firth and $4 to Glen. All demands must be met. "
        "Minimize the total cost.",
    ),
    "places": (
        [[12, 10, 20], [15, 25, 18]],
        [100, 150],
        [80, 70, 60],
        "A furniture company has two factories, in Lyon and Metz, and three shops, in Paris, Nice "
        "and Lille. Lyon can supply up to 100 sofas and Metz up to 150 sofas. The shops in Paris, "
        "Nice and Lille need 80, 70 and 60 sofas respectively. The shipping cost per sofa is $12 "
        "from Lyon to Paris, $10 from Lyon to Nice, $20 from Lyon to Lille, $15 from Metz to "
        "Paris, $25 from Metz to Nice and $18 from Metz to Lille. How should the company ship "
        "the sofas at minimum cost?",
    ),
    "no-class": (
        [[7, 6, 5], [8, 9, 4]],
        [50, 70],
        [40, 30, 35],
        "A firm sends pallets from Oslo and Bergen to Rome, Milan and Turin. Oslo has 50 pallets "
        "and Bergen has 70 pallets. Rome needs 40 pallets, Milan 30 and Turin 35. From Oslo it "
        "costs $7 to Rome, $6 to Milan and $5 to Turin. From Bergen it costs $8 to Rome, $9 to "
        "Milan and $4 to Turin. Minimize the total cost.",
    ),
    "prices-first": (
        [[2, 4, 5], [3, 1, 6]],
        [120, 100],
        [60, 70, 50],
        "Goods are sent from two depots, East and West, to three stores, A, B and C. East can send "
        "120 tons, West can send 100 tons. A, B and C need 60, 70 and 50 tons. From East, shipping "
        "costs $2, $4 and $5 per ton to A, B and C respectively. From West, shipping costs $3, $1 "
        "and $6 per ton to A, B and C respectively. Minimize shipping costs.",
    ),
    "numbered": (
        [[4, 6], [5, 3]],
        [100, 120],
        [90, 110],
        "Coal is shipped from mines 1 and 2 to plants X and Y. Mine 1 produces 100 tons and mine 2 "
        "produces 120 tons. Plant X needs 90 tons and plant Y needs 110 tons. Costs per ton: mine "
        "1 to X $4, mine 1 to Y $6, mine 2 to X $5 and mine 2 to Y $3. Minimize total costs.",
    ),
}

ASSIGNING: dict[str, tuple[list[list[float]], bool, str]] = {
    "workers": (
        [[4, 6, 8], [5, 3, 7], [9, 8, 2]],
        False,
        "Three workers, Ann, Ben and Cleo, are assigned to three jobs, painting, tiling and "
        "wiring. Each worker does exactly one job and each job must be done by exactly one worker. "
        "Ann needs 4 hours for painting, 6 hours for tiling and 8 hours for wiring. Ben needs 5 "
        "hours for painting, 3 hours for tiling and 7 hours for wiring. Cleo needs 9 hours for "
        "painting, 8 hours for tiling and 2 hours for wiring. Minimize the total time.",
    ),
    "one-side": (
        [[10, 20], [15, 18]],
        False,
        "Two crews, Red and Blue, must be assigned to two bridges, Arch and Span. Each crew is "
        "assigned to exactly one bridge. Red costs $10 for Arch and $20 for Span. Blue costs $15 "
        "for Arch and $18 for Span. Minimize the total cost.",
    ),
    "profit-table": (
        [[30, 22, 41], [28, 35, 40]],
        True,
        "A club assigns two coaches, Dora and Emil, to three teams, Lions, Otters and Swans. Each "
        "coach takes exactly one team and each team gets at most one coach. The profit in dollars "
        "is:\n\n| coach | Lions | Otters | Swans |\n|---|---|---|---|\n| Dora | 30 | 22 | 41 |\n"
        "| Emil | 28 | 35 | 40 |\n\nMaximize the total profit.",
    ),
    "taxis": (
        [[4, 7], [3, 9]],
        False,
        "Two taxis, T1 and T2, are assigned to two riders, Kim and Lee. Each taxi picks up exactly "
        "one rider and each rider is picked up by exactly one taxi. The distance from T1 to Kim is "
        "4 km and to Lee 7 km; from T2 to Kim it is 3 km and to Lee 9 km. Minimize the total "
        "distance.",
    ),
    "score-table": (
        [[7, 5, 9, 4], [6, 8, 5, 7], [9, 6, 7, 5], [5, 7, 6, 8]],
        True,
        "Four nurses, Amy, Bea, Cyn and Dot, have to be assigned to four wards, ICU, ER, OR and "
        "GP. Every nurse works in exactly one ward and every ward gets exactly one nurse. The "
        "scores of the assignments are:\n\n| nurse | ICU | ER | OR | GP |\n|---|---|---|---|---|\n"
        "| Amy | 7 | 5 | 9 | 4 |\n| Bea | 6 | 8 | 5 | 7 |\n| Cyn | 9 | 6 | 7 | 5 |\n"
        "| Dot | 5 | 7 | 6 | 8 |\n\nMaximize the total score.",
    ),
}


def _transport(cost: list[list[float]], supply: list[float], demand: list[float]) -> float:
    sources, targets = len(supply), len(demand)
    rows = np.zeros((sources + targets, sources * targets))
    for i in range(sources):
        for j in range(targets):
            rows[i, i * targets + j] = 1
            rows[sources + j, i * targets + j] = -1
    answer = linprog(np.ravel(cost), A_ub=rows, b_ub=[*supply, *(-d for d in demand)])
    assert answer.status == 0
    return float(answer.fun)


@pytest.mark.parametrize("name", SHIPPING)
def test_a_transport_problem_has_the_optimum_of_its_matrix(
    name: str, first: First, optimum: Optimum
) -> None:
    cost, supply, demand, statement = SHIPPING[name]
    assert optimum(first(statement)) == pytest.approx(_transport(cost, supply, demand))


@pytest.mark.parametrize("name", ASSIGNING)
def test_an_assignment_has_the_optimum_of_its_matrix(
    name: str, first: First, optimum: Optimum
) -> None:
    values, maximize, statement = ASSIGNING[name]
    matrix = np.array(values)
    rows, columns = linear_sum_assignment(matrix, maximize=maximize)
    assert optimum(first(statement)) == pytest.approx(matrix[rows, columns].sum())


STATEMENTS = {name: entry[-1] for name, entry in (*SHIPPING.items(), *ASSIGNING.items())}


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_kernel_accepts_every_reading_with_all_its_quotes(name: str) -> None:
    statement = STATEMENTS[name]
    for reading in readings(statement):
        formulation = locate(parse_formulation(reading.formulation), statement)
        assert check(formulation) == []
        found = provenance_diagnostics(formulation, statement)
        assert [d for d in found if d.code != "unused-number"] == []


@pytest.mark.parametrize("name", STATEMENTS)
def test_no_number_can_be_changed_without_the_model_noticing(
    name: str, no_number_is_lost: Callable[[str], None]
) -> None:
    no_number_is_lost(STATEMENTS[name])


@pytest.mark.parametrize("name", STATEMENTS)
def test_no_limit_or_goal_can_be_reversed_without_the_model_noticing(
    name: str, no_direction_is_lost: Callable[[str], None]
) -> None:
    no_direction_is_lost(STATEMENTS[name])


def test_the_sets_are_named_after_the_sites(first: First) -> None:
    formulation = first(STATEMENTS["crates"])
    assert {s["name"]: s["members"] for s in formulation["sets"]} == {
        "WAREHOUSE": ["Norwich", "Leeds"],
        "STORE": ["A", "B", "C"],
    }
    (variable,) = formulation["variables"]
    assert (variable["index"], variable["unit"]) == (["WAREHOUSE", "STORE"], "crate")


def test_crates_are_whole_first_and_tonnes_divisible_first(first: First) -> None:
    assert first(STATEMENTS["crates"])["variables"][0]["domain"] == "integer"
    assert first(STATEMENTS["grain"])["variables"][0]["domain"] == "continuous"


def test_an_assignment_of_which_one_side_is_said_is_one_to_one_first() -> None:
    found = readings(STATEMENTS["one-side"])
    assert [len(reading.formulation["constraints"]) for reading in found] == [2, 1]
    assert "it is not said" in found[0].label


def test_a_limit_on_one_route_is_a_row_of_its_own(first: First, optimum: Optimum) -> None:
    statement = STATEMENTS["crates"].replace(
        "How many", "At most 40 crates can be shipped from Leeds to B. How many"
    )
    rows = [c["expression"] for c in first(statement)["constraints"]]
    assert 'ship["Leeds","B"] <= leeds_b_limit' in rows
    assert optimum(first(statement)) > optimum(first(STATEMENTS["crates"]))


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        (", to B $6 and to C $9", ", to B $6", "two warehouses"),
        ("Norwich has 120 crates, Leeds 90.", "Norwich has 120 crates.", "two warehouses"),
        ("Store A needs 50 crates, B 60 and C 70.", "Store A needs 50 crates.", "three stores"),
        ("Leeds 90.", "Hull 90.", "Norwich has 120 crates, Hull 90"),
        ("Leeds 90.", "Leeds 90. Hull has 40 crates.", "40"),
        ("Leeds 90.", "Leeds 90. Leeds has 95 crates.", "95"),
        ("B 60 and C 70.", "B 60 boxes and C 70.", "60"),
        ("minimize the total cost", "maximize the total profit", "profit"),
        ("How many", "Norwich ships more than Leeds. How many", "Norwich ships"),
        ("How many", "Leeds ships twice as much as Norwich. How many", "twice"),
        ("How many", "The total shipping cost must not exceed $400. How many", "$400"),
        ("How many", "Opening a warehouse costs $200. How many", "$200"),
        ("How many", "A truck carries 10 crates. How many", "10"),
        ("How many", "All crates must leave Leeds first. How many", "All crates"),
        ("How many", "A driver earns $90. How many", "$90"),
        ("How many", "Norwich cannot supply store C. How many", "Norwich cannot"),
        ("How many", "At most 40 crates can be shipped. How many", "40"),
        ("How many", "If Leeds ships to A, it must not ship to B. How many", "If Leeds"),
        ("How many", "At least 30% of the crates must come from Leeds. How many", "30%"),
        ("How many", "From Norwich to A it costs $5. How many", "$5"),
        ("How many", "A fixed cost of $500 is paid for Leeds. How many", "fixed"),
        ("Store A needs 50 crates", "Store A sees 50 crates", "50"),
    ],
)
def test_what_is_missing_or_unknown_is_refused_with_its_place(
    old: str, new: str, place: str
) -> None:
    statement = STATEMENTS["crates"]
    assert old in statement
    changed = statement.replace(old, new)
    with pytest.raises(Unreadable) as refusal:
        readings(changed)
    assert refusal.value.reason
    assert any(place in changed[a:b] for a, b in refusal.value.spans)


def test_a_route_is_closed_by_a_limit_of_zero(first: First) -> None:
    statement = STATEMENTS["crates"].replace(
        "How many", "At most 0 crates can be shipped from Norwich to B. How many"
    )
    rows = [c["expression"] for c in first(statement)["constraints"]]
    assert 'ship["Norwich","B"] <= norwich_b_limit' in rows


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("| Elm | 11 | 6 | 9 | 300 |", "| Elm | 11 | | 9 | 300 |"),
        ("| Elm | 11 | 6 | 9 | 300 |", "| Ash | 11 | 6 | 9 | 300 |"),
        ("| farm | Rudd |", "| farm | Hove |"),
        ("| need | 120 |", "| need | some |"),
        ("| need | 120 | 180 | 200 | |\n", ""),
        ("| stock |", "| age |"),
    ],
)
def test_a_table_with_a_gap_or_an_unknown_site_is_refused(old: str, new: str) -> None:
    statement = STATEMENTS["table"]
    assert old in statement
    with pytest.raises(Unreadable):
        readings(statement.replace(old, new))
