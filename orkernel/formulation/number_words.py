"""Vocabulary of numbers in English: what `orkernel.formulation.numbers` looks up."""

from __future__ import annotations


def _words(text: str) -> list[str]:
    return text.split()


SMALL = {
    word: value
    for value, word in enumerate(
        _words(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
            "fifteen sixteen seventeen eighteen nineteen"
        )
    )
}
"""Zero to nineteen."""
TENS = {
    word: 10 * value
    for value, word in enumerate(
        _words("twenty thirty forty fifty sixty seventy eighty ninety"), start=2
    )
}
"""Twenty to ninety."""
SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
"""Words that multiply what stands before them."""
MAGNITUDES = SCALES | {"dozen": 12.0, "mn": 1e6, "mio": 1e6, "bn": 1e9}
"""Words and abbreviations that may follow digits: `3.5 million`."""
GLUED_MAGNITUDES = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "bn": 1e9, "mn": 1e6}
"""Letters that may touch digits: `25k`."""
PARTS = {
    word: denominator
    for denominator, words in {
        2: "half halves",
        3: "third thirds",
        4: "quarter quarters fourth fourths",
        5: "fifth fifths",
        6: "sixth sixths",
        7: "seventh sevenths",
        8: "eighth eighths",
        9: "ninth ninths",
        10: "tenth tenths",
        100: "hundredth hundredths",
    }.items()
    for word in words.split()
}
"""Names of fractions and their denominators."""
MULTIPLES = {
    "twice": 2.0,
    "double": 2.0,
    "doubled": 2.0,
    "thrice": 3.0,
    "triple": 3.0,
    "tripled": 3.0,
    "quadruple": 4.0,
}
"""Words for two, three and four times."""
CONVERSIONS: dict[str, tuple[float, ...]] = {
    word: factors
    for words, factors in {
        "s sec second seconds": (1 / 60, 1 / 3600),
        "min minute minutes": (60, 1 / 60),
        "h hr hrs hour hours": (60, 3600, 1 / 24),
        "day days": (24, 1440, 1 / 7),
        "week weeks": (7, 168),
        "month months": (30, 1 / 12),
        "year years": (12, 52, 365),
        "mg g gram grams": (1e-3, 1e-6),
        "kg kilo kilos kilogram kilograms": (1e3, 1e-3),
        "t ton tons tonne tonnes": (1e3,),
        "oz ounce ounces": (1 / 16,),
        "lb lbs pound pounds": (16,),
        "mm cm": (1e-1, 1e-2, 1e-3),
        "m metre metres meter meters": (1e2, 1e3, 1e-3),
        "km kilometre kilometres kilometer kilometers": (1e3,),
        "inch inches": (1 / 12,),
        "ft foot feet": (12,),
        "ml millilitre millilitres milliliter milliliters": (1e-3,),
        "l litre litres liter liters": (1e3,),
        "kw mw kwh mwh": (1e3, 1e-3),
        "cent cents": (1e-2,),
        "dollar dollars euro euros": (1e2,),
    }.items()
    for word in words.split()
}
"""Per unit word, factors to units that a modeller may have used instead."""
LABELLED = frozenset(
    _words(
        "product item type machine plant factory site model option group phase step stage table "
        "figure fig section chapter exercise problem question part day week month year period "
        "quarter shift node city route job task team zone region grade class worker employee "
        "line store warehouse customer supplier project facility location category level "
        "ingredient food plan season scenario lot batch truck vehicle crew market district "
        "school room asset source destination mill farm field process resource constraint "
        "equation page version number no nr id code tier priority rank round stop gate lane "
        "pump tank reactor server mine depot station activity operation order flight center "
        "centre"
    )
)
"""Nouns that a number behind them names rather than counts: `Product 3`."""
MONTHS = frozenset(
    _words(
        "january february march april may june july august september october november december "
        "jan feb mar apr jun jul aug sep sept oct nov dec"
    )
)
"""Names and short names of months."""
BEFORE_YEAR = MONTHS | frozenset(("in", "since", "during", "year", "fiscal", "until", "fy"))
"""Words that make a number from 1900 to 2099 behind them a year."""
AFTER_YEAR = frozenset(_words("the a an and to was is we it they our or there this"))
"""Words that may follow a year directly but hardly a quantity."""
CURRENCY_CODES = frozenset(_words("usd us eur gbp rs inr cny jpy chf cad aud"))
"""Codes that may touch an amount: `USD100`."""
