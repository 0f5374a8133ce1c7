"""Sentences of our own making, with names, figures, units, dates, negations, in several languages."""

import random

PEOPLE = (
    "Ada Brenner", "Tomas Lindqvist", "Maria O\u2019Neill", "Jos\u00e9 Pereira", "Ingrid Solberg", "Wei Zhang",
    "Fatima Haddad", "Olu Adeyemi", "Anna Nov\u00e1kov\u00e1", "Peter van Dijk", "Lena Fischer", "Raj Patel",
)  # fmt: skip
PLACES = (
    "Lisbon", "Tromso", "Nairobi", "Osaka", "Vilnius", "Quito", "Bergen", "Leipzig", "Cork", "Utrecht", "Hobart", "Tampa",
)  # fmt: skip
FIRMS = (
    "Northwind Labs", "Helix Foods", "Aurora Rail", "Kestrel Energy", "Blue Fjord", "Delta Glass", "Sable Motors", "Orchid Bank",
)  # fmt: skip
THINGS = (
    "the bridge", "the tidal plant", "the archive", "the vaccine", "the reservoir", "the satellite", "the old harbour",
    "the new tram line", "the glacier", "the wheat harvest", "the open-source library", "the night train",
)  # fmt: skip
UNITS = (
    "km",
    "kg",
    "hours",
    "days",
    "litres",
    "metres",
    "GB",
    "MW",
    "\u00b0C",
    "mg",
    "miles",
    "tonnes",
)
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
TEMPLATES = (
    "{person} of {firm} said that {thing} would cost ${n} million by {year}.",
    "In {month} {year}, {firm} opened an office in {place}, {n} {unit} from the coast.",
    "On {day} {month} {year}, {person} signed the contract with {firm} in {place}.",
    "The survey found that {p}% of the people in {place} use the service at least {m} times a week.",
    "\u201cWe did not expect such a result,\u201d said {person}, who has worked on {thing} since {year}.",
    "{thing_} is not open to visitors during the winter \u2013 it closes on {month} {day}.",
    "According to {firm}, {thing} weighs {d} {unit}, which is {m} times more than in {year}.",
    "{person} never visited {place}, although the letters say so (see the notes of {year}).",
    "The temperature fell from {m} to -{m} {unit} within {d} hours.",
    "Between {year} and {year2} the number of passengers rose by {d} percent to {big}.",
    "{firm}\u2019s well-known engineer, {person}, doesn\u2019t agree with the report of {month} {year}.",
    "Version {v} of the open-source library was released in {place} on {month} {day}, {year}.",
    "There is no evidence that {thing} harmed the river; the first study covered {n} {unit} of it.",
    "Because of the office\u2019s affluent offering, {thing} \u2014 by far the largest \u2014 was finished in {year}.",
    "Tickets cost \u20ac{d} for adults, \u20ac{m} for children and nothing for those under {m}.",
    "{person} and {person2} shared the prize; {person2} had won it in {year} without a team.",
    "A spokesman of {firm} refused to say whether {thing} had been sold for {big} euros.",
    "The \u201clong road\u201d to {place} is {n} {unit} long, and {thing} stands at its end.",
    "It takes about {m} days to reach {place} from {place2}, or {n} hours by train.",
    "Researchers in {place} measured {d} {unit} in sample B{m}, but only {m}.{n} {unit} in sample C{m}.",
    "What does {thing} mean to the people of {place}, asked {person} in {year}?",
    "{thing_} was designed by {person}, built by {firm} and opened by the mayor of {place}.",
    "Unlike {firm}, {firm2} has more than {big} customers in {place} alone, {person} wrote.",
    "The museum in {place} counted {m}\u202f{k} visitors in {year}, and {m}.{n} km/h were measured at its door.",
    "The drink of {firm} is sugar-free and alcohol-free, and not sold in {place} since {year}.",
    "The committee approved the plan on {day} {month}, {m} votes to {n}, after a long debate.",
)  # fmt: skip
FOREIGN = (
    "Die Br\u00fccke in {place} wurde im Jahr {year} er\u00f6ffnet und ist {n} Meter lang, sagte {person}.",
    "Le mus\u00e9e de {place} n\u2019est pas ouvert le lundi; l\u2019entr\u00e9e co\u00fbte {m} euros depuis {year}.",
    "El tren nocturno sali\u00f3 de {place} a las {m} horas y no lleg\u00f3 antes de las {n}.",
    "\u041c\u043e\u0441\u0442 \u0432 \u0433\u043e\u0440\u043e\u0434\u0435 {place} \u0431\u044b\u043b \u043e\u0442\u043a\u0440\u044b\u0442 \u0432 {year} \u0433\u043e\u0434\u0443 \u0438 \u0438\u043c\u0435\u0435\u0442 \u0434\u043b\u0438\u043d\u0443 {n} \u043c\u0435\u0442\u0440\u043e\u0432.",
    "\u8fd9\u5ea7\u6865\u4e8e{year}\u5e74\u5728{place}\u5efa\u6210\uff0c\u5168\u957f{n}\u7c73\uff0c\u662f\u5f53\u5730\u6700\u957f\u7684\u6865\u6881\u4e4b\u4e00\u3002",
    "\u3053\u306e\u6a4b\u306f{year}\u5e74\u306b{place}\u3067\u5b8c\u6210\u3057\u3001\u5168\u9577\u306f{n}\u30e1\u30fc\u30c8\u30eb\u3067\u3042\u308b\u3068\u5831\u544a\u3055\u308c\u3066\u3044\u308b\u3002",
    "O relat\u00f3rio diz que a produ\u00e7\u00e3o em {place} n\u00e3o passou de {n} toneladas em {year}.",
)  # fmt: skip


def sentence(chance: random.Random, foreign: float = 0.1) -> str:
    """Return one sentence."""
    templates = FOREIGN if chance.random() < foreign else TEMPLATES
    thing = chance.choice(THINGS)
    person, person2 = chance.sample(PEOPLE, 2)
    firm, firm2 = chance.sample(FIRMS, 2)
    place, place2 = chance.sample(PLACES, 2)
    year = chance.randrange(1900, 2020)
    return chance.choice(templates).format(
        person=person,
        person2=person2,
        firm=firm,
        firm2=firm2,
        place=place,
        place2=place2,
        thing=thing,
        thing_=thing[0].upper() + thing[1:],
        unit=chance.choice(UNITS),
        month=chance.choice(MONTHS),
        day=chance.randrange(1, 29),
        year=year,
        year2=year + chance.randrange(1, 9),
        n=chance.randrange(11, 990),
        m=chance.randrange(2, 40),
        p=chance.randrange(1, 99),
        d=f"{chance.randrange(1, 90)}.{chance.randrange(1, 9)}",
        v=f"{chance.randrange(1, 9)}.{chance.randrange(0, 30)}.{chance.randrange(0, 9)}",
        k=chance.randrange(100, 999),
        big=f"{chance.randrange(1, 900)},{chance.randrange(100, 999)}",
    )
