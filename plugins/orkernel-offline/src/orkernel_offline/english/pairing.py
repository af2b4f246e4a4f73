"""Which number belongs to which site or pair of sites, from the order in a sentence.

A sentence is a string of letters: S and D for a site of the first or second group, N for a
number, lower case s and d for a whole group. Only orders with one meaning are accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .site_items import Item

Pair = tuple[int, int]


def _letters(items: Sequence[Item]) -> tuple[str, list[Item]]:
    text, kept = "", []
    for item in items:
        if item.kind == "number" and (item.role != "digit" or item.sense):
            text += "N"
        elif item.kind == "site":
            text += "SD"[item.group]
        elif item.kind == "all":
            text += "sd"[item.group]
        else:
            continue
        kept.append(item)
    return text, kept


def pair_up(items: Sequence[Item], sizes: Sequence[int]) -> list[tuple[Pair, Item]] | None:
    """Every number with its pair of sites; None where the order leaves a doubt."""
    text, kept = _letters(items)
    readings = [
        sorted(((p, n) for p, n in reading), key=lambda entry: entry[1].span)
        for reading in _pair_readings(text, kept, sizes)
    ]
    if not readings or any(reading != readings[0] for reading in readings[1:]):
        return None
    return readings[0]


def _pair_readings(
    text: str, kept: list[Item], sizes: Sequence[int]
) -> Iterator[list[tuple[Pair, Item]]]:
    for major, minor in ("SD", "DS"):
        if re.fullmatch(f"(?:{major}(?:{minor}N)+)+", text):
            yield _spread(text, kept, major, number_first=False)
        if re.fullmatch(f"(?:{major}(?:N{minor})+)+", text):
            yield _spread(text, kept, major, number_first=True)
        if re.fullmatch(f"(?:N{major}{minor}(?:N{minor})*)+", text):
            yield _led(text, kept, major)
        trailing = re.fullmatch(f"{major}(N{{2,}})({minor}{{2,}})", text)
        if trailing and len(trailing.group(1)) == len(trailing.group(2)):
            size = len(trailing.group(1))
            numbers, sites = kept[1 : 1 + size], kept[1 + size :]
            yield [(_join(kept[0], s), n) for s, n in zip(sites, numbers, strict=True)]
        block = re.fullmatch(f"((?:{major}{minor}{{2,}}N{{2,}})+)", text)
        if block:
            blocks = re.findall(f"{major}({minor}+)(N+)", text)
            if all(len(sites) == len(numbers) for sites, numbers in blocks):
                yield _blocks(text, kept, major)
        listed = re.fullmatch(f"{major}{minor.lower()}(N+)", text)
        if listed:
            size = sizes["SD".index(minor)]
            numbers = [item for item in kept if item.kind == "number"]
            if len(numbers) == size:
                site = kept[0].index
                yield [
                    ((site, place) if major == "S" else (place, site), number)
                    for place, number in enumerate(numbers)
                ]
    if text in {"sdN", "dsN", "Nsd", "Nds"} and all(i.each for i in kept if i.kind == "all"):
        number = next(item for item in kept if item.kind == "number")
        yield [((i, j), number) for i in range(sizes[0]) for j in range(sizes[1])]


def _join(first: Item, second: Item) -> Pair:
    return (first.index, second.index) if first.group == 0 else (second.index, first.index)


def _spread(
    text: str, kept: list[Item], major: str, *, number_first: bool
) -> list[tuple[Pair, Item]]:
    found: list[tuple[Pair, Item]] = []
    main: Item | None = None
    waiting: Item | None = None
    for letter, item in zip(text, kept, strict=True):
        if letter == major:
            main = item
        elif waiting is None:
            waiting = item
        else:
            site, number = (item, waiting) if number_first else (waiting, item)
            assert main is not None
            found.append((_join(main, site), number))
            waiting = None
    return found


def _led(text: str, kept: list[Item], major: str) -> list[tuple[Pair, Item]]:
    found: list[tuple[Pair, Item]] = []
    main: Item | None = None
    number: Item | None = None
    for letter, item in zip(text, kept, strict=True):
        if letter == "N":
            number = item
        elif letter == major:
            main = item
        else:
            assert main is not None
            assert number is not None
            found.append((_join(main, item), number))
    return found


def _blocks(text: str, kept: list[Item], major: str) -> list[tuple[Pair, Item]]:
    found: list[tuple[Pair, Item]] = []
    for match in re.finditer(f"{major}([^N{major}]+)(N+)", text):
        main = kept[match.start()]
        sites = kept[match.start(1) : match.end(1)]
        numbers = kept[match.start(2) : match.end(2)]
        found += [(_join(main, s), n) for s, n in zip(sites, numbers, strict=True)]
    return found


def single_up(items: Sequence[Item], size: int) -> list[tuple[int, Item]] | None:
    """Every number with its site of one group; None where the order leaves a doubt."""
    text, kept = _letters(items)
    text = text.replace("D", "S").replace("d", "s")
    numbers = [item for item in kept if item.kind == "number"]
    sites = [item for item in kept if item.kind == "site"]
    same = len(numbers) == len(sites)
    if same and re.fullmatch(r"(?:SN)+|(?:NS)+|S+N+|N+S+|s(?:SN)+|(?:SN)+s|sS+N+", text):
        return [(site.index, number) for site, number in zip(sites, numbers, strict=True)]
    if len(numbers) == 1 and numbers[0].each and re.fullmatch(r"S+N|NS+", text):
        return [(site.index, numbers[0]) for site in sites]
    whole = [item for item in kept if item.kind == "all"]
    if len(whole) == 1 and len(numbers) == 1 and not sites and (whole[0].each or numbers[0].each):
        return [(index, numbers[0]) for index in range(size)]
    if len(whole) == 1 and not sites and len(numbers) == size > 1:
        return list(enumerate(numbers))
    return None
