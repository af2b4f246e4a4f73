from orkernel.testing import SelectionRuleConformance


class TestMaxMin(SelectionRuleConformance):
    name = "max-min"


class TestMean(SelectionRuleConformance):
    name = "mean"


class TestFirst(SelectionRuleConformance):
    name = "first"
