"""Orders that nobody here can perform: who is not asked then, and that no engine is.

Pure and linear. A language engine can neither act nor store; asked to, it can only say that it did. So a text that
orders a deed, in any of its sentences, politely or not, reaches the agents that read memory and compute, without an
engine; who does nothing but write with one is not asked. A question about a deed ("How do I delete a file?") is no
order of it, and neither is a text that is to be written, explained or worked on.

An order begins with a verb in its plain form and goes on with what it is done to ("lock the door", "back up my
laptop"). Any word in that place is taken for such a verb unless it is known to be none, or to ask for words only. Who
has others do it orders it too ("have somebody ring me", "let Ana know", "make sure the door is shut"), and so does who
says what is to be done ("I want my account closed", "my booking needs to be moved"); there the verb must be one of a
deed (`deed_verbs`), since people speak of themselves in the same way.
"""

import re
from collections.abc import Sequence

from mace.agents import router
from mace.agents.deed_verbs import PARTICIPLES, PLAIN

_WRITERS = ("creative_agent", "strategy_agent", "knowledge_agent")
_MAX_READ = 8_000
_SPACES = re.compile(r"[^\S\n]{2,}")

_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]?")
_IDIOM = re.compile(
    r"\b(?:do me a favou?r|go ahead|be (?:a|an) (?:dear|darling|star|sweetheart|gem|angel|love)|be (?:so )?(?:kind|"
    r"good)|go) and\b",
    re.IGNORECASE,
)
_JOINED = re.compile(r",\s*(?:and\s+|then\s+)*|\s+and\s+(?:then\s+)?|\s+then\s+", re.IGNORECASE)
_OPENING = re.compile(
    r"(?:(?:please|kindly|hey|hi|hello|ok|okay|so|well|now|then|also|just|first|next|finally|and|but|mace|yes|right|"
    r"alright|quickly|immediately|at once|be so kind as to|be so kind to|make sure to|"
    r"make sure you|make sure that you|don['’]t forget to|do not forget to|try to|you can|you should|you must|"
    r"you have to|you need to|you may|i want you to|i need you to|i['’]d like you to|i would like you to|"
    r"i['’]d love you to|"
    r"i ask you to|i am asking you to|i want to have you|(?:can|could|would|will|won['’]t) you|"
    r"(?:can|could) i (?:ask|get) you to|would you be so kind (?:as )?to|would you be able to|are you able to|"
    r"why don['’]t you|how about you|any chance (?:that )?you (?:could|can|might|would)|i insist that you|"
    r"i (?:was|am) wondering (?:whether|if) you (?:might|could|would|can)|it would be (?:nice|great|"
    r"good) if you(?: could)?|"
    r"i['’]d appreciate it if you(?: could| would)?)\b[\s,:!]*)",
    re.IGNORECASE,
)
_ASKS_YOU = re.compile(
    r"\b(?:can|could|would|will|won['’]t|why don['’]t|how about|what about|might|ask|get) you\b|"
    r"\bi (?:want|need|['’]?d like|would like|insist that) you\b|\bany chance (?:that )?you\b",
    re.IGNORECASE,
)
_MIND = re.compile(r"(?:would|do) you mind\s+(?:please\s+)?(?P<verb>\w{2,20})ing\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

# Questions, pronouns, articles, auxiliaries, conjunctions, prepositions; words of talk and feeling.
_NO_VERB = frozenset(
    str.split(
        "what who whom whose when where which why how whether is are was were am be been do does did has have "
        "had can could would will shall should may might must i you he she it we they me him her us them my "
        "your his its our their mine yours this that these those the a an some any no every each all both few "
        "many much most several and or but if because although though while since until unless as than so "
        "then once in on at by for from of off to into onto over under with without within about above across "
        "after against along among around before behind below beneath beside between beyond down during near "
        "out outside through toward towards up upon via yes yeah not nope ok okay hello hi hey thanks thank "
        "sorry please well oh ah wow great good nice fine bad happy glad sad sure right wrong congratulations "
        "congrats cheers bye goodbye goodnight welcome dear love like hate miss need want enjoy prefer wish "
        "hope feel think know believe guess suppose mean seem doubt wonder agree understand see hear forget "
        "never always maybe perhaps today tomorrow yesterday tonight here there only even still already again "
        "too very quite just also such same another other more less first last next new old what's that's "
        "it's i'm i've i'd i'll let's who's where's how's there's can't don't got went came saw met lost "
        "found bought sold made took gave"
    )
)
# Verbs whose order is carried out by saying something.
_TOLD = frozenset(
    str.split(
        "answer argue advise amuse analyse analyze approximate assess assume brainstorm calculate categorize "
        "cite clarify classify compare complete compose compute conjugate consider continue contrast convert "
        "count critique debate decline deduce define demonstrate derive describe design determine "
        "differentiate discuss distinguish draft elaborate enumerate entertain estimate evaluate examine "
        "excuse expand explain explore express factor fill forgive formulate generalize guess help highlight "
        "identify illustrate imagine inspire integrate interpret introduce invent justify let list look "
        "mention model name outline paraphrase pick plan plot point predict pretend prove pronounce propose "
        "provide quote rank rate recap recite recommend rephrase repeat respond restate reword rewrite rhyme "
        "say search show simplify sing sketch solve speak spell state suggest sum summarise summarize talk "
        "teach think trace translate trust try use verify walk-through warn weigh wish work write choose ask "
        "react reply lookup reason refute reflect relate review specify subtract multiply divide add-up round"
    )
)
_EDITS = frozenset(
    str.split(
        "check correct edit fix improve polish proofread shorten lengthen format reformat revise finish "
        "complete convert sort extend condense debug refactor"
    )
)
_WITH_MATERIAL = _EDITS | {"change", "turn", "read", "put"}  # of what stands behind a colon
_MAKES = frozenset(str.split("make create produce generate prepare give get build develop find send come tell"))
_TEXTS = frozenset(
    str.split(
        "poem poems story stories song songs lyrics slogan slogans joke jokes copy plan roadmap strategy list "
        "lists table summary essay letter email e-mail mail text texts sentence sentences paragraph "
        "paragraphs word words grammar spelling translation draft code function script program query regex "
        "recipe menu outline example examples explanation definition idea ideas tip tips advice hint hints "
        "answer answers overview introduction speech toast haiku limerick riddle quiz question questions "
        "argument arguments reason reasons comparison timeline agenda analysis name names title titles "
        "caption headline tweet post article blog report-outline guide tutorial information info details "
        "description sense fraction equation expression number numbers guess look breakdown conclusion "
        "dialogue metaphor analogy pun verse chorus opinion feedback suggestion suggestions fact facts "
        "difference meaning source sources news"
    )
)
_ABOUT_WORDS = frozenset(str.split("me us"))
_OBJECTS = frozenset(
    str.split(
        "the a an my our your his her their its this that these those it them him me us all every each some "
        "any both another everything whatever anything somebody someone everybody everyone anyone anybody one two "
        "three four five six seven eight nine ten eleven twelve twenty thirty forty "
        "fifty hundred"
    )
)
_PARTICLES = frozenset(str.split("up down in out off on over away back ahead through"))
# Verbs that go without an article: "call Peter", "navigate home", "tweet that we won".
_TO_SOMEBODY = frozenset(
    str.split(
        "call phone ring email e-mail mail text message ping invite notify remind contact inform pay tell "
        "alert page dial whatsapp fire hire thank congratulate greet follow unfollow block tweet announce "
        "post navigate drive go order buy book cancel play pause start stop restart reboot shut turn switch "
        "delete remove erase save send open close schedule create set remember install uninstall download "
        "upload update upgrade run execute deploy launch print scan lock unlock mute unmute enable disable "
        "activate subscribe unsubscribe submit publish sign transfer approve"
    )
)
_NEXT_NOT_OBJECT = frozenset(
    str.split("is are was were has have had does did means mean can could would should and or")
)


def all_may_answer(text: str, removed: Sequence[str]) -> tuple[str, ...]:
    """The first version: orders that were declined went to whoever came next."""
    return ()


def who_may_not_answer(text: str, removed: Sequence[str]) -> tuple[str, ...]:
    """The packaged agents that are not asked about this text: who can do nothing but write with an engine."""
    return _WRITERS if asks_for_a_deed(text) else ()


def engine_may_answer(text: str) -> bool:
    """The first version: an engine heard everything."""
    return True


def engine_may_answer_2(text: str) -> bool:
    """Say whether an engine is offered to the agents: not for what it can only claim to have done."""
    return not asks_for_a_deed(text)


def is_order(text: str) -> bool:
    """Say whether the router's rule `command` matches."""
    return _COMMAND.matches(text.strip(), False)


def asks_for_a_deed(text: str) -> bool:
    """Say whether a text orders, in one of its sentences, something that takes more than words."""
    text = _SPACES.sub(" ", text[:_MAX_READ].replace("’", "'"))
    quoted = re.sub(r"\"[^\"\n]{0,2000}\"|“[^”\n]{0,2000}”|```.{0,4000}?```", " it ", text, flags=re.DOTALL)
    for sentence in _SENTENCE.findall(quoted):
        spoken = set(sentence.lower().split())
        if not _CAUSING.isdisjoint(spoken) and _by_others(sentence):
            return True
        if not _WANTING.isdisjoint(spoken) and _is_wanted(sentence):
            return True
        head, colon, _ = sentence.partition(": ")
        if _orders(head if colon else sentence, has_material=bool(colon)):
            return True
    return False


_DID = (
    "(?:"
    + "|".join(sorted((did.replace(" ", r"\s+") for did in PARTICIPLES), key=len, reverse=True))
    + r"|gone|off|on|washed|fixed)"
)
_PERSON = (
    r"(?:somebody|someone|anybody|anyone|everybody|everyone|him|her|them|(?:the|my|our|his|her|their|your|one of the|"
    r"one of my)"
    r"(?:\s+\w+){1,3}?|(?-i:[A-Z])[\w'-]+(?:\s+(?-i:[A-Z])[\w'-]+)?)"
)
_LEAD = (
    r"\s*(?:(?:please|kindly|hey|hi|hello|ok|okay|so|well|now|also|just|and|but|mace|oh|then|next|first|yes)\b[\s,!]*)*"
    r"(?P<asked>(?:(?:can|could|would|will|won't) you|i (?:want|need|'d like|would like) you to|i'd like you to|"
    r"you (?:should|must|have to|need to)|"
    r"why don't you|how about you|would you mind|i insist that you|i was wondering (?:whether|if) you (?:might|could|"
    r"would|can)|"
    r"any chance you could|would it be possible to|is it possible to)\s+(?:please\s+|kindly\s+)?)?"
)
# By others: "have Ana ring me", "get somebody to come", "let the team know", "ask the depot", "make sure it is shut".
_CAUSES = re.compile(
    _LEAD + r"(?:"
    rf"have\s+(?:{_PERSON}\s+(?!(?:been|ever|had|is|are|was|were|who|that|of|and|or|any|no|a|an|the|in|on|"
    rf"at)\b)[a-z]+(?<!ed)\b|"
    rf"(?:the|my|our|this|these|a|an|it)\s+(?:\w+\s+){{0,3}}?{_DID}\b)"
    rf"|get\s+{_PERSON}\s+to\s+[a-z]+|get\s+(?:the|my|our|this|these|it)\s+(?:\w+\s+){{0,3}}?{_DID}\b"
    r"|let\s+(?!me\b|us\b|x\b)(?:\w+\s+){1,4}?know\b|let\s+me\s+know\s+(?:when|once|as soon as|whenever)\b"
    rf"|ask\s+(?!me\b|us\b|yourself\b|for\b|about\b|why\b|how\b|what\b)(?:{_PERSON}\b|[a-z]+\s+(?:to|for|whether|if|"
    rf"about|when|where)\b)"
    r"|tell\s+(?!me\b|us\b|a\b|the\s+(?:story|truth|difference|tale|time|joke|history)\b|apart\b)(?:my|our|the|him|"
    r"her|them|every(?:one|body)|(?-i:[A-Z]))\w*"
    r"|(?:make\s+(?:sure|certain)|ensure|see\s+to\s+it|take\s+care)\s+(?:that\s+)?(?P<clause>(?!to\b|you\b|"
    r"that\s+you\b|of\b)\w.*)"
    r"|see\s+that\s+(?P<clause2>(?:the|my|our|this|these|it|everything)\b.*)"
    r")",
    re.IGNORECASE | re.DOTALL,
)
# What is wanted: "I want my account closed", "I'd like to book a table", "my booking needs to be moved".
_WANTS = re.compile(
    r"\s*(?:(?:please|hey|hi|hello|ok|okay|so|well|now|also|and|but|oh)\b[\s,!]*)*(?:"
    r"i(?:\s+(?:want|need|demand|would\s+like|would\s+love|require|wish)|'d\s+(?:like|love))\s+(?:to\s+(?:have|"
    r"get)\s+)?"
    rf"(?:my|our|the|this|that|these|those|an?|all|every|\d+)\s+(?:[\w'-]+\s+){{0,4}}?{_DID}\b"
    r"|(?:i|we)(?:\s+(?:want|need|would\s+like|would\s+love|wish)|'d\s+(?:like|love))\s+to\s+(?:"
    r"(?:unsubscribe|opt\s+out|log\s+out|check\s+in)\b"
    r"|(?:cancel|book|reserve|delete|return|reschedule|unsubscribe|order|reset|activate|deactivate|report)\s+(?:my|"
    r"our|the|this|these|those|an?|two|three|four|\d+)\b"
    r"|(?:change|close|pay|transfer|renew|open|update|move|schedule|submit|file|send|extend)\s+(?:my|our|the|this|"
    r"an?)\s+(?:\w+\s+){0,2}?"
    r"(?:account|subscription|orders?|booking|reservation|appointment|tickets?|membership|contract|flight|seat|table|"
    r"room|password|address|"
    r"invoice|bill|policy|data|card|meeting|call|e-?mail|message|report|plan|number|complaint|claim|payment|money|"
    r"file|files)\b)"
    r"|(?:my|our|the|this|that|these|those|all)\s+(?:[\w'-]+\s+){1,5}?(?:needs?\s+to\s+be|has\s+to\s+be|"
    r"have\s+to\s+be|must\s+be|should\s+be|"
    rf"ought\s+to\s+be|is\s+to\s+be|are\s+to\s+be|needs|"
    rf"wants)\s+(?:\w+ly\s+)?(?P<did>{_DID})(?:\b(?!\s+(?:by\s+(?:the|a|an)\b|every\b|once\s+an?\b|on\s+\w+days\b|"
    rf"[a-z]+s\b)))"
    r"|(?:can|could|may)\s+(?:i|we)\s+(?:please\s+)?(?:have|get)\s+(?:my|our|the|this|these|that)\s+(?:\w+\s+){0,3}?"
    rf"{_DID}\b(?!\s+(?:online|by\s+phone|here)\b)"
    r"|forget\s+(?:everything|all|whatever|anything|what|me)\b(?!\s+(?:i|we)\s+said\b)(?:.{0,40}\b(?:me|my|i)\b|"
    r"\s*[.!]?\s*$)"
    r")",
    re.IGNORECASE | re.DOTALL,
)
# Without one of these words neither can be said.
_CAUSING = frozenset(
    str.split("have get let let's ask tell make ensure see take someone somebody time we should must need shall")
)
_WANTING = frozenset(
    str.split(
        "want need demand like love require wish needs has have must should ought is are wants can could may forget"
    )
)
_SOMEBODY = re.compile(
    r"\s*(?:please\s+)?(?:someone|somebody)\s+(?:please\s+|should\s+|must\s+|needs\s+to\s+|has\s+to\s+|ought\s+to\s+|"
    r"can\s+you\s+)"
    r"(?:please\s+)?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_LETS = re.compile(
    r"\s*(?:(?:please|ok|okay|so|well|now|and|then|come on|it's|it is|about)\b[\s,]*)*(?:let's|let us|time to|"
    r"how about we|shall we|"
    r"we should|we need to|we must|we have to)\s+(?:please\s+|just\s+|now\s+|quickly\s+)?(?P<rest>\w.*)",
    re.IGNORECASE | re.DOTALL,
)


def _by_others(sentence: str) -> bool:
    """Others are to do it, or whoever hears it together with the speaker ("let's delete it")."""
    somebody = _SOMEBODY.match(sentence)
    if somebody is not None:
        return _is_deed(somebody.group("rest"), is_asked=True, has_material=False)
    together = _LETS.match(sentence)
    if together is not None:
        rest = together.group("rest")
        first = rest.split()[0].lower()
        words = [word.lower() for word in _WORD.findall(rest)[1:7]]
        if first in _NOT_TOGETHER or not (_TEXTS | _TALKED_OF).isdisjoint(words):
            return False
        is_plain = first in PLAIN and first != "add" and len(words) > 1
        return is_plain or (
            first in PLAIN | _TO_SOMEBODY and _is_deed(rest, is_asked=False, has_material=": " in sentence)
        )
    found = _CAUSES.match(sentence)
    if found is None or (sentence.rstrip().endswith("?") and found.group("asked") is None):
        return False
    clause = found.group("clause") or found.group("clause2")
    return clause is None or not _is_of_a_text(clause)


_NOT_TOGETHER = frozenset(
    str.split("go start stop play do call note set keep move run drive follow place open tell report")
)


_TALKED_OF = frozenset(str.split("subject topic conversation discussion chat talk point theme"))


def _is_of_a_text(clause: str) -> bool:
    """Say whether what is to be so is a text: "make sure it rhymes", "make sure the poem is short"."""
    words = [word.lower() for word in _WORD.findall(clause)[:8]]
    if not words or any(word in _TEXTS or word in _MANNERS or word.startswith("rhym") for word in words):
        return True
    return (
        words[0] in ("it", "that", "they", "there")
        and len(words) > 1
        and words[1] in ("fits", "makes", "sounds", "reads", "has")
    )


def _is_wanted(sentence: str) -> bool:
    """The speaker says what is to be done, and to what."""
    found = _WANTS.match(sentence)
    if found is None:
        return False
    is_question = sentence.rstrip().endswith("?")
    return (
        not is_question or re.match(r"\s*(?:\w+[\s,!]+){0,2}?(?:can|could|may)\b", sentence, re.IGNORECASE) is not None
    )


def _orders(sentence: str, *, has_material: bool) -> bool:
    clauses = [piece for piece in _JOINED.split(_IDIOM.sub(" ", sentence)) if piece.strip()]
    for at, clause in enumerate(clauses):
        bare, asked = _bare(clause)
        is_question = sentence.rstrip().endswith("?") and not asked
        if at and not _is_imperative(clauses[0]) and not _PLEASE.match(clause):
            continue  # "The king built a house and sold it" orders nothing
        if not is_question and _is_deed(bare, is_asked=asked, has_material=has_material):
            return True
    return False


_PLEASE = re.compile(r"\s*(?:also\s+|then\s+)?(?:please|kindly)\b", re.IGNORECASE)


def _is_imperative(clause: str) -> bool:
    """Say whether a clause can begin an order: by a plain verb, or by asking for something to be done."""
    bare, asked = _bare(clause)
    words = [word.lower() for word in _WORD.findall(bare)[:2]]
    return (
        asked or not words or (words[0] not in _NO_VERB and words[1:] != ["of"] and words[-1] not in _NEXT_NOT_OBJECT)
    )


def _bare(clause: str) -> tuple[str, bool]:
    """A clause without its courtesies, and whether somebody is asked to do it."""
    asked = _ASKS_YOU.search(clause[:60]) is not None
    mind = _MIND.match(clause.strip())
    if mind:
        return f"{mind.group('verb')} {clause.strip()[mind.end() :]}", True
    bare = clause.strip(" \t\"'“”‘-*•>(")
    for _ in range(6):
        shorter = _OPENING.match(bare)
        if shorter is None:
            break
        bare = bare[shorter.end() :]
    return bare, asked


def _is_deed(bare: str, *, is_asked: bool, has_material: bool) -> bool:
    words = _WORD.findall(bare)[:10]
    if not words:
        return False
    verb, rest = words[0].lower(), [word.lower() for word in words[1:]]
    if (
        verb[0].isdigit()
        or verb in _NO_VERB
        or (verb.endswith("ing") and verb not in PLAIN and verb not in ("bring", "ping"))
        or verb.endswith(("'s", "n't"))
        or (len(verb) > 4 and verb.endswith("ed"))
    ):
        return False
    if rest and rest[0] in _NEXT_NOT_OBJECT:
        return False  # it is what is spoken of: "Play is fun"
    if has_material and (verb in _WITH_MATERIAL or verb in _MAKES):
        return False
    special = _by_its_place(verb, words[1:], rest)
    if special is not None:
        return special
    if _is_of_words(verb, rest):
        return False
    had_particle = rest[:1] and rest[0] in _PARTICLES
    while rest and rest[0] in _PARTICLES:
        rest, words = rest[1:], words[1:]
    if not rest:
        return is_asked and verb in PLAIN and len(words) > 0 and bool(had_particle)
    if rest[0] in _OBJECTS or rest[0].isdigit():
        return True
    if verb not in _TO_SOMEBODY or rest[0] == "of" or any(word in _NEXT_NOT_OBJECT for word in rest[:3]):
        return False  # "Call of Duty", "Set theory is hard"
    return not is_asked or words[1][:1].isupper() or len(rest) > 1


_KEPT_IN = frozenset(
    str.split(
        "inbox mailbox email emails e-mail e-mails mail mails messages voicemail calendar diary agenda account "
        "accounts "
        "balance schedule list lists basket cart notes phone bank orders order parcel package flight status profile "
        "subscription reservations bookings appointments notifications contacts groceries"
    )
)
_NUMBERS = frozenset(
    str.split("one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred")
)


def _by_its_place(verb: str, words: Sequence[str], rest: Sequence[str]) -> bool | None:
    """Verbs that are deeds or talk by what they are done to; None for other verbs, and where that does not decide."""
    at_own = any(
        word in ("my", "our", "the") and not _KEPT_IN.isdisjoint(rest[at + 1 : at + 4]) for at, word in enumerate(rest)
    )
    if verb in ("check", "look", "read", "search", "scan", "browse"):
        is_own = any(word in ("my", "our") for word in rest)
        asks_if = rest[:1] and rest[0] in ("whether", "if", "on", "with")
        return True if (is_own and (at_own or asks_if)) else None
    if verb in ("add", "put", "enter"):
        if at_own and any(word in ("to", "in", "on", "into", "onto") for word in rest):
            return True
        if verb == "add" and rest[:1] and (rest[0].isdigit() or rest[0] in _NUMBERS):
            return any(word in ("my", "our") for word in rest)
        return None
    if verb == "make" and rest[:1] in (["me"], ["us"]) and len(rest) > 1:
        return None if rest[1] in _OBJECTS or rest[1] in ("admin", "administrator", "owner") else False
    if verb == "make" and rest[:1] == ["up"] and rest[1:2] and rest[1] in ("a", "an", "some", "something", "one"):
        return False
    if verb == "give" and rest[:1] and rest[0] not in _ABOUT_WORDS:
        to_whom = words[0][:1].isupper() or rest[0] in ("him", "her", "them", "everyone", "everybody", "my", "our")
        return True if to_whom and not any(word in _TEXTS for word in rest[:6]) else None
    return None


def _is_of_words(verb: str, rest: Sequence[str]) -> bool:
    """Say whether an order is carried out by saying something."""
    if verb in _TOLD or _says_it_otherwise(verb, rest):
        return True
    if verb == "tell" and rest[:1] and rest[0] in _ABOUT_WORDS:
        return True
    if verb in ("remind", "read") and len(rest) > 1 and rest[1] in ("what", "who", "how", "why", "when", "where", "of"):
        return True
    if verb in ("find", "look") and (not rest or rest[0] not in ("my", "our", "his", "her", "their")):
        return True
    if verb == "send" and rest[:1] not in (["me"], ["us"]):
        return False
    if verb == "give" and rest[:1] and rest[0] in _ABOUT_WORDS:
        return True
    if verb in _MAKES or verb in _EDITS:
        return any(word in _TEXTS for word in rest[:6])
    return False


def _says_it_otherwise(verb: str, rest: Sequence[str]) -> bool:
    """Say whether what was said is to be said in another way: "shorten that", "make it simpler"."""
    if rest[:1] not in (["that"], ["it"], ["this"]):
        return False
    if verb in ("shorten", "lengthen", "condense"):
        return len(rest) == 1 or rest[1] in ("a", "to", "into", "please", "even", "further", "some", "by")
    if verb in ("make", "keep"):
        return any(word in _MANNERS for word in rest[1:4])
    if verb in ("put", "turn"):
        into = len(rest) > 3 and rest[1] in ("in", "into") and rest[2] not in ("the", "my", "our", "your")
        return into and any(word in _TEXTS for word in rest[2:6])
    return False


_MANNERS = frozenset(
    str.split(
        "short shorter brief briefer long longer simple simpler plain plainer clear clearer funny funnier formal "
        "informal polite politer friendly friendlier concise detailed readable easier rhyme"
    )
)
_COMMAND = next(rule for rule in router.RULES if rule.name == "command")
