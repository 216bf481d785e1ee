"""A fourth set, as the third: written and committed before the rules were mended, and run once on it after that.

Thirty true and thirty invented answers; the invented ones change who does a thing, a condition, whose name is whose,
what was and what is, and what follows from a number.
"""

from benchmarks.answers.council_texts_2 import Row

_CHOIR = (
    "The Lindau choir was founded in 1954 by Marta Egli, and since 2011 it has been conducted by Jonas Frei.",
    "Rehearsals are on Thursdays at 19:30. Guests may listen but may not sing.",
)
_BEES = (
    "Hive 4 gave 18 kilograms of honey in 2023; hive 7 gave 25 kilograms.",
    "The queen of hive 7 is replaced every two years unless the colony is weak.",
)
_COURT = (
    "In Dahl against Orre the court ordered Orre to pay 12,000 francs to Dahl.",
    "The judgment was written by judge Pernille Aas. An appeal must be filed within 21 days.",
)
_SHIP = (
    "The trawler Havella was built in Gdansk in 1988 and has been owned by Birna Kjartan since 2004.",
    "Before 2004 the Havella was owned by the Olsen brothers. It carries a crew of nine.",
)
_PRINT = (
    "The R40 prints 30 pages per minute. The R40 Plus prints 45 pages per minute and also scans.",
    "The R40 does not scan. Its cartridge lasts for 2,000 pages if the draft mode is used.",
)
_GLACIER = (
    "Ines Tovar measured the Kvit glacier before Paul Stern mapped it.",
    "The Kvit glacier lost nearly 14 metres between 2010 and 2020.",
)
_CLUB = (
    "Ruben Vela coaches the juniors and Sanne Boer coaches the women. Vela reports to Boer.",
    "Members under 16 pay 40 euros a year; all others pay 95 euros.",
)

_ROWS = (
    (_CHOIR, "Who conducts the Lindau choir?",
     "The Lindau choir is conducted by Jonas Frei [1].", "Jonas Frei has conducted the choir since 2011 [1].",
     "The Lindau choir is conducted by Marta Egli [1].", "Jonas Egli conducts the choir [1]."),
    (_CHOIR, "Who founded the Lindau choir?",
     "Marta Egli founded the Lindau choir [1].", "The Lindau choir was founded by Marta Egli in 1954 [1].",
     "Marta Lindau founded the Egli choir [1].", "Jonas Frei founded the Lindau choir in 2011 [1]."),
    (_CHOIR, "May guests sing at the rehearsals?",
     "No, guests may not sing [2].", "Guests may listen but may not sing [2].",
     "Yes, guests may sing [2].", "Yes, guests may listen and sing on Thursdays [2]."),
    (_BEES, "How much honey did hive 7 give in 2023?",
     "Hive 7 gave 25 kilograms [1].", "It gave twenty-five kilograms of honey [1].",
     "Hive 7 gave 18 kilograms of honey in 2023 [1].", "Hive 7 gave 43 kilograms of honey [1]."),
    (_BEES, "How often is the queen of hive 7 replaced?",
     "Every two years unless the colony is weak [2].",
     "The queen is replaced every two years, unless the colony is weak [2].",
     "Every two years if the colony is weak [2].", "Every two years, even if the colony is weak [2]."),
    (_COURT, "Who has to pay in Dahl against Orre?",
     "Orre was ordered to pay 12,000 francs to Dahl [1].", "The court ordered Orre to pay Dahl 12,000 francs [1].",
     "The court ordered Dahl to pay 12,000 francs to Orre [1].", "Dahl has to pay 12,000 francs [1]."),
    (_COURT, "Who wrote the judgment?",
     "Judge Pernille Aas wrote the judgment [2].", "The judgment was written by Pernille Aas [2].",
     "Pernille Dahl wrote the judgment [2].", "The judgment was written for judge Pernille Aas [2]."),
    (_COURT, "When must an appeal be filed?",
     "An appeal must be filed within 21 days [2].", "Within twenty-one days [2].",
     "An appeal must be filed after 21 days [2].", "An appeal may be filed within 12 days [2]."),
    (_SHIP, "Who owns the Havella?",
     "Birna Kjartan has owned the Havella since 2004 [1].", "The Havella is owned by Birna Kjartan [1].",
     "The Olsen brothers [2].", "Since 2004 the Havella has been owned by the Olsen brothers [2]."),
    (_SHIP, "Who owned the Havella before 2004?",
     "Before 2004 it was owned by the Olsen brothers [2].", "The Olsen brothers owned the Havella before 2004 [2].",
     "Birna Kjartan owned the Havella before 2004 [1].", "Before 2004 it was owned by the Kjartan brothers [2]."),
    (_PRINT, "How many pages per minute does the R40 print?",
     "The R40 prints 30 pages per minute [1].", "It prints thirty pages per minute [1].",
     "The R40 prints 45 pages per minute [1].", "The R40 prints at least 30 pages per minute [1]."),
    (_PRINT, "Does the R40 scan?",
     "No, the R40 does not scan [2].", "The R40 does not scan [2].",
     "Yes, the R40 also scans [1].", "Yes, it scans [2]."),
    (_GLACIER, "Who mapped the Kvit glacier?",
     "Paul Stern mapped it [1].", "Paul Stern mapped the Kvit glacier [1].",
     "Ines Tovar mapped the Kvit glacier [1].",
     "Paul Stern mapped the Kvit glacier before Ines Tovar measured it [1]."),
    (_GLACIER, "How much did the Kvit glacier lose between 2010 and 2020?",
     "It lost nearly 14 metres [2].", "The Kvit glacier lost nearly fourteen metres between 2010 and 2020 [2].",
     "It lost more than 14 metres [2].", "The Kvit glacier lost 14 kilometres [2]."),
    (_CLUB, "Who coaches the juniors?",
     "Ruben Vela coaches the juniors [1].", "The juniors are coached by Ruben Vela [1].",
     "Sanne Boer coaches the juniors [1].", "Ruben Boer coaches the juniors and reports to Vela [1]."),
)  # fmt: skip

ROWS = tuple(Row(passages, question, (one, two), (three, four)) for passages, question, one, two, three, four in _ROWS)
