"""Word forms: lemmas of nouns, forms of verbs, and a light stem for comparing related words."""

from __future__ import annotations

from functools import lru_cache

from .lexicon import IRREGULAR_FORMS, VERBS
from .words import words

_IRREGULAR_NOUNS = {
    "people": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "feet": "foot",
    "mice": "mouse",
    "geese": "goose",
    "teeth": "tooth",
    "knives": "knife",
    "loaves": "loaf",
    "shelves": "shelf",
    "calves": "calf",
    "leaves": "leaf",
    "scarves": "scarf",
    "halves": "half",
    "wolves": "wolf",
    "lives": "life",
    "wives": "wife",
    "shoes": "shoe",
    "toes": "toe",
    "canoes": "canoe",
    "cookies": "cookie",
    "movies": "movie",
    "pies": "pie",
    "ties": "tie",
    "brownies": "brownie",
    "smoothies": "smoothie",
    "hoodies": "hoodie",
    "calories": "calorie",
    "selfies": "selfie",
    "trolleys": "trolley",
    "buses": "bus",
    "taxis": "taxi",
    "gases": "gas",
    "lenses": "lens",
    "quizzes": "quiz",
    "axes": "axe",
    "hrs": "hour",
    "hr": "hour",
    "mins": "minute",
    "min": "minute",
    "secs": "second",
    "kgs": "kg",
    "kilograms": "kg",
    "kilogram": "kg",
    "kilos": "kg",
    "grams": "gram",
    "lbs": "pound",
    "lb": "pound",
    "litres": "liter",
    "litre": "liter",
    "metres": "meter",
    "metre": "meter",
    "labour": "labor",
    "fibre": "fiber",
    "colour": "color",
    "dollars": "dollar",
}
_INVARIANT = words(
    "gas bus lens this his its plus less business glass grass pass class dress press canvas "
    "atlas series species news chess physics mathematics bonus virus campus census basis "
    "analysis always across us as is was has does goes ms mass brass process address "
    "asparagus citrus cactus hummus couscous"
)
_SUFFIX_TEXT = (
    "ations ation ators ator ions ion ings ing ments ment ants ant ents ent ers er ors or ed es al "
    "able ness ly e s y"
)
_SUFFIXES = tuple(_SUFFIX_TEXT.split())


@lru_cache(maxsize=20_000)
def lemma(word: str) -> str:
    """Return the singular, lower-case form of a noun; other words come back lower-cased."""
    low = word.lower().replace("’", "'")
    if low.endswith("'s"):
        low = low[:-2]
    elif low.endswith("s'"):
        low = low[:-1]
    head, dash, tail = low.rpartition("-")
    if dash and len(tail) > 1:
        return f"{head}-{lemma(tail)}"
    if low in _IRREGULAR_NOUNS:
        return _IRREGULAR_NOUNS[low]
    if low in _INVARIANT or len(low) <= 3 or not low.endswith("s"):
        return low
    if low.endswith(("ss", "us", "is")):
        return low
    if low.endswith("ies"):
        return low[:-3] + "y"
    if low.endswith(("ches", "shes", "xes", "sses", "zzes", "oes")):
        return low[:-2]
    return low[:-1]


def plural(word: str) -> bool:
    """Tell whether the word looks like a plural noun."""
    return lemma(word) != word.lower()


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Strip one derivational ending, so that "preparation" and "prepare" compare equal."""
    base = lemma(word)
    for suffix in _SUFFIXES:
        if base.endswith(suffix) and len(base) - len(suffix) >= 4:
            return base[: -len(suffix)]
    return base


@lru_cache(maxsize=20_000)
def related(first: str, second: str) -> bool:
    """Tell whether two lemmas are the same word up to derivation or one slip of the pen."""
    if first == second:
        return True
    if min(len(first), len(second)) < 5:
        return False
    if stem(first) == stem(second):
        return True
    return first[0] == second[0] and one_slip(first, second)


def one_slip(first: str, second: str) -> bool:
    """Tell whether one letter added, left out or exchanged makes the words equal."""
    if abs(len(first) - len(second)) > 1:
        return False
    if len(first) > len(second):
        first, second = second, first
    for index, (left, right) in enumerate(zip(first, second, strict=False)):
        if left != right:
            if len(first) == len(second):
                return first[index + 1 :] == second[index + 1 :]
            return first[index:] == second[index + 1 :]
    return True


def _regular_forms(base: str) -> dict[str, str]:
    forms = {base: "base"}
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        forms[base[:-1] + "ies"] = "s"
        forms[base[:-1] + "ied"] = "ed"
        forms[base + "ing"] = "ing"
        return forms
    forms[base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")] = "s"
    if base.endswith("e"):
        forms[base + "d"] = "ed"
        forms[base[:-1] + "ing"] = "ing"
    else:
        forms[base + "ed"] = "ed"
        forms[base + "ing"] = "ing"
        if len(base) >= 3 and _doubles(base):
            forms[base + base[-1] + "ed"] = "ed"
            forms[base + base[-1] + "ing"] = "ing"
    return forms


def _doubles(base: str) -> bool:
    """The last consonant is doubled: "ship", "shipped"."""
    short = base[-2] in "aeiou" and base[-3] not in "aeiou"
    return base[-1] in "bdgklmnprt" and short


def _verb_table() -> dict[str, tuple[str, str]]:
    table: dict[str, tuple[str, str]] = {}
    for base in sorted(VERBS):
        for form, kind in _regular_forms(base).items():
            table.setdefault(form, (base, kind))
    table.update(IRREGULAR_FORMS)
    return table


_VERB_TABLE = _verb_table()


def verb_form(word: str) -> tuple[str, str] | None:
    """Return (base, form) of a known verb form, form in base, s, ed, past, ing; else None."""
    return _VERB_TABLE.get(word.lower())
