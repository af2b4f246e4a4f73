"""The plugin's records do what their kinds of record must do, with a model that goes by rules."""

from orkernel.testing import ClassifierConformance, FormulatorConformance, ScorerConformance

RULES = "llm_rule_model:RuleModel"


class TestLlmFormulator(FormulatorConformance):
    name = "llm"
    language_model = RULES


class TestSelfConfidence(ScorerConformance):
    name = "self-confidence"
    language_model = RULES


class TestLlmClassifier(ClassifierConformance):
    name = "llm"
    language_model = RULES
