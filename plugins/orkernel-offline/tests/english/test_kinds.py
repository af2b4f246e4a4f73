"""Blends, knapsacks, tables, ranges and differences, each solved from rows written by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from orkernel.formulation.check import check
from orkernel.formulation.load import parse_formulation
from orkernel.formulation.provenance import locate, provenance_diagnostics
from orkernel_offline.english import Unreadable, readings

First = Callable[[str], dict[str, Any]]
Optimum = Callable[[dict[str, Any]], float]


@dataclass(frozen=True)
class Case:
    """A statement and its model by hand: rows are (lower, coefficients, upper)."""

    statement: str
    sense: str
    cost: Sequence[float]
    rows: Sequence[tuple[float, Sequence[float], float]]
    domain: str

    def optimum(self) -> float:
        sign = -1.0 if self.sense == "max" else 1.0
        lower, matrix, upper = (list(column) for column in zip(*self.rows, strict=True))
        answer = milp(
            sign * np.array(self.cost),
            constraints=LinearConstraint(np.array(matrix), lower, upper),
            integrality=np.full(len(self.cost), float(self.domain != "continuous")),
            bounds=Bounds(0, 1 if self.domain == "binary" else np.inf),
        )
        assert answer.status == 0
        return float(sign * answer.fun)


INF = np.inf

BLENDS: dict[str, Case] = {
    "alloy": Case(
        "A foundry melts alloy X and alloy Y. Alloy X contains 30% copper and costs $4 per kg. "
        "Alloy Y contains 60% copper and costs $7 per kg. The blend must contain at least 40% "
        "copper. The foundry must make 500 kg of blend. How many kilograms of each alloy should "
        "be used to minimize the cost?",
        "min", [4, 7], [(0, [0.3 - 0.4, 0.6 - 0.4], INF), (500, [1, 1], INF)], "continuous",
    ),
    "feed-range": Case(
        "A farmer mixes oats, peas and hay. Oats contain 11% protein and cost $0.30 per kg, peas "
        "contain 23% protein and cost $0.55 per kg, and hay contains 8% protein and costs $0.12 "
        "per kg. The mixture must contain between 12% and 15% protein. At least 30 kg of oats must "
        "be used. Exactly 200 kg of the mixture are needed. How many kilograms of each should be "
        "mixed to minimize the cost?",
        "min", [0.30, 0.55, 0.12],
        [(0, [-0.01, 0.11, -0.04], INF), (-INF, [-0.04, 0.08, -0.07], 0), (30, [1, 0, 0], INF),
         (200, [1, 1, 1], 200)], "continuous",
    ),
    "content-of": Case(
        "A juice maker blends lime syrup and mango syrup. The sugar content of lime syrup is 20% "
        "and the sugar content of mango syrup is 45%. Lime syrup costs $2 per liter and mango "
        "syrup costs $1.50 per liter. The blend may contain at most 30% sugar. At least 400 liters "
        "of blend must be made. Minimize the cost.",
        "min", [2, 1.5], [(-INF, [-0.1, 0.15], 0), (400, [1, 1], INF)], "continuous",
    ),
    "two-qualities": Case(
        "A mill blends soil A and soil B. Each tonne of soil A costs $30 and each tonne of soil B "
        "costs $50. Soil A contains 10% clay and 40% sand. Soil B contains 35% clay and 15% sand. "
        "The blend must contain at least 20% clay and at most 32% sand. The mill needs 60 tonnes "
        "of the blend. How many tonnes of each soil should be blended to minimize the cost?",
        "min", [30, 50],
        [(0, [-0.1, 0.15], INF), (-INF, [0.08, -0.17], 0), (60, [1, 1], INF)], "continuous",
    ),
    "limited-stock": Case(
        "A dairy mixes cream and milk. Cream contains 36% fat and milk contains 4% fat. Cream "
        "costs $5 per liter and milk costs $1 per liter. There are at most 90 liters of cream. The "
        "mixture must contain at least 12% fat. The dairy must make 300 liters of the mixture. "
        "How many liters of cream and milk minimize the cost?",
        "min", [5, 1], [(-INF, [1, 0], 90), (0, [0.24, -0.08], INF), (300, [1, 1], INF)],
        "continuous",
    ),
    "octane": Case(
        "A refinery blends light crude and heavy crude. Light crude has an octane rating of 96 and "
        "heavy crude has an octane rating of 84. Light crude costs $80 per barrel and heavy crude "
        "costs $55 per barrel. The blend must have an octane rating of at least 89. The refinery "
        "needs at least 1000 barrels of blend. How many barrels of each should be used to minimize "
        "the cost?",
        "min", [80, 55], [(0, [7, -5], INF), (1000, [1, 1], INF)], "continuous",
    ),
    "percent-table": Case(
        "A plant blends scrap metals. At least 1000 kg of blend must be made. The blend must "
        "contain at least 45% iron and at most 10% zinc.\n\n"
        "| scrap | iron (%) | zinc (%) | cost ($ per kg) |\n|---|---|---|---|\n"
        "| red | 30 | 4 | 0.5 |\n| grey | 70 | 15 | 0.9 |\n| black | 55 | 8 | 1.1 |\n\n"
        "How many kilograms of each scrap should be used to minimize the cost?",
        "min", [0.5, 0.9, 1.1],
        [(0, [-0.15, 0.25, 0.10], INF), (-INF, [-0.06, 0.05, -0.02], 0), (1000, [1, 1, 1], INF)],
        "continuous",
    ),
    "two-ranges": Case(
        "A wine maker blends dry wine and sweet wine. Dry wine contains 12% alcohol and 1% sugar. "
        "Sweet wine contains 9% alcohol and 8% sugar. The blend must contain at least 10% alcohol "
        "and between 3% and 5% sugar. Dry wine costs $6 per liter and sweet wine costs $3 per "
        "liter. She must make 300 liters of blend. Minimize the cost.",
        "min", [6, 3],
        [(0, [0.02, -0.01], INF), (0, [-0.02, 0.05], INF), (-INF, [-0.04, 0.03], 0),
         (300, [1, 1], INF)], "continuous",
    ),
    "profit-blend": Case(
        "A roaster blends mild beans and strong beans. Mild beans contain 1% caffeine and strong "
        "beans contain 3% caffeine. A kilogram of mild beans earns a profit of $4 and a kilogram "
        "of strong beans earns a profit of $6. The blend must contain at most 2% caffeine. At most "
        "80 kg of blend can be sold. How many kilograms of each maximize the profit?",
        "max", [4, 6], [(-INF, [-0.01, 0.01], 0), (-INF, [1, 1], 80)], "continuous",
    ),
}  # fmt: skip

KNAPSACKS: dict[str, Case] = {
    "hiker": Case(
        "A hiker can carry at most 15 kg. A tent weighs 4 kg and is worth 60 points, a stove "
        "weighs 2 kg and is worth 30 points, a rope weighs 3 kg and is worth 25 points, a camera "
        "weighs 5 kg and is worth 70 points and a sled weighs 8 kg and is worth 95 points. Which "
        "items should be taken to maximize the total points?",
        "max", [60, 30, 25, 70, 95], [(-INF, [4, 2, 3, 5, 8], 15)], "binary",
    ),
    "table": Case(
        "A hiker packs a rucksack that holds at most 15 kg. The items are:\n\n"
        "| item | weight (kg) | worth |\n|---|---:|---:|\n| tent | 6 | 90 |\n| stove | 3 | 40 |\n"
        "| rope | 4 | 45 |\n| camera | 2.5 | 38 |\n| lamp | 1 | 11 |\n\n"
        "Which items should be taken to maximize the total worth?",
        "max", [90, 40, 45, 38, 11], [(-INF, [6, 3, 4, 2.5, 1], 15)], "binary",
    ),
    "budget": Case(
        "A town can fund projects with a budget of $90,000. The bridge costs $40,000 and brings a "
        "benefit of 70 points. The park costs $25,000 and brings a benefit of 45 points. The "
        "library costs $35,000 and brings a benefit of 55 points. The pool costs $50,000 and "
        "brings a benefit of 80 points. Which projects should be funded to maximize the total "
        "benefit?",
        "max", [70, 45, 55, 80], [(-INF, [40, 25, 35, 50], 90)], "binary",
    ),
    "two-limits": Case(
        "A van takes cargo of at most 900 kg and at most 6 cubic meters.\n\n"
        "| cargo | weight (kg) | volume (m3) | revenue ($) |\n|---|---|---|---|\n"
        "| organ | 500 | 3 | 700 |\n| piano | 300 | 2 | 450 |\n| harp | 200 | 2.5 | 390 |\n"
        "| drums | 150 | 1.5 | 260 |\n\nWhich cargo should be taken to maximize the revenue?",
        "max", [700, 450, 390, 260],
        [(-INF, [500, 300, 200, 150], 900), (-INF, [3, 2, 2.5, 1.5], 6)], "binary",
    ),
    "not-both": Case(
        "A firm can invest at most $100,000. The wind project costs $60,000 and yields a profit of "
        "$18,000. The solar project costs $45,000 and yields a profit of $15,000. The hydro "
        "project costs $40,000 and yields a profit of $12,000. The wind project and the solar "
        "project cannot both be chosen. Which projects should be chosen to maximize the profit?",
        "max", [18000, 15000, 12000], [(-INF, [60, 45, 40], 100), (-INF, [1, 1, 0], 1)], "binary",
    ),
    "must": Case(
        "A crew packs a boat that carries at most 40 kg. The anchor weighs 15 kg and is worth 10 "
        "points, the net weighs 12 kg and is worth 30 points, the stove weighs 8 kg and is worth "
        "18 points and the tent weighs 18 kg and is worth 42 points. The anchor must be taken. "
        "Which items should be taken to maximize the points?",
        "max", [10, 30, 18, 42], [(-INF, [15, 12, 8, 18], 40), (1, [1, 0, 0, 0], INF)], "binary",
    ),
    "one-of": Case(
        "A crew packs a boat that carries at most 40 kg. The anchor weighs 15 kg and is worth 10 "
        "points, the net weighs 12 kg and is worth 30 points, the stove weighs 8 kg and is worth "
        "18 points and the tent weighs 18 kg and is worth 42 points. At most one of the net and "
        "the tent can be taken. Which items should be taken to maximize the points?",
        "max", [10, 30, 18, 42], [(-INF, [15, 12, 8, 18], 40), (-INF, [0, 1, 0, 1], 1)], "binary",
    ),
    "count": Case(
        "An editor has 60 pages. The essay takes 20 pages and attracts 300 readers, the comic "
        "takes 10 pages and attracts 200 readers, the novel takes 35 pages and attracts 520 "
        "readers and the quiz takes 5 pages and attracts 60 readers. At most 60 pages can be "
        "printed. At least 3 pieces must be chosen. Which pieces should be chosen to maximize the "
        "number of readers?",
        "max", [300, 200, 520, 60], [(-INF, [20, 10, 35, 5], 60), (3, [1, 1, 1, 1], INF)],
        "binary",
    ),
    "carry": Case(
        "A thief can carry 20 kg. A vase weighs 8 kg and is worth $500. A clock weighs 6 kg and is "
        "worth $400. A painting weighs 10 kg and is worth $700. A statue weighs 12 kg and is worth "
        "$800. Which objects should he take to maximize the total value?",
        "max", [500, 400, 700, 800], [(-INF, [8, 6, 10, 12], 20)], "binary",
    ),
    "works": Case(
        "A museum can show at most 4 works. It has 40 square meters of wall.\n\n"
        "| work | wall (square meters) | visitors |\n|---|---|---|\n| mural | 20 | 900 |\n"
        "| portrait | 4 | 250 |\n| sketch | 2 | 120 |\n| relief | 12 | 600 |\n| map | 6 | 280 |\n"
        "\nWhich works should be shown to maximize the number of visitors?",
        "max", [900, 250, 120, 600, 280],
        [(-INF, [20, 4, 2, 12, 6], 40), (-INF, [1, 1, 1, 1, 1], 4)], "binary",
    ),
    "what-to-pack": Case(
        "A diver has a bag that holds at most 9 kg. Fins weigh 3 kg and are worth 50 points, a "
        "mask weighs 1 kg and is worth 35 points, a torch weighs 2 kg and is worth 20 points and a "
        "tank weighs 7 kg and is worth 90 points. What should she pack to maximize the points?",
        "max", [50, 35, 20, 90], [(-INF, [3, 1, 2, 7], 9)], "binary",
    ),
}  # fmt: skip

TABLES: dict[str, Case] = {
    "resources-down": Case(
        "A joiner makes chairs, tables and desks. At least 5 desks must be made.\n\n"
        "| | chair | table | desk | available |\n|---|---|---|---|---|\n"
        "| oak (m) | 3 | 8 | 7 | 200 |\n| work (hours) | 2 | 5 | 6 | 120 |\n"
        "| profit ($) | 30 | 80 | 85 | |\n\nHow many of each should be made to maximize profit?",
        "max", [30, 80, 85],
        [(-INF, [3, 8, 7], 200), (-INF, [2, 5, 6], 120), (5, [0, 0, 1], INF)], "integer",
    ),
    "products-down": Case(
        "A potter makes bowls, jugs and vases. The clay, the kiln time and the profit of each are:"
        "\n\n| product | clay (kg) | kiln (hours) | profit ($) |\n|---|---|---|---|\n"
        "| bowl | 2 | 1 | 9 |\n| jug | 3 | 2 | 15 |\n| vase | 5 | 4 | 26 |\n"
        "| available | 120 | 80 | |\n\nAt most 10 vases can be sold. How many of each product "
        "should be made to maximize profit?",
        "max", [9, 15, 26],
        [(-INF, [2, 3, 5], 120), (-INF, [1, 2, 4], 80), (-INF, [0, 0, 1], 10)], "integer",
    ),
    "diet": Case(
        "A cook plans a soup from lentils, barley and kale.\n\n"
        "| food | protein (g) | iron (mg) | cost ($) |\n|---|---|---|---|\n"
        "| lentils | 24 | 7 | 0.9 |\n| barley | 12 | 3 | 0.4 |\n| kale | 4 | 2 | 0.7 |\n"
        "| minimum | 90 | 24 | |\n\nHow many portions of each food should the cook use to minimize "
        "the cost?",
        "min", [0.9, 0.4, 0.7], [(90, [24, 12, 4], INF), (24, [7, 3, 2], INF)], "integer",
    ),
    "item-limits": Case(
        "A printer sells cards, posters and books. There are 500 sheets of paper.\n\n"
        "| item | paper (sheets) | profit ($) | minimum | maximum |\n|---|---|---|---|---|\n"
        "| card | 1 | 0.5 | 50 | 200 |\n| poster | 2 | 1.2 | 10 | 100 |\n"
        "| book | 9 | 6 | 5 | 60 |\n\nHow many of each item should be printed to maximize profit?",
        "max", [0.5, 1.2, 6],
        [(-INF, [1, 2, 9], 500), (50, [1, 0, 0], 200), (10, [0, 1, 0], 100), (5, [0, 0, 1], 60)],
        "integer",
    ),
    "limits-in-text": Case(
        "A brewer makes ale and stout.\n\n"
        "| beer | malt (kg) | hops (kg) | profit |\n|:--|--:|--:|--:|\n"
        "| ale | 5 | 0.2 | $40 |\n| stout | 8 | 0.15 | $55 |\n\n"
        "There are 400 kg of malt and 12 kg of hops. At least 10 units of stout must be made. How "
        "many units of each beer should be made to maximize profit?",
        "max", [40, 55], [(-INF, [5, 8], 400), (-INF, [0.2, 0.15], 12), (10, [0, 1], INF)],
        "integer",
    ),
    "resource-table": Case(
        "A tailor sews coats and suits. A coat takes 3 meters of wool and 4 meters of lining. A "
        "suit takes 4 meters of wool and 2 meters of lining. A coat earns $70 and a suit earns "
        "$65.\n\n"
        "| cloth | available (m) |\n|---|---|\n| wool | 120 |\n| lining | 100 |\n\n"
        "How many of each should be sewn to maximize earnings?",
        "max", [70, 65], [(-INF, [3, 4], 120), (-INF, [4, 2], 100)], "integer",
    ),
    "budget-in-text": Case(
        "A station buys ads. Its budget is $7,000.\n\n"
        "| channel | cost ($) | viewers |\n|---|---|---|\n| radio | 300 | 5000 |\n"
        "| screen | 450 | 8500 |\n| paper | 200 | 2600 |\n\n"
        "At most 8 screen ads can be bought. How many ads of each channel should be bought to "
        "maximize the number of viewers?",
        "max", [5000, 8500, 2600], [(-INF, [300, 450, 200], 7000), (-INF, [0, 1, 0], 8)],
        "integer",
    ),
    "two-materials": Case(
        "A shop makes three products from two materials.\n\n"
        "| material | desk | lamp | rack | stock |\n|---|---|---|---|---|\n"
        "| wood (kg) | 9 | 1 | 4 | 300 |\n| steel (kg) | 2 | 3 | 5 | 200 |\n\n"
        "The profit per desk is $50, the profit per lamp is $14 and the profit per rack is $33. At "
        "least 10 racks must be made. How many of each should be made to maximize profit?",
        "max", [50, 14, 33],
        [(-INF, [9, 1, 4], 300), (-INF, [2, 3, 5], 200), (10, [0, 0, 1], INF)], "integer",
    ),
    "foods-below": Case(
        "A dietitian plans a meal using the foods below. The meal must have at least 600 calories, "
        "at least 30 grams of protein and at most 20 grams of fat.\n\n"
        "| Food | Calories | Protein (g) | Fat (g) | Cost ($) |\n|---|---|---|---|---|\n"
        "| Rice | 200 | 4 | 1 | 0.3 |\n| Chicken | 250 | 27 | 8 | 1.5 |\n"
        "| Beans | 150 | 9 | 1 | 0.4 |\n\nHow many servings of each food minimize the cost?",
        "min", [0.3, 1.5, 0.4],
        [(600, [200, 250, 150], INF), (30, [4, 27, 9], INF), (-INF, [1, 8, 1], 20)], "integer",
    ),
    "machines": Case(
        "Parts are drilled and turned.\n\n"
        "| part | drill (minutes) | lathe (minutes) | profit ($) |\n|---|---|---|---|\n"
        "| bolt | 4 | 6 | 3 |\n| gear | 9 | 5 | 5 |\n| limit | 480 | 400 | |\n\n"
        "At least twice as many bolts as gears must be made. How many parts of each kind should be "
        "made to maximize profit?",
        "max", [3, 5], [(-INF, [4, 9], 480), (-INF, [6, 5], 400), (0, [1, -2], INF)], "integer",
    ),
}  # fmt: skip

_SHOP = (
    "A shop makes stools and shelves. A stool takes 3 planks and a shelf takes 5 planks. There are "
    "150 planks. {} A stool earns $20 and a shelf earns $36. How many of each should be made to "
    "maximize earnings?"
)


def _shop(words: str, *rows: tuple[float, Sequence[float], float]) -> Case:
    planks = (-INF, [3, 5], 150)
    return Case(_SHOP.format(words), "max", [20, 36], [planks, *rows], "integer")


RANGES: dict[str, Case] = {
    "between": _shop("Between 10 and 30 stools must be made.", (10, [1, 0], 30)),
    "between-two": _shop(
        "Between 10 and 30 stools and between 8 and 12 shelves must be made.",
        (10, [1, 0], 30), (8, [0, 1], 12),
    ),
    "number-between": _shop(
        "The number of shelves must be between 4 and 9.", (4, [0, 1], 9)
    ),
    "total-between": _shop(
        "The total number of stools and shelves must be between 10 and 25.", (10, [1, 1], 25)
    ),
    "more-than": _shop(
        "At least 5 more stools than shelves must be made.", (5, [1, -1], INF)
    ),
    "fewer": _shop("At least 4 fewer shelves than stools must be made.", (4, [1, -1], INF)),
    "at-most-more": _shop("At most 6 more shelves than stools can be made.", (-INF, [-1, 1], 6)),
    "number-more": _shop(
        "The number of stools must be at least 10 more than the number of shelves.",
        (10, [1, -1], INF),
    ),
    "exceed-by": _shop(
        "The number of stools must exceed the number of shelves by at least 7.",
        (7, [1, -1], INF),
    ),
    "exactly-more": _shop("Exactly 2 more stools than shelves must be made.", (2, [1, -1], 2)),
}  # fmt: skip

CASES = {
    f"{kind}-{name}": case
    for kind, cases in (
        ("blend", BLENDS),
        ("knapsack", KNAPSACKS),
        ("table", TABLES),
        ("range", RANGES),
    )
    for name, case in cases.items()
}


@pytest.mark.parametrize("name", CASES)
def test_the_first_reading_has_the_optimum_of_the_rows(
    name: str, first: First, optimum: Optimum
) -> None:
    case = CASES[name]
    formulation = first(case.statement)
    assert optimum(formulation) == pytest.approx(case.optimum(), rel=1e-6)
    assert formulation["variables"][0]["domain"] == case.domain


@pytest.mark.parametrize("name", CASES)
def test_the_kernel_accepts_every_reading_with_all_its_quotes(name: str) -> None:
    statement = CASES[name].statement
    for reading in readings(statement):
        formulation = locate(parse_formulation(reading.formulation), statement)
        assert check(formulation) == []
        found = provenance_diagnostics(formulation, statement)
        assert [d for d in found if d.code != "unused-number"] == []


@pytest.mark.parametrize("name", CASES)
def test_no_number_can_be_changed_without_the_model_noticing(
    name: str, no_number_is_lost: Callable[[str], None]
) -> None:
    no_number_is_lost(CASES[name].statement)


@pytest.mark.parametrize("name", CASES)
def test_no_limit_or_goal_can_be_reversed_without_the_model_noticing(
    name: str, no_direction_is_lost: Callable[[str], None]
) -> None:
    no_direction_is_lost(CASES[name].statement)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("blend-alloy", "at least 40% copper", "at least 40% tin"),
        ("blend-alloy", "The blend must", "Alloy Z contains 10% copper. The blend must"),
        ("blend-alloy", "Alloy Y contains 60% copper and costs", "Alloy Y costs"),
        ("knapsack-hiker", "at most 15 kg", "at most 15 liters"),
        ("knapsack-hiker", "a rope weighs 3 kg", "a rope weighs 3 kg and 200 grams"),
        ("knapsack-must", "The anchor must", "If the net is taken, the anchor must"),
        ("knapsack-must", "The anchor must be taken.", "The anchor cannot be taken."),
        ("knapsack-not-both", "cannot both be chosen", "must both be chosen"),
        ("knapsack-not-both", "and the solar project cannot", "or the solar project must"),
        ("table-resources-down", "| oak (m) | 3 |", "| oak (m) | some |"),
        ("table-resources-down", "| oak (m) |", "| oak (m per 10) |"),
        ("table-resources-down", "| profit ($) | 30 |", "| profit ($) | |"),
        ("table-resources-down", "available |", "colour |"),
        ("table-diet", "| minimum |", "| mean |"),
        ("table-item-limits", "| minimum |", "| demand |"),
        ("table-products-down", "| available | 120 | 80 | |", "| available | 120 | 80 | 7 |"),
        ("table-resource-table", "| lining | 100 |", "| thread | 100 |"),
        ("range-between", "Between 10 and 30 stools", "Between 10 and 30 lamps"),
        ("range-more-than", "5 more stools than shelves", "5 more stools than lamps"),
        ("range-more-than", "5 more stools than shelves", "5 more stools"),
        ("range-exceed-by", "by at least 7", "by 7"),
        ("range-exceed-by", "must exceed", "must not exceed"),
    ],
)
def test_a_near_miss_is_refused_with_its_place(name: str, old: str, new: str) -> None:
    statement = CASES[name].statement
    assert old in statement
    with pytest.raises(Unreadable) as refusal:
        readings(statement.replace(old, new))
    assert refusal.value.reason
    assert refusal.value.spans


def test_contradicting_ends_of_a_range_are_refused() -> None:
    with pytest.raises(Unreadable, match="contradict"):
        readings(_SHOP.format("Between 30 and 10 stools must be made."))


def test_things_that_may_be_taken_several_times_are_counted(first: First) -> None:
    statement = KNAPSACKS["hiker"].statement.replace(
        "Which items should be taken", "How many of each item should be taken"
    )
    assert first(statement)["variables"][0]["domain"] == "integer"


@pytest.mark.parametrize(
    "question",
    [
        "Which products should be made to maximize earnings?",
        "Which combination of stools and shelves maximizes earnings?",
        "What should be made to maximize earnings?",
        "Which products should be made, and how many of each, to maximize earnings?",
    ],
)
def test_which_products_to_make_asks_for_amounts(first: First, question: str) -> None:
    statement = _SHOP.format("").replace(
        "How many of each should be made to maximize earnings?", question
    )
    assert question in statement
    assert first(statement)["variables"][0]["domain"] == "integer"


def test_which_items_to_take_with_a_limit_above_one_is_refused() -> None:
    statement = KNAPSACKS["hiker"].statement.replace(
        "Which items", "At most 2 ropes can be taken. Which items"
    )
    with pytest.raises(Unreadable, match="how many of each"):
        readings(statement)


def test_what_is_mixed_carries_its_unit(first: First) -> None:
    (variable,) = first(BLENDS["alloy"].statement)["variables"]
    assert (variable["domain"], variable["unit"]) == ("continuous", "kilogram")
