"""Words of illness, and of the people who have it. Tables and nothing else; `diagnoses.py` reads them.

Names of conditions are lower case without accents; a trailing `*` lets a word go on.
"""

from mace.governance.detectors.findings import words

CONDITIONS = (
    "diabet*", "cancer*", "carcinoma*", "leukemia*", "leukaemia*", "lymphoma*", "melanoma*", "sarcoma*", "myeloma*",
    "tumor*", "tumour*", "asthma*", "hiv*", "aids", "hepatitis*", "tubercul*", "epilep*", "schizo*", "bipolar*",
    "depress*", "anxiety*", "ptsd", "autis*", "asperger*", "adhd", "alzheimer*", "parkinson*", "dementia*",
    "multiple sclerosis", "sclerosis", "lupus", "arthrit*", "crohn*", "colitis", "celiac*", "coeliac*", "fibromyalg*",
    "endometrios*", "kidney disease*", "kidney failure", "renal failure", "cirrhosis", "heart failure",
    "heart disease*", "heart attack*", "hypertens*", "stroke", "anorexi*", "bulimi*", "alcoholi*", "herpes",
    "syphilis", "gonorrh*", "chlamydia*", "malaria", "covid*", "pneumonia*", "copd", "emphysema", "cystic fibrosis",
    "sickle cell*", "hemophil*", "haemophil*", "psoria*", "migraine*", "glaucoma", "osteopor*", "gout", "anemia",
    "anaemia", "thyroid*", "hypothyroid*", "hyperthyroid*", "pcos", "down syndrome", "huntington*",
    "muscular dystrophy", "tourette*", "ocd", "borderline personality*", "meningitis", "encephalitis", "angina",
    "arrhythmi*", "fibrillation", "narcoleps*", "sleep apnea", "psychosis", "psychotic", "paranoi*", "cerebral palsy",
    "als", "sepsis", "thrombosis", "embolism", "aneurysm", "diverticul*", "pancreatitis", "appendicitis",
    "lyme disease", "mononucleosis", "shingles", "measles", "chickenpox", "cataract*", "macular*", "vitiligo",
    "eczema", "obesity", "insomnia*", "ulcer*", "hernia", "scoliosis", "neuropathy", "melancholia", "krebs",
    "brustkrebs", "depresion", "sida", "asma", "zucker",
)  # fmt: skip

# Said of a person with `is`: "she is diabetic".
ADJECTIVES = (
    "diabetic", "asthmatic", "epileptic", "schizophrenic", "bipolar", "autistic", "alcoholic", "depressed", "anorexic",
    "bulimic", "psychotic", "paranoid", "hemophiliac", "haemophiliac", "hypertensive", "hiv", "arthritic", "anemic",
)  # fmt: skip

# Words that belong to the name of a condition and stand before it.
NAME_BEFORE = frozenset(
    words(
        """
        chronic acute severe mild early late onset early-onset major clinical breast lung colon prostate ovarian
        skin brain liver stomach pancreatic cervical thyroid bone blood kidney bladder testicular throat rheumatoid
        psoriatic ulcerative multiple gestational juvenile congestive congenital metastatic advanced terminal
        generalised generalized social postpartum manic high-functioning latent active pulmonary systemic
        non-hodgkin hodgkin hodgkin's atrial coronary ischemic end-stage seasonal bilateral malignant benign
        invasive small-cell non-small-cell myeloid lymphoblastic lymphocytic recurrent treatment-resistant
        borderline obstructive viral bacterial stage type grade i ii iii iv 1 2 3 4 one two three four deep vein
        """
    )
)

HAVING = frozenset(
    words(
        """
        have has had having i've he've got gets suffer suffers suffered suffering live lives lived living battle
        battles battled battling fight fights fought fighting contracted caught developed carries diagnosed
        misdiagnosed tested treated hospitalised hospitalized admitted history struggles struggled struggling dying
        died recovering recovered presents presented presenting medication pills diagnosis
        """
    )
)
BEING = frozenset(["am", "is", "was", "are", "were", "been", "being", "i'm", "he's", "she's"])
FILLERS = (
    frozenset(
        words(
            """
            recently just also now currently still always never both severely positive medical family known case a
            an the of from with for to by as my his her their over due because in on taking takes take and been
            being really actually since for complicated by very mildly newly finally officially already medication
            """
        )
    )
    | HAVING
    | BEING
)
PRONOUNS = frozenset(["i", "he", "she", "we", "i'm", "i've", "he's", "she's", "we've", "we're"])
POSSESSIVES = frozenset(["my", "his", "her", "our", "their", "the", "a", "this", "that", "your"])
OWNERS = frozenset(["my", "his", "her", "our"])
RELATIVES = frozenset(
    words(
        """
        mother mom mum father dad son daughter wife husband partner brother sister aunt uncle cousin grandmother
        grandfather grandma grandpa friend boss child kid baby girlfriend boyfriend neighbor neighbour colleague
        niece nephew client patient boy girl employee coworker roommate teacher tenant applicant
        """
    )
)
NOBODY = frozenset(
    words(
        """
        it this that what who which when where why how people everyone anyone someone nobody everybody anybody many
        most some few children adults women men patients persons those these research researchers science doctors
        the a an if does do can could having living symptoms treatment studies medicine society each every one half
        today nearly about over more less all both smoking also but and or there here then since while although type
        chronic early childhood human humans dogs cats you they is are was did has have please tell explain describe
        list compare write give show summarize discuss aspirin vitamin country countries world america europe asia
        africa coffee sugar in on at with without for of to from my his her our their
        """
    )
)
# After a condition: then it names a field of work, not somebody's state.
FIELDS_OF_WORK = frozenset(
    words(
        """
        research center centre centers centres clinic clinics program programs programme treatment treatments
        drug drugs trial trials awareness charity prevention statistics rates rate risk specialist specialists
        department ward studies study screening test tests vaccine vaccines cases data dataset datasets
        detection model models classifier prediction paper papers patients education policy market cells cell
        """
    )
)
