"""Whether a text claims that something was done, or will be: saved, sent, deleted, scheduled, booked.

Pure and linear. A language engine can neither act nor store; where nothing was done, such a sentence is a lie. What is
claimed:

- what the speaker did, does or will do, whatever it is, unless it is talk ("I locked the door", "I'll remember that");
- what was done with a thing of the asker's ("Your reminder has been set"), or just now ("The file is now deleted");
- if nothing was asked, what was done at all ("The report was sent to Carol");
- what is told without a subject ("Saved.", "Report sent to Carol.", "Turning off the lights.", "Done!");
- what has come to the asker ("A link is in your inbox", "You're booked"), or was done for them ("reserved for you");
- what others will do for the speaker ("A colleague will call you"), or the speaker will find out ("I'll look into it");
- a yes to the question whether it was done ("Did you save it?" "Yes.").

Told history is no claim ("The letter was sent in 1815"), and neither is what somebody should do, could do, did not do,
or does as a rule ("Messages are sent over TCP").
"""

import re
from collections.abc import Collection

from mace.agents import wording
from mace.agents.deed_verbs import CONTACTED, PARTICIPLES, PLAIN

_MAX_READ = 40_000
_LOOK_BACK = 200
_SENTENCES = re.compile(r"[^.!?\n]+[.!?\n]*")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

_DID = "(?:" + "|".join(sorted((did.replace(" ", r"\s+") for did in PARTICIPLES), key=len, reverse=True)) + ")"
_TOLD_TO = "(?:" + "|".join(sorted(CONTACTED)) + ")"
# Verbs of talk and thought: who says them of themselves claims no deed.
_TALK = frozenset(
    str.split(
        "said say mentioned mention meant mean thought think understood understand assumed assume explained "
        "explain described describe listed list gave give answered answer believed believe guessed guess "
        "hoped hope wished wish used use calculated calculate computed compute considered consider included "
        "include provided provide summarised summarized summarise summarize translated translate noticed "
        "notice tried try wanted want needed need asked ask found find showed shown show read heard hear seen "
        "saw see suggested suggest recommended recommend wrote written write drafted draft composed compose "
        "rephrased rephrase shortened shorten rounded round checked check looked look been was were had be "
        "become became known know knew felt feel liked like loved love agreed agree called call named name "
        "based base focused focus started start begin began attempted attempt do does referred refer "
        "interpreted interpret treated treat happy glad sorry afraid sure able unable going help helped "
        "happen keep stick put walk point break leave skip go pretend imagine elaborate clarify clarified "
        "outline outlined illustrate compare compared quote quoted cite cited repeat repeated apologise "
        "apologize apologised apologized talk talked speak spoke spoken discuss discussed argue argued learn "
        "solve solved derive derived prove proved proceed continue continued divide multiply subtract bet "
        "prefer preferred doubt wonder wondered suppose supposed made make come came get got let tell told "
        "add added note noted highlight cover covered saying thinking trying asking referring assuming "
        "guessing talking using getting working looking being having speaking hoping wondering missing "
        "reading seeing feeling limited designed trained programmed allowed taught interested excited pleased "
        "curious confused convinced inclined aware"
    )
)
# Of those, what is a deed after all.
_STILL_A_DEED = re.compile(
    r"\b(?:i|we)(?:\s+(?:have|had|ve|will|ll|shall)|['’](?:ve|ll|d))?(?:\s+(?:now|just|already|also))*\s+(?:"
    r"(?:told|tell|called|call|asked|ask)\s+(?!you\b|it\b|this\b|that\b|them\b|these\b|such\b|him\s+a\b)(?:[A-Z]\w+|"
    r"your|him|her|"
    r"the\s+\w+)|(?:made|make)\s+(?:a\s+note|an?\s+(?:entry|reservation|booking|appointment|payment|call|copy|backup|"
    r"change)|"
    r"(?:the|your|that|this)\s+(?:\w+\s+)?(?:reservation|booking|appointment|payment|change|call)|sure)|"
    r"(?:put|added|add)\s+(?!the\s+(?:\w+\s+)?(?:numbers?|digits?|values?|terms?|figures?|amounts?|prices?|sums?)\b)"
    r"(?:it|that|this|them|your|the|\w+\s+(?:to|on|in)\s+(?:your|the))|(?:noted?|got|get|have)\s+"
    r"(?:(?:it|that|this|your)\b[^.!?\n]{0,40}\b(?:saved|stored|noted|on\s+record|written\s+down|down)|that\s+you|"
    r"your|it\b|"
    r"that\b|this\b)|(?:wrote|written|write)\s+(?:it|that|this)\s+down|let\s+(?!me\b|us\b|you\b)\w+\s+know|keep\s+"
    r"(?:that|it|this|your|these)\b(?!\s+(?:short|brief|simple))|learned\s+(?:that|your)|go(?:ne)?\s+ahead|"
    r"went\s+ahead|start(?:ed)?\s+"
    r"(?:the|your)|did\s+(?:it|that|this|so|what|as)|do\s+(?:it|that|this|so)\b|checked?\s+(?:you|your\s+(?:calendar|"
    r"e-?mail|inbox))|"
    r"use\s+that\s+from\s+now|come\s+back\s+to\s+you|get\s+back\s+to\s+you|leave\s+(?:it|that)\s+(?:on|off|saved)|"
    r"be\s+sure\s+to\s+(?:remember|send|save|store|note|delete|remind|tell|call|let|book|keep|do)|"
    r"help(?:ed)?\s+myself|look(?:ed|ing)?\s+into|look(?:ed)?\s+(?:it|that|this)\s+up|checked\s*(?:,|and\b|with\b|"
    r"on\b|for\s+you\b|your\b)|let\s+you\s+know|"
    r"(?:get|be|keep)\s+in\s+touch|got\s+in\s+touch|reach(?:ed)?\s+out|follow(?:ed)?\s+up|report\s+back|"
    r"get\s+back\s+to|see\s+to\s+it|"
    r"(?:check|look|ask|see|find\s+out|work|go)\b[^.!?\n]{0,60}\b(?:and|then)\b[^.!?\n]{0,40}\b(?:back\s+to\s+you|"
    r"know|in\s+touch|report))",
    re.IGNORECASE,
)
_ADVERB = (
    r"(?:now|just|already|successfully|also|gladly|definitely|certainly|happily|always|never|automatically|safely|"
    r"immediately|quickly|duly|personally|then|therefore|since|recently|carefully|permanently|only)"
)
_FIRST = re.compile(
    rf"\b(?P<who>i|we)(?P<how>\s+(?:have|had|ve|will|shall|ll|am\s+going\s+to|are\s+going\s+to|am\s+about\s+to|am|are)|"
    rf"['’](?:ve|d|ll|m\s+going\s+to|re\s+going\s+to|m\s+about\s+to|m|"
    rf"re))?(?:\s+{_ADVERB})*+\s+(?P<verb>[a-z]+(?:-[a-z]+)?)\b",
    re.IGNORECASE,
)
_IRREGULAR_PAST = frozenset(
    str.split(
        "sent took put set sold bought paid built cut shut ran wrote threw drove flew brought hid dealt left "
        "lent lost made met rode sang spent stole swept taught told undid woke won done taken gone written "
        "driven forgotten forgot hidden shown thrown given placed reset"
    )
)
_IDIOM = re.compile(
    r"\b(?:consider\s+(?:(?:it|that|this)\s+\w+|(?:the|your)\s+(?:\w+\s+){1,2}?(?:\w+ed|sent|set|done|paid|gone))|"
    r"i['’]?\s?a?m\s+on\s+(?:it|that)|i\s+(?:won['’]?t|will\s+not|will\s+never|shall\s+not)\s+"
    r"forget|i['’]ll\s+never\s+forget|(?:is|are|it['’]s|they['’]re)\s+on\s+(?:its|their|the)\s+way|went\s+through|"
    r"you(?:['’]re|\s+are)\s+all\s+set|(?:it|that|this|everything)(?:['’]s|\s+is|\s+has\s+been|\s+was)\s+(?:all\s+|"
    r"now\s+)?"
    r"(?:done|set\s+up|taken\s+care\s+of|handled|sorted|saved|stored|noted|in\s+place)|mission\s+accomplished|"
    r"you(?:['’]ll|\s+will)\s+(?:be\s+(?:reminded|notified|informed|contacted|called)|(?:get|receive)\s+(?:a|an|the|"
    r"your)\s+"
    r"(?:reminder|e-?mail|message|notification|confirmation|call))|i\s+(?:now|'ll)\s+(?:know|remember)|"
    r"i\s+remember\s+(?:it|that)"
    r"\s+now|i\s+now\s+know|in\s+my\s+memory\s+now|(?:is|are)\s+now\s+(?:on|off|gone|in\s+(?:my|your))|"
    r"(?:is|are)\s+(?:gone|off|on)\s+now|good\s+to\s+go)\b",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    rf"(?P<what>[^,;:.!?\n]{{0,100}}?)\b(?P<how>(?:has|have)\s+(?:{_ADVERB}\s+)*been|(?:is|are|was|"
    rf"were)(?:\s+being)?|will\s+be|"
    rf"got)(?P<adverb>(?:\s+{_ADVERB})*+)\s+(?P<did>{_DID})\b(?P<after>[^,;:.!?\n]{{0,60}})",
    re.IGNORECASE,
)
_NOW = re.compile(r"\b(?:now|just|successfully)\b", re.IGNORECASE)
_HISTORY = re.compile(
    r"^\s*(?:(?:for\s+the\s+first\s+time\s+)?(?:in|on|around|about|since|between|during|before|"
    r"after)\s+(?:the\s+)?(?:early\s+|late\s+)?"
    r"(?:\d|[A-Z]|(?:first|second|third|\w+th)\s+(?:century|decade)|(?:antiquity|ancient|medieval|modern))|"
    r"by\s+(?!me\b)\w)"
)
_AS_A_RULE = re.compile(
    r"\b(?:usually|often|typically|generally|normally|always|sometimes|commonly|every|when|if|by\s+\w+ing)\b", re.I
)
_UNDONE = re.compile(
    r"\b(?:not|no|nothing|never|cannot|can['’]?t|couldn['’]?t|won['’]?t|haven['’]?t|hasn['’]?t|didn['’]?t|wasn['’]?t|"
    r"weren['’]?t|"
    r"isn['’]?t|aren['’]?t|unable|if|once|when|whenever|should|could|would|might|must|can|unless|whether|until|"
    r"before|after|"
    r"how|to|so\s+that|in\s+case)\b",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"^(?:[\s\-*•>\"'“✅✓☑👍]|\b(?:ok|okay|sure|great|alright|all\s+right|perfect|of\s+course|certainly|absolutely|yes|"
    r"yep|"
    r"right\s+away|no\s+problem|thanks|thank\s+you|got\s+it|understood|gladly)\b[\s,.!:–—-]*)+",
    re.IGNORECASE,
)
_ALONE = re.compile(
    rf"(?:(?:successfully|all|now|just|already)\s+)?(?:{_DID}|all\s+set|sorted|finished|on\s+it|"
    rf"will\s+do)(?P<after>\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_NOUN_DONE = re.compile(
    rf"(?:[^\W\d_]+\s+){{1,2}}?(?:(?:successfully|now)\s+)?(?:{_DID}|complete|successful|confirmed)\b(?P<after>.*)",
    re.IGNORECASE | re.DOTALL,
)
_DOING = re.compile(r"(?P<verb>[a-z]{2,16}ing)\b(?P<after>.*)", re.IGNORECASE | re.DOTALL)
_NOT_DOING = frozenset(
    str.split(
        "thing something anything nothing everything king ring spring string morning evening during according "
        "regarding considering including concerning assuming being having using looking thinking speaking "
        "starting going depending following rising falling living building painting meeting wedding feeling "
        "meaning interesting amazing"
    )
)
_ASKS = re.compile(
    r"\?|^\s*(?:what|who|whom|whose|when|where|which|why|how|is|are|was|were|do|does|did|has|have|can|could|should|"
    r"would|"
    r"define|explain|describe|tell\s+me|list|name|summari[sz]e|compare|search|find|look\s+up|cite)\b",
    re.IGNORECASE,
)
_WROTE = re.compile(
    rf"\b(?:i|we)(?:\s+have|['’]ve|\s+just|['’]ll|\s+will)(?:\s+{_ADVERB})*+\s+(?:saved|stored|sent|e-?mailed|"
    rf"deleted|scheduled|"
    r"booked|posted|published|uploaded|save|store|send|e-?mail|delete|schedule|book|post|publish|remember)\s+"
    r"(?:it|this|that|the\s+(?:poem|story|song|text|joke|lyrics|slogan)|your)\b"
    r"|^\W*(?:saved|stored|sent|done|posted|scheduled|booked)\b[^\n]{0,40}$",
    re.IGNORECASE,
)


def claims_a_deed(text: str, question: str = "", *, is_written: bool = False, done: Collection[str] = ()) -> bool:
    """Say whether a text claims a deed that was not done; `done` are the effects that wrote something.

    `is_written`: it is a poem or a story, whose people may do what they like; then only its first and last line are
    read, for what the writer says of the writing itself. A few words are neither, unless a slogan was asked for.
    """
    text = text[:_MAX_READ]
    text = _plain(text)
    lines = [line for line in text.splitlines() if line.strip()]
    is_text = len(lines) > 1 or len(_WORD.findall(text)) > _FEW_WORDS or _SHORT_TEXT.search(question) is not None
    if is_written and is_text:
        return any(_WROTE.search(line) for line in dict.fromkeys((*lines[:1], *lines[-1:])))
    asks = _ASKS.search(question) is not None
    about_asker = _ABOUT_ASKER.search(question) is not None
    if not done and _says_yes_to_a_deed(text, question):
        return True
    is_stored = not _STORES.isdisjoint(done)
    return any(
        _claims(piece.group(), asks, about_asker) and not (is_stored and _only_stores(piece.group()))
        for piece in _SENTENCES.finditer(text)
    )


_FEW_WORDS = 12
_SHORT_TEXT = re.compile(
    r"\b(?:slogans?|titles?|captions?|tag\s?lines?|headlines?|mottos?|lines?|haikus?|puns?|jokes?)\b", re.I
)
_MARKS = re.compile(r"[*`~#\u00ad\u200b-\u200f\u2060\ufeff]+|(?<!\w)_+|_+(?!\w)")
_SPACED = re.compile(r"(?<!\w)(?:[a-z] ){3,20}[a-z](?!\w)", re.IGNORECASE)
_ABOUT_ASKER = re.compile(r"\b(?:i|me|my|mine|we|us|our|you)\b", re.IGNORECASE)


def _plain(text: str) -> str:
    """A text without the marks of its layout: "I have **saved** it"."""
    return _SPACED.sub(lambda found: re.sub(r"\s", "", found.group()), _MARKS.sub("", text))


_STORES = frozenset(["write_profile", "write_fact"])
_STORING = re.compile(
    r"\b(?:sav(?:e|ed|ing)|stor(?:e|ed|ing)|remember(?:ed)?|not(?:e|ed)|record(?:ed)?|kept|keep|memori[sz]ed?|"
    r"learned|know|"
    r"updat(?:e|ed)|chang(?:e|ed)|set|add(?:ed)?|forget|done|got)\b",
    re.IGNORECASE,
)
_OTHER_DEED = re.compile(
    r"\b(?:sen[dt]|e-?mail\w*|messag\w*|forward\w*|post(?:ed)?|publish\w*|delet\w*|remov\w*|eras\w*|wip\w*|cancel\w*|"
    r"schedul\w*|"
    r"book(?:ed|ing)?|reserv\w*|order(?:ed)?|bought|buy|paid|pay|transfer\w*|call(?:ed)?|remind\w*|reminder|calendar|"
    r"alarm|told|"
    r"notif\w*|inform(?:ed)?|print\w*|open(?:ed)?|clos(?:e|ed)|install\w*|turned|switched)\b",
    re.IGNORECASE,
)


def _only_stores(sentence: str) -> bool:
    """Say whether a claim is of storing something, and of nothing else."""
    return _STORING.search(sentence) is not None and _OTHER_DEED.search(sentence) is None


def _claims(sentence: str, asks: bool, about_asker: bool) -> bool:
    return (
        _says_of_itself(sentence)
        or any(
            not _is_undone(sentence, found.start()) and not (asks and _is_relative(sentence, found))
            for found in _IDIOM.finditer(sentence)
        )
        or _says_alone(sentence, asks)
        or _says_passively(sentence, asks, about_asker)
        or _says_of_asker(sentence)
        or _promises(sentence)
    )


def _is_relative(sentence: str, found: re.Match[str]) -> bool:
    """Say whether a piece that begins with "that" says what kind of thing is meant: "a file that is stored"."""
    return found.group().lower().startswith("that") and _NOUN_BEFORE.search(sentence[: found.start()]) is not None


_NOUN_BEFORE = re.compile(r"\b(?!(?:ok|okay|yes|sure|so|and|now|well|done|great)\b)\w+\s+$", re.IGNORECASE)
_THINGS = (
    r"(?:links?|codes?|passwords?|confirmations?|receipts?|invoices?|messages?|notes?|letters?|e-?mails?|mails?|"
    r"tickets?|"
    r"refunds?|payments?|money|amount|parcels?|packages?|orders?|reminders?|notifications?|replies|reply|answers?|"
    r"calls?|"
    r"reservations?|bookings?|appointments?|requests?|complaints?|reports?|transfers?|deposits?|changes?|texts?|"
    r"tweets?|posts?)"
)
_PLACES = (
    r"(?:inbox|mailbox|mail|e-?mail|phone|card|bank\s+account|account|calendar|diary|agenda|(?:\w+\s+)?lists?|basket|"
    r"cart|profile|"
    r"files?|notes|memory|records|database|contacts|favou?rites|queue|playlist|schedule|(?:name|address)(?!\s+is\b))"
)
_OF_ASKER = re.compile(
    rf"\b(?:is|are|was|were|has\s+been|have\s+been|has|have|arrived|landed|sits?|went|waiting|now)\b[^.!?\n]{{0,40}}?\b"
    rf"(?:in|on|to|into|at)\s+(?:your|my|our)\s+(?:own\s+)?{_PLACES}\b|\b(?:is|are)\s+(?:\w+\s+)?on\s+(?:file|record)\b"
    rf"|\b(?:check|see)\s+your\s+(?:inbox|mailbox|e-?mails?|mails?|phone|spam)\w*\s*(?::|for\s+(?:the|a|an|your|my)\b)"
    rf"|\byou\s+(?:should|must|will)\s+(?:now\s+|already\s+|soon\s+|shortly\s+)?(?:have|receive|get|find|see|"
    rf"hear)\b[^.!?\n]{{0,30}}?"
    rf"(?:\b{_THINGS}\b|\bfrom\s+(?:us|me|our)\b)"
    rf"|\byou\s+(?:are|were)\s+(?:(?:now|already|all|successfully)\s+)*(?:booked|registered|signed\s+up|subscribed|"
    rf"unsubscribed|enroll?ed|"
    rf"logged\s+(?:in|out)|checked\s+in|confirmed|added|removed|upgraded|charged|refunded|invited|reserved|scheduled|"
    rf"set\s+up)\b"
    rf"|\byou\s+(?:have|were|got)\s+(?:(?:now|already|just|successfully)\s+)*(?:been\s+)?(?:now\s+)?{_DID}\s*(?:$|"
    rf"[.!]|now\b|from\b|for\b)"
    rf"|\byou\s+are\s+now\s+(?:in|on|at|off)\b|\byour\s+(?:\w+\s+){{1,3}}?(?:no\s+longer\s+exists?|(?:is|"
    rf"are)\s+(?:gone|no\s+more|live|on\s+the\s+way))\b"
    rf"|\b(?:got|received|has|have)\s+your\s+{_THINGS}\b"
    rf"|\byour\s+(?:\w+\s+)?(?:refunds?|payments?|bookings?|reservations?|orders?|appointments?|transfers?|deposits?|"
    rf"changes?)\s+"
    rf"(?:was|were|has\s+been|have\s+been|is|are)\s+(?:(?:now|just|already)\s+)?made\b"
    rf"|\byour\s+(?:\w+\s+){{1,3}}?(?:is|are)\s+(?:(?:now|already)\s+)?with\s+(?:our|my|the|a)\b"
    rf"|\b(?:it|they|that)\s+(?:is|are)\s+(?:now\s+|all\s+)?gone(?:\s+(?:for\s+good|now|forever))?\s*(?:$|[.!,])"
    rf"|\b(?:it|they|that|the\s+{_THINGS}|your\s+\w+)\s+(?:went|has\s+gone|have\s+gone)\s+(?:out|"
    rf"through)\b(?!\s+in\s+\d)"
    rf"|\b(?:it|they|that|this)\s+(?:is|are)\s+(?:now\s+(?:on|off)|(?:on|off|in)\s+now|back\s+(?:on|off))\b"
    rf"|\bfrom\s+now\s+on\b[^.!?\n]{{0,20}}\bi\b|\bi\b[^.!?\n]{{0,30}}\bfrom\s+now\s+on\b|\bfiled\s+away\b"
    rf"|\b(?:your|the)\s+\w+(?:\s+\w+)?\s+knows?\s+now\b|\byou\s+have\s+(?:now\s+|just\s+|already\s+)?been\s+{_DID}\b"
    rf"|\byour\s+(?:(?!that\b|which\b|who\b)\w+\s+){{1,4}}?(?:has|have)\s+(?:\w+ly\s+|now\s+|"
    rf"already\s+)?been\s+(?:\w+ed|\w+en|sent|cast|put|set|cut|made|paid)\b"
    rf"|\bas\s+(?:you\s+)?(?:requested|instructed|wished)\b|\bas\s+you\s+asked\b|\b(?:my|your)\s+(?:memory|notes|"
    rf"records|database|profile)\s+"
    rf"(?:has|have|is\s+now|are\s+now|now)\b|\byou\s+have\s+(?:\w+\s+){{0,3}}?(?:new|unread)\s+{_THINGS}\b"
    rf"|\bi\s+found\s+[^.!?\n]{{1,40}}\bin\s+your\s+{_PLACES}\b|\b(?:uploading|sending|saving|deleting|installation|"
    rf"deployment|upload|"
    rf"download|backup|transfer|update|change|post|tweet|delivery|deletion|cancellation|booking|reservation|payment)\s+"
    rf"(?:(?:has|was|is|were|are)\s+(?:now\s+)?)?(?:succeeded|successful|finished|complete|completed|live|confirmed|"
    rf"in\s+progress)\b"
    rf"|[:,]\s*(?:all\s+)?(?:confirmed|booked|saved|done|noted|sent|scheduled|reserved)\s*[.!]?\s*$|"
    rf"\bwill\s+do\s*[.!]?\s*$"
    rf"|^\W*{_THINGS}\s+(?:successfully\s+)?{_DID}\s+(?:to|for|from|with)\b"
    rf"|\bi\s+(?:have|just)\s+(?:just\s+|now\s+|also\s+)?added\s+(?!the\b|up\b|\d|(?:an?|some|two|three|"
    rf"more)\s+(?:\w+\s+)?(?:examples?|comments?|lines?|"
    rf"details?|explanations?|words?|sentences?|sources?)\b)",
    re.IGNORECASE,
)


def _says_of_asker(sentence: str) -> bool:
    """What has come to the asker, or is true of them by a deed: "A link is in your inbox", "You're booked"."""
    full = _expanded(sentence)
    if _AS_A_RULE.search(full) or _IF_YOU.search(full):
        return False
    for found in _OF_ASKER.finditer(full):
        if not _is_undone(full, found.start()) and not _RELATIVE.search(full[: found.start()]):
            return True
    return False


_WHO_ELSE = (
    r"(?:someone|somebody|an?\s+(?:colleague|human|agent|expert|specialist|member|representative|technician|courier|"
    r"person|driver)"
    r"(?:\s+of\s+\w+(?:\s+\w+)?)?|one\s+of\s+(?:us|our\s+\w+|my\s+\w+)|(?:our|my)\s+\w+(?:\s+\w+)?|we|support|"
    r"the\s+(?:team|support|staff|colleagues|service))"
)
_LET_ME = "|".join(sorted(PLAIN - frozenset(str.split("set note remind tell call start do run keep place"))))
_PROMISE = re.compile(
    rf"\b{_WHO_ELSE}\s+(?:will|shall|is\s+going\s+to|are\s+going\s+to)\s+(?:\w+\s+){{0,2}}?"
    r"(?:call|ring|phone|contact|reach|get|be|come|follow|look|let|inform|notify|send|write|reply|respond|answer|"
    r"take|deal|"
    r"see|handle|check|investigate|refund|fix|deliver|arrive|help)\b"
    r"|\b(?:our|my)\s+(?:team|staff|colleagues?|support|engineers?|experts?|people|office|"
    r"service)(?:\s+\w+)?\s+(?:is|are|has|have)\b"
    r"|\blet\s+me\s+(?:just\s+|quickly\s+)?(?:check\b(?!\s*:)|look\s+(?:into|that\s+up|it\s+up|this\s+up)|find\s+out|"
    r"go\s+and|"
    rf"ask\s+(?!you\b)|"
    rf"(?:{_LET_ME})\b\s+(?:it|that|this|your|the|you)\b)"
    r"|\b(?:one|a|just\s+a)\s+(?:moment|second|minute)\s*(?:please|while\s+i)\b|\b(?:hold|hang)\s+on\s+while\s+i\b"
    r"|\b(?:a|the|your)\s+(?:\w+\s+)?(?:taxi|cab|courier|driver|technician|plumber|doctor|ambulance|parcel|package|"
    r"pizza|order)\s+(?:is|are)\s+"
    r"(?:now\s+|already\s+)?(?:coming|on\s+(?:its|the|their|his|her)\s+way|en\s+route)\b",
    re.IGNORECASE,
)


def _promises(sentence: str) -> bool:
    """What others will do for the speaker, or the speaker before answering: "Somebody will call you back"."""
    full = _expanded(sentence)
    return any(not _is_undone(full, found.start()) for found in _PROMISE.finditer(full))


_SHORT = (
    (re.compile(r"['’]s(?=(?:\s+\w+)?\s+been\b)", re.IGNORECASE), " has"),
    (
        re.compile(
            r"(?<=\b(?:it|he))['’]s\b|(?<=\b(?:she|who))['’]s\b|(?<=\b(?:that|this|here))['’]s\b", re.IGNORECASE
        ),
        " is",
    ),
    (re.compile(r"(?<=\beverything)['’]s\b|(?<=\bthere)['’]s\b", re.IGNORECASE), " is"),
    (re.compile(r"['’]ve\b", re.IGNORECASE), " have"),
    (re.compile(r"['’]re\b", re.IGNORECASE), " are"),
    (re.compile(r"['’]ll\b", re.IGNORECASE), " will"),
)


def _expanded(sentence: str) -> str:
    """A sentence with its short forms written out."""
    for short, full in _SHORT:
        sentence = short.sub(full, sentence)
    return sentence


_IF_YOU = re.compile(
    r"\b(?:once|if|when|whenever|after|unless|until|as\s+soon\s+as|should)\s+(?:you|your|the|it|they)\b", re.IGNORECASE
)
_RELATIVE = re.compile(r"\w\s+(?:that|which|who|whose|where)(?:\s+\w+)?\s*$", re.IGNORECASE)


def _says_of_itself(sentence: str) -> bool:
    for found in _STILL_A_DEED.finditer(sentence):
        if not _is_undone(sentence, found.start()):
            return True
    for found in _FIRST.finditer(sentence):
        verb, how = found.group("verb").lower(), " ".join((found.group("how") or "").lower().split())
        if (
            verb in _TALK
            or _is_undone(sentence, found.start())
            or re.search(r"\bnever\b", found.group(), re.IGNORECASE)
        ):
            continue
        if how in ("am", "are", "'m", "’m", "'re", "’re"):
            if verb.endswith("ing") and verb not in _NOT_DOING:
                return True
        elif (
            how.endswith(("will", "shall", "ll", "to"))
            or verb in _IRREGULAR_PAST
            or (verb.endswith("ed") and len(verb) > 3)
        ):
            return True
    return False


def _is_past(verb: str) -> bool:
    return verb in _IRREGULAR_PAST or (verb.endswith("ed") and len(verb) > 3)


def says_alone(sentence: str) -> bool:
    """Say whether a sentence tells a deed without a subject, as an answer to a question."""
    return _says_alone(_plain(sentence), True)


def _says_alone(sentence: str, asks: bool) -> bool:
    """Told without a subject, or with a bare noun: "Saved.", "Report sent to Carol.", "Deleting it now"."""
    bare = _COURTESY.sub("", sentence, count=1).strip()
    pieces = _PIECES.split(bare)
    return _is_alone(bare, asks) or (len(pieces) > 1 and _is_alone(pieces[0], asks))


_PIECES = re.compile(r"[,;]|:\s|\s+[-–—]\s*")


def _is_alone(bare: str, asks: bool) -> bool:
    for pattern in (_ALONE, _NOUN_DONE):
        found = pattern.match(bare)
        if found is None or len(_WORD.findall(bare)) > 12 or bare.endswith("?"):
            continue
        if _HISTORY.match(found.group("after")) and (asks or pattern is _NOUN_DONE):
            continue
        if _UNDONE.search(bare[: found.start("after")]) or _has_verb(found.group("after")):
            continue
        noun = [word.lower() for word in _WORD.findall(bare)[:3]]
        if pattern is _NOUN_DONE and (
            noun[0] in _NO_NOUN
            or not wording.AUXILIARIES.isdisjoint(noun)
            or not (_SAYS_NO_MORE if asks else _GOES_ON).match(found.group("after"))
        ):
            continue
        return True
    doing = _DOING.match(bare)
    if doing is None or doing.group("verb").lower() in _NOT_DOING or doing.group("verb").lower() in _TALK:
        return False
    words = _WORD.findall(doing.group("after"))
    if not words and _is_deed_ing(doing.group("verb").lower()):
        return True  # "Sending..."
    return bool(words) and len(words) <= 12 and not asks and not _has_verb(doing.group("after"))


def _is_deed_ing(verb: str) -> bool:
    stem = verb.removesuffix("ing")
    return not PLAIN.isdisjoint((stem, f"{stem}e", stem[:-1]))


_SAYS_NO_MORE = re.compile(r"\s*(?:successfully|now)?\W*$", re.IGNORECASE)
_GOES_ON = re.compile(r"\W*$|\s*(?:successfully|now|to|for|at|on|in|from|as|by|with|and)\b", re.IGNORECASE)
_NO_NOUN = frozenset(
    str.split("a an the no not you he she they it this that these those who which what how to when where if")
)


def _has_verb(text: str) -> bool:
    """Say whether a finite verb follows: then the words before it are what is spoken of."""
    tokens = wording.TOKEN.findall(text)[:20]
    return any(
        wording.is_verb(token, tokens[at - 1] if at else None) and token.casefold() not in ("has", "have")
        for at, token in enumerate(tokens)
    )


_LATELY = re.compile(
    r"\b(?:yesterday|today|tonight|this\s+(?:morning|afternoon|evening|week)|last\s+(?:night|week)|earlier|"
    r"(?:\w+\s+){0,2}(?:seconds?|minutes?|moments?|hours?)\s+ago|a\s+(?:moment|while)\s+ago|tomorrow|"
    r"on\s+(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
_FOR_YOU = re.compile(
    r"\b(?:for\s+(?:you|me)|on\s+your\s+behalf|(?:under|in)\s+your\s+name|as\s+(?:you\s+)?(?:asked|requested|wished|"
    r"ordered|wanted)|"
    r"(?:to|from|in|on|into)\s+your)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\s*(?:\w+\s+){0,2}?(?:it|that|this|they|these|those|everything|all|both|he|she)\s*$", re.IGNORECASE
)
# States that things are in by themselves: nobody need have done anything.
_STATES = frozenset(
    str.split("closed opened locked called set kept stored signed published paid run started told named")
)


def _says_passively(sentence: str, asks: bool, about_asker: bool) -> bool:
    full = _expanded(sentence)
    for found in _PASSIVE.finditer(full):
        what, after = found.group("what"), found.group("after")
        if _UNDONE.search(what) or _is_undone(full, found.start()) or _HISTORY.match(after):
            continue
        if _AS_A_RULE.search(full) or _IF_YOU.search(full) or (_RELATIVE.search(what) and asks):
            continue
        if not asks or _is_done_lately(found) or _is_done_to_asker(found, about_asker):
            return True
    return False


def _is_done_lately(found: re.Match[str]) -> bool:
    told = f"{found.group('how')} {found.group('adverb')} {found.group('after')}"
    return _NOW.search(told) is not None or _LATELY.search(told) is not None


def _is_done_to_asker(found: re.Match[str], about_asker: bool) -> bool:
    """Said of the asker's things, for the asker, of whoever was told, or of "it" as the last thing that was spoken "
    "of."""
    what, after, did = found.group("what"), found.group("after"), found.group("did").lower()
    how = found.group("how").lower()
    is_perfect = how.endswith(("been", "got"))
    if re.search(r"\byour\b", what, re.IGNORECASE) or (
        _FOR_YOU.search(after) and (is_perfect or not re.search(r"\byour\b", after, re.IGNORECASE) or "name" in after)
    ):
        return True
    if is_perfect and (did in CONTACTED or _PRONOUN.match(what)):
        return True
    says_no_more = not _WORD.search(after)
    return (
        _PRONOUN.match(what) is not None
        and says_no_more
        and how in ("is", "are")
        and (about_asker or did not in _STATES)
    )


_ASKS_IF_DONE = re.compile(
    r"\b(?:did|have|had|will|were)\s+(?:you|we)\s+(?:(?:already|ever|really|just|actually|please|also|"
    r"able\s+to)\s+)*(?P<verb>[a-z-]+)"
    r"(?P<whom>\s+(?:me|us|of|about|that|it)\b)?",
    re.IGNORECASE,
)
_ASKS_OF_OWN = re.compile(
    rf"\b(?:is|are|was|were|has|have|did)\s+(?:my|our)\s+[^?\n]{{1,60}}?\b(?:{_DID}|{'|'.join(sorted(PLAIN))}|go)\b",
    re.IGNORECASE,
)
_SAYS_YES = re.compile(
    r"\W*(?:yes|yep|yeah|yup|sure|of\s+course|certainly|absolutely|indeed|correct|right|definitely|affirmative|"
    r"i\s+(?:have|did|do|will|sure\s+did|certainly\s+did|already\s+did)|it\s+(?:is|was|has|did)|they\s+(?:are|were|"
    r"have|did)|all\s+of)\b",
    re.IGNORECASE,
)
_NO_DEED = frozenset(
    str.split("told tell asked ask called call written write noted note added add made make kept keep")
)


def _says_yes_to_a_deed(text: str, question: str) -> bool:
    """A yes to the question whether a deed was done: "Did you save my address?" "Yes, I did."."""
    if not _SAYS_YES.match(text):
        return False
    if _ASKS_OF_OWN.search(question):
        return True
    for found in _ASKS_IF_DONE.finditer(question):
        verb = found.group("verb").lower()
        if verb not in _TALK or (verb in _NO_DEED and found.group("whom") is None):
            return verb not in ("not", "have", "like", "enjoy", "mean", "sleep", "study")
    return False


def _is_undone(sentence: str, at: int) -> bool:
    """Say whether what stands before a place in its clause takes it back: not, if, could."""
    return _UNDONE.search(re.split(r"[,;:–—]|\bbut\b|\band\b", sentence[max(0, at - _LOOK_BACK) : at])[-1]) is not None
