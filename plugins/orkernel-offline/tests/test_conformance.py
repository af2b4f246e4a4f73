from orkernel.testing import ClassifierConformance, FormulatorConformance, ScorerConformance


class TestOffline(FormulatorConformance):
    name = "offline"


class TestEvidence(ScorerConformance):
    name = "evidence"


class TestSolving(ScorerConformance):
    name = "solving"


class TestStructure(ClassifierConformance):
    name = "structure"
