"""Which things are to be decided on: activities, found from parallel per-unit amounts.

Sentences of one statement give the same measure of each activity ("each wrap requires 5
units of meat", "each platter requires 7 units of meat"). Phrases that differ while the
measure is the same name the activities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from . import lexicon as lex
from .facts import Activity, Amount, Mention
from .morphology import lemma, related

_ROLES = ("holder", "per", "for", "subject", "make", "place", "before")
_NOT_NAMES = frozenset(lex.MONEY_KINDS) | {"amount", "number", "total", "unit", "people", "person"}


@dataclass(slots=True)
class _Cluster:
    names: list[frozenset[str]] = field(default_factory=list)
    amounts: list[Amount] = field(default_factory=list)
    core: frozenset[str] = frozenset()
    full: frozenset[str] = frozenset()


def names_of(amount: Amount) -> frozenset[str]:
    """Lemmas of all phrases that may name the amount's activity."""
    found: set[str] = set()
    subjects = [mention for mention in amount.mentions if mention.role == "subject"]
    chosen = amount.respectively
    held = any(mention.role == "holder" for mention in amount.mentions)
    for mention in amount.mentions:
        if held and mention.role in {"subject", "place"}:
            continue
        listed = chosen is not None and chosen < len(subjects)
        if listed and mention.role == "subject" and mention is not subjects[chosen or 0]:
            continue
        if mention.role == "per" and mention.lemmas <= lex.TIME_HORIZON:
            continue
        found |= mention.lemmas
    return frozenset(found - _NOT_NAMES - lex.DIVISIBLE_UNITS)


def signature(amount: Amount) -> tuple[object, ...]:
    """What is measured, for grouping amounts of the same measure."""
    if amount.money:
        return ("money", amount.money, amount.quantity.role)
    if amount.nouns:
        return ("nouns", amount.nouns)
    return ("unit", amount.unit, amount.soft or amount.verb)


def discover(amounts: Sequence[Amount]) -> tuple[Activity, ...]:
    """Find the activities; empty where the amounts show no parallel."""
    usable = [amount for amount in amounts if names_of(amount)]
    for keep in ({"", "need", "have"}, {"", "need", "have", "<=", ">="}):
        clusters = _cluster([amount for amount in usable if amount.sense in keep])
        if len(clusters) >= 2:
            return _named(clusters)
    return ()


def _cluster(amounts: Sequence[Amount]) -> list[_Cluster]:
    groups: dict[tuple[object, ...], list[Amount]] = {}
    for amount in amounts:
        groups.setdefault(signature(amount), []).append(amount)
    parallel = [group for group in groups.values() if len({names_of(a) for a in group}) >= 2]
    if not parallel:
        return []
    votes = Counter(len({names_of(a) for a in group}) for group in parallel)
    size = max(votes, key=lambda count: (votes[count], count))
    parallel.sort(
        key=lambda group: (
            len({names_of(a) for a in group}) != size,
            -len(frozenset.intersection(*map(names_of, group))),
        )
    )
    clusters: list[_Cluster] = []
    for group in parallel:
        _add_group(clusters, group)
        _sharpen(clusters)
    clusters = _drop_agents(clusters)
    _sharpen(clusters)
    _drop_bases(clusters)
    return clusters


def _add_group(clusters: list[_Cluster], group: Sequence[Amount]) -> None:
    names = {names_of(amount) for amount in group}
    common = frozenset.intersection(*names)
    fresh: list[_Cluster] = []
    for amount in group:
        name = names_of(amount)
        home = _best(clusters, name)
        if home is None:
            core = name - common
            home = next((c for c in fresh if c.core == core), None)
            if home is None:
                home = _Cluster(core=core, full=name)
                fresh.append(home)
        home.names.append(name)
        home.amounts.append(amount)
    clusters.extend(fresh)


def _best(clusters: Sequence[_Cluster], name: frozenset[str]) -> _Cluster | None:
    scored = sorted(
        ((len(cluster.core & name), index) for index, cluster in enumerate(clusters)), reverse=True
    )
    if scored and scored[0][0] and (len(scored) == 1 or scored[1][0] < scored[0][0]):
        return clusters[scored[0][1]]
    plain = [cluster for cluster in clusters if not cluster.core and cluster.full <= name]
    return plain[0] if len(plain) == 1 and not (scored and scored[0][0]) else None


def _sharpen(clusters: list[_Cluster]) -> None:
    """Keep as core the words that most names of a cluster have and few of the others."""
    for cluster in clusters:
        count = Counter(word for name in cluster.names for word in name)
        usual = {word for word, times in count.items() if 2 * times >= len(cluster.names)}
        cluster.full = frozenset(usual)
    for cluster in clusters:
        others = [other for other in clusters if other is not cluster]
        cluster.core = frozenset(
            word
            for word in cluster.full
            if not any(
                3 * sum(word in name for name in other.names) > len(other.names) for other in others
            )
        )


def _drop_bases(clusters: list[_Cluster]) -> None:
    """ "tea costs $1 per cup": the cup is what tea is counted in, not part of its name."""
    named = {
        word
        for cluster in clusters
        for amount in cluster.amounts
        for mention in amount.mentions
        if mention.role != "per"
        for word in mention.lemmas
    }
    for cluster in clusters:
        if cluster.core & named:
            cluster.core &= named


def _drop_agents(clusters: list[_Cluster]) -> list[_Cluster]:
    """Drop owners and makers: only ever "have" or "need", never like the others."""
    verbs = Counter(verb for c in clusters for verb in {amount.verb for amount in c.amounts})
    kept = [
        cluster
        for cluster in clusters
        if any(not amount.sense or verbs[amount.verb] > 1 for amount in cluster.amounts)
    ]
    return kept if len(kept) >= 2 else clusters


def _named(clusters: Sequence[_Cluster]) -> tuple[Activity, ...]:
    """The activities, without "loaf of", "kilogram of" where what follows tells them apart."""
    short = [_activity(cluster, short=True) for cluster in clusters]
    if len({activity.name for activity in short}) == len(short):
        return tuple(short)
    return tuple(_activity(cluster, short=False) for cluster in clusters)


def _activity(cluster: _Cluster, *, short: bool) -> Activity:
    mentions = [mention for amount in cluster.amounts for mention in amount.mentions]
    named = [mention for mention in mentions if mention.lemmas & (cluster.core or cluster.full)]
    named.sort(key=lambda mention: (-len(mention.lemmas & cluster.full), mention.span))
    best = named[0] if named else mentions[0]
    head, tail = best.words[: -best.tail or None], best.words[len(best.words) - best.tail :]
    measured = bool(best.tail) and not cluster.core & {lemma(word) for word in head}
    name = " ".join(tail if short and measured else best.words)
    return Activity(name, cluster.core, cluster.full, best.span)


class Naming:
    """Ties phrases to activities."""

    def __init__(self, activities: Sequence[Activity], class_words: Iterable[str] = ()) -> None:
        class_words = frozenset(class_words)
        self.activities = tuple(
            replace(a, core=a.core - class_words) if a.core - class_words else a for a in activities
        )
        shared = (
            frozenset.intersection(*(a.full for a in activities)) if activities else frozenset()
        )
        tails = {word.rsplit("-", 1)[-1] for a in activities for word in a.full if "-" in word}
        self.class_words = class_words | shared | frozenset(tails)

    def exact(self, lemmas: frozenset[str]) -> tuple[int, ...]:
        """Activities that the words name; several where the words fit several."""
        scores = [self._score(activity, lemmas) for activity in self.activities]
        top = max(scores, default=0)
        if top:
            return tuple(index for index, score in enumerate(scores) if score == top)
        plain = [
            index
            for index, activity in enumerate(self.activities)
            if not activity.core and activity.full and activity.full <= lemmas
        ]
        return tuple(plain) if len(plain) == 1 else ()

    def _score(self, activity: Activity, lemmas: frozenset[str]) -> int:
        direct = len(activity.core & lemmas)
        if direct:
            return 2 * direct
        near = any(
            related(core, word) for core in activity.core for word in lemmas - self.class_words
        )
        return 1 if near else 0

    def partly(self, lemmas: frozenset[str], hit: int) -> bool:
        """The words are fewer than the name of activity ``hit``: they may name a class."""
        return lemmas < self.activities[hit].full

    def is_total(self, lemmas: frozenset[str]) -> bool:
        """The words name the activities as a class ("the lamps", "all vehicles")."""
        return bool(lemmas) and lemmas <= self.class_words

    def of_amount(self, amount: Amount) -> tuple[int, ...]:
        """The activities an amount is per unit of; empty where it is none's."""
        everything = tuple(range(len(self.activities)))
        subjects = [mention for mention in amount.mentions if mention.role == "subject"]
        if amount.respectively is not None:
            if len(subjects) > amount.respectively:
                return self.exact(subjects[amount.respectively].lemmas)[:1]
            both = all(self.is_total(mention.lemmas) for mention in subjects)
            return (
                (amount.respectively,)
                if both and amount.respectively < len(self.activities)
                else ()
            )
        for role in _ROLES:
            hits: set[int] = set()
            for mention in amount.mentions:
                if mention.role == role:
                    hits |= set(self.exact(mention.lemmas))
            if len(hits) == 1:
                return tuple(hits)
            if hits:
                joined = frozenset().union(
                    *(mention.lemmas for mention in amount.mentions if mention.role != "for")
                )
                narrowed = self.exact(joined)
                return narrowed if len(narrowed) == 1 else tuple(sorted(hits))
        joined = names_of(amount)
        hit = self.exact(joined)
        if hit:
            return hit
        for mention in amount.mentions:
            if mention.role in {"subject", "per"} and self._names_all(mention):
                return everything
        return ()

    def _names_all(self, mention: Mention) -> bool:
        if mention.determiner in {"each", "every", "both", "all"} or mention.role == "per":
            return self.is_total(mention.lemmas) or mention.lemmas <= {"product", "item"}
        return False
