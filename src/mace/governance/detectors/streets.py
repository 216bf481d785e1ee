"""Words streets are named with, by where they stand. A table and nothing else.

American endings follow the public list of the US postal service (names and common abbreviations).
"""

from mace.governance.detectors.findings import words

STREET_WORDS = frozenset(
    words(
        """
        alley ally aly avenue ave av bayou beach bend bluff bluffs bottom boulevard blvd boul branch bridge brook
        brooks burg burgs bypass camp canyon cape causeway center centre centers circle cir circles cliff cliffs
        club common commons corner corners course court ct courts cove coves creek crescent cres crest crossing
        crossroad crossroads curve dale dam divide drive dr drives estate estates expressway extension extensions
        fall falls ferry field fields flat flats ford fords forest forge forges fork forks fort freeway garden
        gardens gateway glen glens green greens grove groves harbor harbour harbors haven heights highway hwy hill
        hills hollow inlet island islands isle junction junctions key keys knoll knolls lake lakes land landing lane
        ln light lights loaf lock locks lodge loop mall manor manors meadow meadows mews mill mills mission motorway
        mount mountain mountains neck orchard oval overpass park parks parkway pkwy parkways pass passage path pike
        pine pines place pl plain plains plaza point points port ports prairie radial ramp ranch rapid rapids rest
        ridge ridges river road rd roads route row rue run shoal shoals shore shores skyway spring springs spur
        spurs square sq squares station stravenue stream street st streets str summit terrace ter throughway trace
        track trafficway trail trailer tunnel turnpike underpass union unions valley valleys via viaduct view views
        village villages ville vista walk walks wall way ways well wells close
        """
    )
)

STREET_ENDINGS = (
    "strasse", "straße", "str", "weg", "platz", "allee", "gasse", "ring", "damm", "ufer", "graben", "chaussee",
    "promenade", "steig", "stieg", "pfad", "straat", "laan", "plein", "kade", "gracht", "singel", "dreef", "baan",
    "dijk", "pad", "hof", "gatan", "vagen", "stigen", "grand", "torget", "vej", "gade", "vaenget", "veien", "gata",
    "plassen", "svingen", "katu", "tie", "kuja", "polku", "utca", "ter", "markt",
)  # fmt: skip

LEADING_WORDS = frozenset(
    words(
        """
        rue avenue av bd boulevard chemin place allee impasse quai route cours square passage faubourg sentier villa
        calle avenida avda plaza paseo camino carrera ronda travesia via viale corso piazza piazzale vicolo largo
        strada contrada borgo rua praca travessa alameda ulica ul aleja plac rambla cuesta am im zum zur
        """
    )
)

US_STATES = (
    "AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OH|OK|"
    "OR|PA|RI|SC|SD|TN|TX|UT|"
    "VT|VA|WA|WV|WI|WY|DC|PR|GU|VI|AS|MP|MH|FM|PW|AB|BC|MB|NB|NL|NS|NT|NU|ON|PE|QC|SK|YT|NSW|VIC|QLD|TAS|ACT|"
    "Alabama|Alaska|Arizona|Arkansas|"
    "California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|"
    "Louisiana|Maine|Maryland|"
    "Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|"
    "New Mexico|New York|North Carolina|"
    "North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|"
    "Utah|Vermont|Virginia|Washington|"
    "West Virginia|Wisconsin|Wyoming"
)
