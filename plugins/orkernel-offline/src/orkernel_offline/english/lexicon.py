"""Closed word classes and domain vocabulary of the English reader.

Everything here is data: adding a word never needs a change of code.
"""

from __future__ import annotations

from .words import words

DETERMINERS = words(
    "a an the this these those his her their its our your my some any all both no another such same"
)
DISTRIBUTIVES = words("each every either")
PRONOUNS = words(
    "he she it they we you i them him us himself herself itself themselves there everyone "
    "everybody anyone that which who whom whose what others one"
)
RELATIVES = words("that which who whom whose where when")
PREPOSITIONS = words(
    "of in on at by for from with into onto through between among during within without via "
    "inside across around about after before up off out toward towards under over against "
    "despite due using upon along except"
)
CONJUNCTIONS = words("and or nor but & plus")
SUBORDINATORS = words(
    "while whereas because since if although though unless therefore thus hence so whenever "
    "provided given assuming suppose however conversely whilst"
)
ADVERBS = words(
    "only also just approximately roughly exactly currently always never respectively together "
    "overall instead moreover additionally furthermore finally further then again otherwise "
    "likewise similarly meanwhile already still too very quite rather simultaneously "
    "comfortably alternatively now here even daily weekly monthly yearly annually everyday ever "
    "often usually generally typically afterwards currently altogether next last"
)
MODALS = words("can could may might must shall should will would cannot can't ought")
BE_FORMS = words("is are was were be been being am isn't aren't")
HAVE_FORMS = words("has have had having")
NEGATIONS = words("not n't never doesn't don't")

# Verbs after which "to VERB" continues the same verb group ("needs to make", "wants to keep").
CONTROL_VERBS = words(
    "want need have require decide like hope plan wish try aim prefer intend expect choose "
    "desire be able seek manage promise agree commit limit allow permit help oblige"
)

# Base forms. Forms are generated in morphology.py; irregular ones are listed below.
VERBS = words("""
    accommodate achieve acquire add administer advertise afford aim allocate allow apply
    annotate arrange assemble assign assume attend attract bake blend boil bottle bring brew build
    burn buy call carry cater cause charge choose clean collect combine comprise conduct consider
    consist construct consume contain contribute convert cook cool cost cover craft create cultivate
    cut deal decide decrease deliver demand desire determine devote discharge display distribute
    do donate drink drive dry earn eat emit employ end enjoy ensure establish exceed execute expect
    export feed
    ferment fill find finish fit fly formulate fulfill gain gather generate get give go grind
    grow guarantee handle harvest have heat help hire hold hope house impact import improve include
    incorporate increase install invest involve keep know launch lease leave let like limit load
    lose
    maintain make manage manufacture maximise maximize mean meet mill minimise minimize mix mow move
    need net obtain occupy occur offer open operate optimise optimize order organise organize own
    pack package paint pay perform pick place plan plant polish post prefer prepare press print
    process procure produce promote provide publish purchase put raise ration reach receive
    recommend record recruit reduce refine release remain remove rent repair replace require
    reserve restrict result return run sand satisfy save schedule score seat see sell send serve
    set sew ship show sort spend spray stack staff start stay stitch stock store study suggest
    supply support sustain take taste teach tend test train transport travel treat try turn use
    utilise utilize vaccinate visit wait want wash water weigh weld win work yield bear retain
    assist brings fetch demand absorb release discard possess host dedicate devise dispatch
    haul lift tow process allot allow contract enroll exhaust extract fabricate finance fund
    hook illuminate incur inject inspect introduce knit lend limit measure melt merge mine
    mount offset oversee park perform permit pour power publish quarry recycle renovate
    roast screen sculpt secure shape slice smoke split sponsor staple stuff tailor tutor
    upgrade weave wrap appear air broadcast reach draw stamp pump bind emit knit carve dye forge
    mould mold rear breed fry steam grill ferry shuttle courier tutor coach teach host
    """)
IRREGULAR_FORMS: dict[str, tuple[str, str]] = {
    # form -> (base, kind); kind is past, participle or both ("ed")
    "made": ("make", "ed"),
    "took": ("take", "past"),
    "taken": ("take", "ed"),
    "sold": ("sell", "ed"),
    "bought": ("buy", "ed"),
    "built": ("build", "ed"),
    "grown": ("grow", "ed"),
    "grew": ("grow", "past"),
    "held": ("hold", "ed"),
    "kept": ("keep", "ed"),
    "spent": ("spend", "ed"),
    "paid": ("pay", "ed"),
    "given": ("give", "ed"),
    "gave": ("give", "past"),
    "brought": ("bring", "ed"),
    "sent": ("send", "ed"),
    "met": ("meet", "ed"),
    "run": ("run", "base"),
    "ran": ("run", "past"),
    "cut": ("cut", "base"),
    "put": ("put", "base"),
    "set": ("set", "base"),
    "fed": ("feed", "ed"),
    "eaten": ("eat", "ed"),
    "seen": ("see", "ed"),
    "driven": ("drive", "ed"),
    "done": ("do", "ed"),
    "did": ("do", "past"),
    "chosen": ("choose", "ed"),
    "gotten": ("get", "ed"),
    "got": ("get", "ed"),
    "taught": ("teach", "ed"),
    "mown": ("mow", "ed"),
    "sewn": ("sew", "ed"),
    "woven": ("weave", "ed"),
    "found": ("find", "ed"),
    "lost": ("lose", "ed"),
    "won": ("win", "ed"),
    "drunk": ("drink", "ed"),
    "left": ("leave", "ed"),
    "flown": ("fly", "ed"),
    "known": ("know", "ed"),
    "shown": ("show", "ed"),
    "borne": ("bear", "ed"),
    "ground": ("grind", "ed"),
    "lent": ("lend", "ed"),
}
# Words that look like verb forms but are nouns or adjectives far more often.
MOSTLY_NOUNS = words(
    "can may building buildings planning setting budget profit profits meeting wedding ground "
    "evening morning sand park parking house means given left end demand staff water train "
    "trains bottle bottles plant plants paint stock store stores order orders package packages "
    "test tests place places host smoke power screen mine mount score mix mixes record bus "
    "process processes post tie contract contracts ship ships box boxes staple"
)

# Verbs with the particle "up", after which "up to" is no limit.
UP_VERBS = words("hook add sum set link wire sign tie catch connect wake live hang line hold pick")
CARRYING_VERBS = words("carry hold take fit lift bear pack load")
GOAL_VERBS = words("maximize maximise minimize minimise")

# Nouns for the public that something serves, and for the staff that something needs.
PUBLIC_WORDS = words(
    "person customer tourist visitor guest passenger local resident patient student child "
    "attendee client viewer commuter traveler traveller citizen human individual shopper"
)
COUNT_NOUNS = words("number amount quantity total sum count level volume")
TYPE_NOUNS = words("type kind sort variety version option size model way method")
AVAILABILITY = words("available availability hand stock supply disposal")

TIME_HORIZON = words(
    "day week month year shift night season quarter annum morning weekend term summer"
)
# Periods: an amount per day and a limit per week do not meet without a conversion.
PERIODS = words("day week month year quarter annum")
TIME_UNITS: dict[str, float] = {
    "second": 1.0,
    "sec": 1.0,
    "minute": 60.0,
    "min": 60.0,
    "hour": 3600.0,
    "hr": 3600.0,
    "man-hour": 3600.0,
    "labor-hour": 3600.0,
    "labour-hour": 3600.0,
    "person-hour": 3600.0,
    "machine-hour": 3600.0,
}
MASS_UNITS: dict[str, float] = {
    "mg": 1e-6,
    "milligram": 1e-6,
    "g": 1e-3,
    "gram": 1e-3,
    "kg": 1.0,
    "kilogram": 1.0,
    "kilo": 1.0,
    "tonne": 1000.0,
    "pound": 0.45359237,
    "lb": 0.45359237,
    "ounce": 0.028349523125,
    "oz": 0.028349523125,
}
VOLUME_UNITS: dict[str, float] = {
    "ml": 1e-3,
    "millilitre": 1e-3,
    "milliliter": 1e-3,
    "cl": 1e-2,
    "l": 1.0,
    "litre": 1.0,
    "liter": 1.0,
    "gallon": 3.785411784,
    "cbm": 1000.0,
    "cbft": 28.316846592,
    "cbyd": 764.554857984,
}
LENGTH_UNITS: dict[str, float] = {
    "mm": 1e-3,
    "cm": 1e-2,
    "m": 1.0,
    "metre": 1.0,
    "meter": 1.0,
    "km": 1000.0,
    "kilometre": 1000.0,
    "kilometer": 1000.0,
    "inch": 0.0254,
    "foot": 0.3048,
    "ft": 0.3048,
    "yard": 0.9144,
    "mile": 1609.344,
}
AREA_UNITS: dict[str, float] = {
    "sqft": 0.09290304,
    "sqm": 1.0,
    "acre": 4046.8564224,
    "hectare": 10000.0,
    "sqyd": 0.83612736,
}
OTHER_UNITS: dict[str, float] = {
    "ton": 1.0,
    "barrel": 1.0,
    "kwh": 1.0,
    "kw": 1.0,
    "mwh": 1.0,
    "dollar": 1.0,
    "euro": 1.0,
    "usd": 1.0,
    "cent": 0.01,
    "unit": 1.0,
    "unite": 1.0,
}
DIMENSIONS: dict[str, dict[str, float]] = {
    "time": TIME_UNITS,
    "mass": MASS_UNITS,
    "volume": VOLUME_UNITS,
    "length": LENGTH_UNITS,
    "area": AREA_UNITS,
}
UNITS = frozenset(unit for table in (*DIMENSIONS.values(), OTHER_UNITS) for unit in table)
# Units in which an amount can be split: a variable counted in them is continuous.
DIVISIBLE_UNITS = UNITS - {"unit", "unite"}
MONEY_UNITS = words("dollar euro usd cent")

_UNIT_NAMES = {
    "kg": "kilogram",
    "g": "gram",
    "l": "liter",
    "m": "meter",
    "km": "kilometer",
    "oz": "ounce",
    "ft": "foot",
    "sqft": "square foot",
    "sqm": "square meter",
    "sqyd": "square yard",
    "cbm": "cubic meter",
    "cbft": "cubic foot",
    "cbyd": "cubic yard",
}


def unit_name(lemma: str) -> str:
    """The full name of a unit: "kilogram" for "kg"; other words stay."""
    return _UNIT_NAMES.get(lemma, lemma)


# Nouns that say which money a sum is.
MONEY_KINDS: dict[str, str] = {
    "profit": "profit",
    "gain": "profit",
    "cost": "cost",
    "price": "revenue",
    "revenue": "revenue",
    "income": "revenue",
    "sale": "revenue",
    "earning": "profit",
    "return": "profit",
    "wage": "cost",
    "salary": "cost",
    "expense": "cost",
    "expenditure": "cost",
    "budget": "cost",
    "bill": "cost",
    "fee": "cost",
    "tip": "tip",
    "payout": "payout",
    "spending": "cost",
    "outlay": "cost",
    "takings": "revenue",
    "proceeds": "revenue",
    "turnover": "revenue",
    "money": "earn",
    "commission": "earn",
}
MONEY_VERBS: dict[str, str] = {
    "cost": "cost",
    "spend": "cost",
    "pay": "cost",
    "charge": "cost",
    "earn": "earn",
    "sell": "revenue",
    "profit": "profit",
    "net": "profit",
    "make": "earn",
    "gain": "profit",
    "yield": "earn",
    "generate": "earn",
    "return": "profit",
    "bring": "earn",
    "invest": "cost",
    "purchase": "cost",
    "buy": "cost",
    "rent": "cost",
    "hire": "cost",
    "give": "earn",
    "result": "earn",
}
