from orkernel.testing import ClassifierConformance, FormulatorConformance, ScorerConformance


class TestOffline(FormulatorConformance):
    name = "offline"


class TestEvidence(ScorerConformance):
    name = "evidence"


class TestStructure(ClassifierConformance):
    name = "structure"
