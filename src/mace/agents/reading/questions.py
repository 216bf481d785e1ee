"""What a clause asks about its speaker: forms as data, each with the attribute it asks for.

Pure. Questions with a verb ("where do I live", "do you know where I live") stand in `FORMS`, in direct and indirect
order; questions with a noun ("what's my shoe size", "the name of my dog") are read by their noun.
"""

import re
from dataclasses import dataclass, replace

from mace.agents.profile_text import shown_value
from mace.agents.reading import attributes, beings, refusals, values, wording
from mace.agents.reading.attributes import Wanted, name_of, wanted
from mace.agents.reading.sentences import rule
from mace.agents.reading.statements import Told, shown_phrase, told_in
from mace.agents.reading.words import words_in
from mace.memory.keys import MAX_COMPONENT, normalise


@dataclass(frozen=True, slots=True)
class Asked:
    """One question. `expected` is the value that a yes or no is wanted about; `kind` what the value must be like."""

    about: Wanted
    expected: str | None = None
    kind: str | None = None  # color, day, place
    plural: bool = False


_WRAPPERS = rule(
    r"(?:(?:can|could|would|will) you (?:please |kindly |maybe |quickly )?|please |kindly |pls |so,? "
    r"|and |but |ok(?:ay)?,? |hey,? |quick question[:,]? |i(?:'d| would) like (?:you )?to (?:know"
    r"|tell me)[:,]? |"
    r"do you (?:still |happen to |perhaps |by any chance |actually |even )?(?:know|remember"
    r"|recall)(?: by any chance)?[:,]? |(?:tell|remind|show|give) me(?: again| please)?(?: of"
    r"| about)?[:,]? |"
    r"(?:any|got any|have you any|do you have any|have you got any) (?:idea|clue)(?: about| of)?[:,]? "
    r"|i (?:wonder|was wondering|am wondering|forgot|forget|have forgotten|can't remember|can't recall"
    r"|don't remember|don't recall|need to know|want to know)(?: again)?[:,]? |"
    r"i(?:'ve| have) forgotten |i'm wondering |i bet you (?:don't know|can't tell me|forgot"
    r"|have forgotten) |what did i (?:say|tell you)(?: that)? (?=my|i\b)|(?:look|looking) up |recall "
    r"|say |let me know[:,]? |"
    r"you (?:remember|know|recall) |i'd love to know[:,]? |are you able to tell me |find out "
    r"|did i (?:ever )?(?:tell|mention to) you |have i (?:ever )?told you |do you have "
    r"|do you know about )+"
)
_TAIL = rule(
    r"(?:[\s,;:–—-]+(?:please|pls|thanks|thank you|again|now|right now|right|these days|nowadays"
    r"|currently|at the moment|at present|actually|exactly|by the way|btw|then|would you|will you"
    r"|could you|can you"
    r"|can you help(?: me)?|can you remind me|do you know|don't you|didn't i|do you remember"
    r"|if you (?:know|remember)|you know|mace|already|though|so far|anyway|ok|okay|for me|is it"
    r"|what is it|tell me|remember|to you|is that))+$"
)
_SAID = rule(r"(what|which|where|who|when|how)((?: [a-z-]+){0,3}?) did i (?:say|tell you)(?: that)? (?=i\b|my\b)")
_W = r"(?:what|which|who|where|when|how|whose|whom)"
_N = r"(?P<n>[a-z][\w' -]{0,40}?)"
_DO = r"(?: do| did)?"
_ADV = (
    r"(?: (?:currently|now|usually|normally|always|mostly|typically|generally|really|actually|still"
    r"|also|originally|officially|often|have to|need to|like to))*"
)


@dataclass(frozen=True, slots=True)
class _Form:
    pattern: re.Pattern[str]
    attribute: str
    phrase: str | None = None


def _form(source: str, attribute: str, phrase: str | None = None) -> _Form:
    source = (
        source.replace("<do>", _DO)
        .replace("<adv>", _ADV)
        .replace("<i>", "(?:i|we)")
        .replace("<am>", r"(?: am i| i am| i'm|'m i)")
    )
    source = source.replace(
        "<now>", r"(?: (?:now|currently|at the moment|these days|nowadays|right now|at present|at|in|today))*"
    )
    return _Form(rule(f"(?:{source})$"), attribute, phrase)


_KIND = r"(?:what|which)(?: (?:kind|sort|type|make|model|brand) of)?"
_ANY_FOOD = r"(?: (?:food|dish|thing|things|meat|vegetable|herb|ingredient|drink|type of food|kind of food))?"
FORMS: tuple[_Form, ...] = (
    _form(
        (
            rf"(?:what|which){_ANY_FOOD} (?:don't|can't|won't|do i not|can i not) i ?(?:like|stand|care for"
            rf"|abide|bear|enjoy)"
        ),
        "dislikes",
    ),
    _form(rf"(?:what|which){_ANY_FOOD} (?:don't|can't|won't) i eat|what do i never eat", "does_not_eat"),
    _form(
        (
            r"(?:how|what) do (?:people|friends|my friends|the (?:kids|children|grandchildren|family)|others"
            r"|they)(?: usually)? (?:address|call) me(?: at (?:home|work|school))?"
        ),
        "called_by",
    ),
    _form(r"what(?:'s| is) the name (?:that )?(?:my friends|people) (?:use for|call) me", "called_by"),
    _form(
        (
            r"what was i called before i (?:got )?married|what was my name before (?:i married|i got married"
            r"|the wedding|marriage)"
        ),
        "maiden_name",
    ),
    _form(
        (
            r"(?:on )?(?:what|which) days?(?: of the week)? (?:am i off|do i have off|do i not work|am i not "
            r"working|don't i work)|when am i off"
        ),
        "day_off",
    ),
    _form(r"(?:what|which)(?: project)? am i working on(?: right now| at the moment)?", "project"),
    _form(r"what(?:'s| is) in my collection", "collection"),
    _form(r"what did i do (?:for a living )?before (?:retirement|i retired|retiring)", "former_job"),
    _form(r"(?:what|which) nationality am i|what nationality i am", "nationality"),
    _form(r"what name did i (?:give|tell) you|my name(?: please)?", "name"),
    _form(
        r"what am i (?:working|employed) as|what(?:'s| is) my (?:role|job|position|title) at work"
        r"|what my job is called",
        "job",
    ),
    _form(r"what (?:did i study|do i study) at (?:university|uni|college|school)", "major"),
    _form(r"how do i<adv> (?:get|go|travel|commute) to (?:the office|my job|work)", "commute"),
    _form(r"how long does my commute take|how long do i need to get to work", "commute_time"),
    _form(r"(?:what|which) (?:model|make|brand|kind)(?: of car)? is my car", "car"),
    _form(r"(?:what|which) (?:model|make|brand|kind)(?: of bike)? is my bike", "bike"),
    _form(r"what(?:'s| is) the colou?r of my hair|what colou?r hair (?:have i got|i have)", "hair_color"),
    _form(r"what(?:'s| is) the colou?r of my eyes|what colou?r eyes (?:have i got|i have)", "eye_color"),
    _form(r"(?:what|which) size (?:do i (?:wear|take|have)|am i)", "clothing_size"),
    _form(r"what foods? do i (?:avoid|not eat)", "does_not_eat"),
    _form(r"what do i like on my pizza|what(?:'s| is| goes) on my pizza", "pizza_topping"),
    _form(
        r"who<am>(?: to you)?|what<am> called|how<am> called|what(?: is| 's) i called|what name do i have"
        r"|what do i call myself",
        "name",
    ),
    _form(
        r"(?:what|how) (?:should|shall|do|can|may|could|will) (?:you|i) (?:call|address) me|(?:what"
        r"|how) (?:do|would) i (?:want|like|prefer) to be (?:called|addressed)",
        "call_me",
    ),
    _form(
        r"(?:what|how) (?:do|does)? ?(?:my (?:friends|family|mates|colleagues)|people|everyone|everybody"
        r"|friends|they|you)(?: usually| mostly)? calls? me|(?:by )?what nickname do (?:people|friends"
        r"|my friends) know me(?: by)?|by (?:what|which) (?:nickname|name)(?: do| am)? (?:people|i"
        r"|friends)(?: known| know me)?|what do i go by|what name do i go by",
        "called_by",
    ),
    _form(
        r"how (?:is|do you spell|do i spell) my name(?: spelled| spelt| written)?|how my name is (?:spelled|spelt)",
        "name",
    ),
    _form(
        r"where(?: in the world)?(?:<do> <i><adv> (?:live|reside)| am i<adv> (?:living|based|located)"
        r"| are we (?:living|based)"
        r"| i(?:'m| am) (?:living|based))<now>",
        "residence",
    ),
    _form(
        r"(?:where|in (?:what|which) (?:place|city|town|village|part of the world)|(?:what|which) (?:place"
        r"|city|town|village))(?: in the world)?(?:<do> <i><adv> (?:live|reside)| am i<adv> (?:living"
        r"|based|located)| are we (?:living|based)|'s my home| i(?:'m| am) (?:living|based))<now>",
        "city",
    ),
    _form(
        r"(?:what|which) (?:city|town|village|place)(?: is|'s) (?:my|our) home(?: in)?|where(?: is"
        r"|'s) (?:my |our )?(?:home|house|flat|apartment|place)(?: for (?:me|us))?<now>|where my (?:home"
        r"|house|flat|apartment) is|where(?: is|'s) home for (?:me|us)<now>",
        "city",
    ),
    _form(
        r"(?:what(?: is|'s) )?the (?:name of the )?(?:city|town|village|place) (?:where |that "
        r"|in which )?(?:i|we)(?: currently)? live(?: in)?|what the (?:city|town) i live in is called",
        "city",
    ),
    _form(
        r"(?:in )?(?:what|which) country(?:<do> <i><adv> live(?: in)?| am i (?:living|based)(?: in)?"
        r"| is (?:my|our) home| i live in)<now>",
        "country",
    ),
    _form(
        r"(?:on |in )?(?:what|which) (?:street|road|avenue|lane)(?:<do> <i> live(?: on| in)?"
        r"| is my (?:house|flat|home|apartment) (?:on|in)| i live (?:on|in))",
        "street",
    ),
    _form(
        r"where(?:<am>| do i| i)(?: originally)?(?: come)? from(?: originally)?|(?:what|which) (?:village"
        r"|town|city|place|country)(?:<am>| do i| i)(?: come)? from|where do i originally come from",
        "hometown",
    ),
    _form(
        r"where (?:did i grow|i grew|was i brought|i was brought) up|where (?:was i|i was) raised"
        r"|where i grew up|(?:in )?(?:what|which) (?:city|town|village|place"
        r"|country) did i grow up(?: in)?",
        "grew_up_in",
    ),
    _form(
        r"(?:where|in (?:what|which) (?:place|city|town|country|village|hospital)|(?:what|which) (?:city"
        r"|town|place|country|village)) (?:was i|i was) born(?: in)?",
        "birthplace",
    ),
    _form(
        r"(?:in )?(?:what|which) month (?:was i|i was) born(?: in)?|(?:what|which) month is my birthday(?: in)?",
        "birth_month",
    ),
    _form(r"(?:in )?(?:what|which) year (?:was i|i was) born(?: in)?", "birth_year"),
    _form(
        r"when (?:was i|i was) born|when do i celebrate my birthday|on (?:what|which) (?:day"
        r"|date) (?:was i born|is my birthday)|(?:what|which) (?:day|date) (?:was i born(?: on)?"
        r"|is my birthday)|when(?:'s| is) it my birthday|what my date of birth is",
        "birthday",
    ),
    _form(r"how old<am>|how many years old<am>|my age|what age<am>", "age"),
    _form(
        r"(?:what|which)(?: kind of| type of| sort of)? (?:work|job)(?:<do> i<adv>(?: do| have)"
        r"| am i (?:doing|in))(?: for a living| for work)?|what do i do(?: for (?:a living|work|a job"
        r"|money)| professionally| all day| at work)?|what i do(?: for (?:a living|work|a job)"
        r"| professionally)?|what<do> i work as|what i work as|(?:as )?what do i work(?: as)?"
        r"|what am i by (?:trade|profession)|(?:what|which) (?:trade|profession|occupation"
        r"|line of work)(?:<am>| do i have| i'm)(?: in)?|how do i (?:earn|make) (?:a|my) living"
        r"|how do i earn my money|what is it i do(?: for a living)?|what(?:'s| is) my title at work",
        "job",
    ),
    _form(
        r"(?:where|at (?:what|which) (?:company|place|firm)|(?:for )?(?:what|which) (?:company|firm"
        r"|organi[sz]ation|employer)|(?:for )?whom?|what place)(?:<do> i<adv> work|<am> (?:employed"
        r"|working)| i work)(?: at| for| with| by)?<now>|(?:what|which) (?:company|firm) (?:employs me"
        r"|am i with)|who (?:employs me|do i work for|i work for|am i working for|am i employed by"
        r"|pays my (?:salary|wages))|(?:what(?:'s| is) )?(?:the )?(?:name of the )?(?:company|place"
        r"|firm) (?:that |where )?i work(?: for| at)?",
        "employer",
    ),
    _form(
        r"(?:in )?(?:what|which) (?:field|industry|sector|area|business)(?:<do> i work|<am>(?: working)?"
        r"| i work)(?: in)?",
        "industry",
    ),
    _form(
        r"what (?:was my job|did i (?:do|work as)|was i) before(?: i retired| that| this)?"
        r"|what did i use to (?:do|be)(?: for a living)?|what was my (?:former|previous|old|last) job",
        "former_job",
    ),
    _form(r"(?:what|which) (?:team|department)(?:<am>| do i work| i'm)(?: in| on)?(?: at work)?", "department"),
    _form(
        r"(?:on )?(?:what|which) days?(?: of the week)?(?:<do> i| i) work (?:from home|remotely)"
        r"|when (?:do i|i) work (?:from home|remotely)",
        "work_from_home_day",
        "day of working from home",
    ),
    _form(
        r"what am i studying to (?:be|become)|what am i training to (?:be|become)|what do i want to become", "training"
    ),
    _form(
        r"(?:what|which)(?: subject)?(?:<do> i study|<am> (?:studying|majoring in)| i study"
        r"| is my degree in)|what(?:'s| is) my degree(?: in)?|what did i (?:study|major in)",
        "major",
    ),
    _form(
        r"where (?:did i (?:study|go to (?:university|uni|college))|do i study|i studied)|(?:what"
        r"|which) (?:university|uni|college)(?:<do> i (?:go to|attend|study at)| i (?:go|went) to)",
        "university",
    ),
    _form(
        r"(?:what|which) school(?:<do> i (?:go to|attend)| i (?:go|went) to)|where (?:did i go|do i go"
        r"|i went) to school",
        "school",
    ),
    _form(r"who(?:<am>| i'm)(?: i)? married to|who did i marry|who my spouse is", "spouse"),
    _form(r"who(?:<am>| i'm) engaged to", "fiance"),
    _form(r"who<do> i share (?:an|my|the) office with|who shares (?:my|an) office(?: with me)?", "office_mate"),
    _form(r"who lives next door(?: to (?:me|us))?", "neighbour_of"),
    _form(r"who (?:cuts|does|trims) my hair", "hairdresser"),
    _form(
        r"(?:what|which) (?:food|foods|things|stuff|thing)?(?: )?<am> allergic to|what<am> allergic to"
        r"|what allergies (?:do i have|i have)|do i have (?:any |an )?(?:food )?allerg(?:y|ies)"
        r"|am i allergic to (?:anything|something|any food)|what i(?:'m| am) allergic to",
        "allergy",
    ),
    _form(
        r"(?:what|which)(?: kind of| sort of| type of)? diet(?: do i (?:follow|have|eat|keep)|<am> on"
        r"| i follow)|what diet do i follow",
        "diet",
    ),
    _form(
        r"(?:what|which)(?: foods?| things?)? (?:don't|do i not|can't|won't|do i never) i? ?eat"
        r"|what do i avoid eating|what foods? (?:don't i|do i not) eat",
        "does_not_eat",
    ),
    _form(
        r"(?:what|which) (?:(?:foods?|things?|stuff|dish|dishes) )?(?:do|did) i (?:hate|dislike|detest|loathe|not like)"
        r"(?: the most| most)?|what (?:(?:foods?|things?|stuff) )?(?:can't|don't) i (?:stand|bear|like)"
        r"|what i (?:dislike|hate)",
        "dislikes",
    ),
    _form(r"(?:what|which) (?:drink|food|dish|thing|stuff)?(?: )?do i (?:love|like|adore)", "likes_of"),
    _form(
        r"(?:what|which)(?: one)? do i prefer,? .{1,60}|do i prefer .{1,40} or .{1,40}|(?:what"
        r"|which) [a-z]+ do i prefer|what(?:'s| is) my preference",
        "preference_of",
    ),
    _form(
        (
            r"what<do> i<adv> (?:have|eat|get) for breakfast|what i have for breakfast|what(?:'s| is) for breakfast "
            r"for me"
        ),
        "breakfast",
    ),
    _form(r"what<do> i<adv> (?:have|eat|get) for lunch", "lunch"),
    _form(r"what<do> (?:i|we)<adv> (?:have|eat|get) for (?:dinner|supper)", "dinner"),
    _form(
        r"how (?:do i|i)<adv> (?:take|drink|have|like) my coffee|(?:what"
        r"|which)(?: kind of)? coffee do i (?:order|drink|take|have|get|usually order)|what coffee do i order"
        r"|what do i order at (?:the )?(?:cafe|coffee shop)",
        "coffee_order",
    ),
    _form(r"how (?:do i|i)<adv> (?:take|drink|have|like) my tea", "tea_order"),
    _form(
        r"what (?:do i|i) (?:like|want|have|put|prefer) on (?:my|a) pizzas?|(?:what"
        r"|which) toppings? do i (?:like|have|want|prefer)(?: on my pizza)?",
        "pizza_topping",
    ),
    _form(
        r"(?:what|which)(?: kind of| type of| sort of)? (?:car|vehicle|automobile)(?: do i"
        r"| i)<adv> (?:drive|have|own)|what (?:do i|i) drive|what am i driving",
        "car",
    ),
    _form(
        (
            r"(?:what|which)(?: kind of| type of| sort of)? (?:bike|bicycle)(?: do i| i)<adv> (?:ride|have"
            r"|own|use)"
        ),
        "bike",
    ),
    _form(
        r"(?:what|which)(?: kind of| type of| sort of| model of)? (?:phone|mobile|smartphone"
        r"|cell ?phone)(?: do i| i)<adv> (?:use|have|own)",
        "phone_model",
    ),
    _form(r"(?:what|which)(?: kind of| type of| sort of)? laptop(?: do i| i)<adv> (?:use|have|own)", "laptop"),
    _form(r"(?:what|which)(?: kind of| type of| sort of)? computer(?: do i| i)<adv> (?:use|have|own)", "computer"),
    _form(
        r"where (?:did i park|is my car(?: parked)?|i parked|have i parked"
        r"|'s my car(?: parked)?)(?: my car| the car)?|where's my car(?: parked)?|(?:what|which) (?:level"
        r"|floor|spot) (?:did i park|is my car)(?: on| in)?",
        "parking_spot",
    ),
    _form(r"what(?: do i| i) collect|what(?:'s| is) my collection(?: about| of)?|what am i collecting", "collection"),
    _form(r"(?:what|which)(?: musical)? instruments?(?: do i| can i| i)<adv> play|what do i play", "instrument"),
    _form(
        r"(?:what|which) (?:football |sports |soccer |rugby )?(?:team|club)(?: do i| i)<adv> (?:support"
        r"|follow|root for|cheer for|play for)|who (?:do i|i) (?:support|root for|cheer for)|(?:what"
        r"|which) (?:team|club)<am> a (?:fan|supporter) of|what<am> a fan of",
        "team",
    ),
    _form(
        (
            r"(?:what|which) club(?:<am>| do i| i)(?: a member of| belong to| in| a member in)|what do i belong "
            r"to"
        ),
        "club",
    ),
    _form(
        r"what (?:do i|i)<adv> do (?:in|with) my (?:free|spare|leisure) time|how (?:do i"
        r"|i)<adv> spend my (?:free|spare|leisure) time|what do i do for fun|(?:what|which) hobb(?:y"
        r"|ies)(?: do i| i) have|what am i into|what do i like (?:doing"
        r"|to do)(?: in my (?:free|spare) time)?|what are my hobbies",
        "hobby",
    ),
    _form(r"(?:what|which) game(?: do i| i)<adv> play", "game_played"),
    _form(
        r"(?:what|which) languages?(?: do i| i| can i| do we)<adv> speak|(?:what"
        r"|which) languages?<am> fluent in|what do i speak|what languages do i know",
        "language",
    ),
    _form(
        r"(?:what|which) language did i grow up (?:with|speaking)|(?:what"
        r"|which) language (?:is my (?:first|native)(?: language| tongue)?|did i learn first)|(?:what"
        r"|which) language is my mother tongue",
        "native_language",
    ),
    _form(r"(?:what|which) language do (?:i|we) speak at home", "home_language"),
    _form(r"(?:what|which) language<am> (?:learning|studying)|what am i learning", "learning_language"),
    _form(r"how tall<am>|what height<am>", "height"),
    _form(r"how (?:much do i weigh|heavy<am>)|what do i weigh", "weight"),
    _form(
        r"(?:what|which) size(?: of)?(?: are my (?:feet|shoes)(?: in shoes)?| shoes?(?: do i"
        r"| i)<adv> (?:wear|take|need|have)| do i (?:wear|take|need|have) in shoes)|(?:what"
        r"|which) shoe size(?: do i| i|<am>)(?: wear| take| need| have)?|what size my (?:shoes|feet) are",
        "shoe_size",
    ),
    _form(
        r"(?:what|which) size(?: of)? t-?shirts?(?: do i| i)<adv> (?:wear|take|need|have)|(?:what"
        r"|which) t-?shirt size(?: do i| i|<am>)(?: wear| take| need| have)?|(?:what"
        r"|which) size do i (?:wear|take|need) in t-?shirts",
        "t_shirt_size",
        "t-shirt size",
    ),
    _form(r"(?:what|which) colou?r(?: are| is| do)? my eyes(?: are| have)?|what colou?r eyes do i have", "eye_color"),
    _form(r"(?:what|which) colou?r(?: is|'s)? my hair(?: is)?|what colou?r hair do i have", "hair_color"),
    _form(r"what(?:'s| is) my hair like|what(?: kind of| type of)? hair do i have", "hair"),
    _form(
        r"(?:which|what) hand(?: do i| i) (?:write|eat|throw) with|am i (?:left"
        r"|right)[- ]?(?:handed)? or (?:left|right)[- ]?handed|am i (?:left|right)- or (?:left"
        r"|right)-handed|(?:which|what) hand do i use(?: to write)?",
        "handedness",
    ),
    _form(
        r"(?:what|which) (?:zodiac sign|star sign|sign of the zodiac|starsign|sign)(?:<am>| do i have)"
        r"|what(?:'s| is) my sign",
        "star_sign",
    ),
    _form(r"(?:what|which) blood (?:type|group)(?:<am>| do i have)", "blood_type"),
    _form(r"(?:what|which) (?:time ?zone)(?:<am>| do i live)(?: in)?", "time_zone"),
    _form(r"how many (?:children|kids)(?: do (?:i|we)| i) have", "number_of_children"),
    _form(r"how many (?:siblings|brothers and sisters)(?: do i| i) have", "number_of_siblings"),
    _form(r"how many people are (?:there )?in my family|how (?:big|large) is my family", "family_size"),
    _form(r"how(?: do i| i)<adv> (?:commute|get to work|go to work|travel to work)", "commute"),
    _form(
        r"how long (?:is my commute|does it take me to (?:get|go|travel|commute) to work|my commute is|do i commute)",
        "commute_time",
    ),
    _form(
        r"where(?:<am>| are we) (?:going|off to|travelling|traveling)(?: to)?(?: on| for)?(?: my"
        r"| our)? ?(?:holidays?|vacation)(?: this (?:year|summer))?|where do (?:i"
        r"|we)<adv> (?:want to )?(?:go|spend)(?: on| for)?(?: our| my)? ?(?:holidays?|vacation)"
        r"|where do (?:i|we) spend (?:our|my) holidays|where are we going on holiday",
        "holiday_destination",
    ),
    _form(r"(?:when|what time|at what time)(?: do i| i)<adv> (?:get|wake) up|when is my alarm", "wake_up_time"),
    _form(r"(?:when|what time|at what time)(?: do i| i)<adv> (?:go to (?:bed|sleep)|sleep)", "bedtime"),
    _form(
        r"when (?:do (?:i|we) (?:have to )?put the bins out|do (?:our|my|the) bins get (?:collected"
        r"|emptied)|are (?:the|our|my) bins collected|is bin day)|(?:what|which) day (?:is bin day"
        r"|are the bins collected)",
        "bin_day",
    ),
    _form(r"(?:what|which)(?: book)?<am>(?: currently)? reading|what book am i (?:currently )?reading", "current_book"),
    _form(r"(?:what|which)(?: kind of)? (?:animals?|pets?)(?: do i| i) (?:keep|have|own)", "pets_kept"),
    _form(r"(?:what|which) voice(?: do i| i) sing|what do i sing in the choir", "voice"),
    _form(r"what do i wear to see better", "glasses"),
    _form(
        r"(?:what|which) (?:breed|kind|type|sort)(?: of dog)? (?:is my dog|of dog do i have"
        r"|of dog is my dog)|what (?:kind|breed|sort) of dog do i have",
        "dog_breed",
    ),
    _form(
        r"(?:what|which) (?:breed|kind|type|sort)(?: of cat)? (?:is my cat|of cat do i have)|what (?:kind"
        r"|breed) of cat do i have",
        "cat_breed",
    ),
)

_LIKE = r"(?:like|love|prefer|enjoy|adore|rate)(?: to (?:eat|drink|play|read|watch|do|listen to|have|wear|visit))?"
_MOST = r"(?: (?:the )?(?:best|most)(?: of all)?| more than (?:any|all) others?| over all others| above all)"
_FAVORITE = rule(
    rf"(?:what|which)(?:'s| is)?(?: the)?(?: (?:kind|sort"
    rf"|type) of)? (?P<n>[a-z][\w' -]{{1,40}}?) (?:do i|did i|i|that i)(?: say i)? {_LIKE}{_MOST}$"
)
_FAVORITE_WHAT = rule(
    rf"(?:what|which)(?:(?:'s| is) it)? (?:do i|i) (?:like|love|prefer|enjoy)(?: to)? (?P<verb>eat"
    rf"|drink|read|watch|listen to|play|snack on)?{_MOST}?$"
)
_FAVORITE_LOOSE = rule(r"(?:what|which) (?P<n>[a-z][\w' -]{1,40}?) do i (?:like|love|prefer|enjoy)$")
_THE_LIKED = rule(
    rf"(?:what(?:'s| is) )?the (?P<n>[a-z][\w' -]{{1,40}}?) (?:that )?i (?:like|love|prefer|enjoy){_MOST}$"
)
_IS_FAVORITE = rule(r"(?:what|which)(?: of the)? (?P<n>[a-z][\w' -]{1,40}?) (?:is|are) my favou?rites?(?: one)?$")
_FAVORITES = rule(
    r"(?:what|which) (?P<a>[a-z][\w' -]{1,30}?) and (?:what |which )?(?P<b>[a-z][\w' -]{1,30}?) are my favou?rites?$"
)
_WHOSE_MUSIC = rule(r"whose (?:music|songs) do i (?:like|love)(?: the)?(?: best| most)$")
_FAVORITE_NOUNS = {
    "thing to eat": "food",
    "thing to drink": "drink",
    "thing to read": "book",
    "thing to watch": "film",
    "sports team": "team",
    "football team": "team",
    "time of year": "season",
    "sweet dish": "dessert",
    "sweet": "dessert",
    "day of the week": "day",
    "kind of music": "music",
    "music genre": "music",
    "type of music": "music",
    "piece of music": "song",
    "kind of food": "food",
}
_VERB_NOUNS = {
    "eat": "food",
    "drink": "drink",
    "read": "book",
    "watch": "film",
    "listen to": "music",
    "play": "game",
    "snack on": "snack",
}

_CALLED = rule(
    r"(?:what|how)(?: is|'s| are|'re| was| were| did i (?:name|call)| do i call| have i (?:named"
    r"|called)| did we (?:name|call)| do we call)? (?:my|our|the) (?P<n>[a-z][\w' -]{0,50}?)(?: is"
    r"| are| was)?(?: called| named)?$"
)
_CALLED_END = re.compile(r"(?:called|named)$", re.IGNORECASE)
_DID_NAME = re.compile(r"(?:what|how)\s+(?:did|do|have)\s+(?:i|we)\s+(?:name|call|named|called)\b", re.IGNORECASE)
_NAME_OF = rule(
    r"(?:what(?:'s| is| was| are| were)? )?(?:the )?names? of (?:my|our) (?P<n>[a-z][\w' -]{0,50}?)(?: "
    r"is| are| was)?$"
)
_WHAT_MY = rule(
    r"(?P<w>what|which|who|when|where|how)(?P<be> is| are| was|'s|'re)?(?: it that)? (?P<whose>my"
    r"|our) (?P<n>[^\W\d_][\w' /&+#-]{0,60}?)(?P<end> is| are| was)?$"
)
_MY = rule(
    r"(?P<whose>my|our) (?P<n>[^\W\d_][\w' /&+#-]{0,60}?)(?:,? what (?:is|was|'s) (?:it|that)|(?: is"
    r"| was| are) (?:what|who|where|when|which))?$"
)
_BARE = rule(r"(?:favou?rite|fave) (?P<n>[a-z][\w' -]{1,30})$")
_IS_X_MY = rule(r"is (?P<v>\S+(?: \S+)?) my (?P<n>[a-z][\w' -]{1,40})$")
_MINE = rule(r"(?:what|which) (?P<n>[a-z][\w' -]{0,40}?) is mine$")
_COLOR = rule(r"(?:what|which) colou?r (?:is|are|'s) (?:my|our) (?P<n>[a-z][\w' -]{0,40}?)(?: painted)?$")
_SIZE = rule(
    r"(?:what|which) size(?: of)? (?P<n>[a-z][\w' -]{0,30}?)(?: do i| i)(?: usually)? (?:wear|take|need|have)$"
)
_SIZE_OF = rule(
    r"(?:what|which) (?P<n>[a-z][\w' -]{0,30}? size)(?: do i| i|(?: am i))(?: usually)?(?: wear| take| need| have)?$"
)
_DAY = rule(
    r"(?:(?:on )?(?:what|which) (?:day|days|weekday|date)(?: of the week)?|when|what time)(?: is|'s"
    r"| are)? (?:my|our) (?P<n>[a-z][\w' -]{0,40}?)(?: is| are| falls| takes place)?$"
)
_DAY_DO = rule(
    r"(?:(?:on )?(?:what|which) (?:day|days|weekday)(?: of the week)?|when)(?: do i| i"
    r"| do we)(?: usually| normally)? (?:go|do|have|play|practi[sc]e|attend)(?: to)?(?: the| my"
    r"| our)? (?P<n>[a-z][\w' -]{0,40}?)$"
)
_HAVE = rule(
    r"(?:what|which)(?: (?:kind|sort|type|brand|make) of)? (?P<n>[a-z][\w' -]{0,40}?)(?: do i| i"
    r"| do we)(?: usually| currently)? (?:have|own|use|wear|keep|ride|choose|go to|take|attend"
    r"|belong to|did i choose|play in|sing in)$"
)
_CHOSE = rule(r"(?:what|which) (?P<n>[a-z][\w' -]{0,40}?) did i (?:choose|pick|set|select)$")
_HOW_MANY = rule(r"how many (?P<n>[a-z][\w' -]{0,40}?)(?: do i| i| do we) (?:have|own|keep)$")
_WHERE_KEEP = rule(
    r"where(?: do i| did i| i| do we)(?: usually)? (?:keep|put|store|leave|hide|left) (?:my|our"
    r"|the) (?P<n>[a-z][\w' -]{0,40}?)$"
)
_BRINGS = rule(r"(?:what|which) number brings me luck$")
_GROWS = rule(r"what (?:grows|is|lives|hangs) (?:on|in) my (?P<n>[a-z][\w' -]{0,30}?)$")
_SCHOOL_OF = rule(
    r"(?:what|which) (?P<n>school|university|college|company|team|club)(?: does"
    r"| do) my (?P<who>[a-z][\w' -]{0,30}?) (?:go to|attend|work for|support|belong to)$"
)
_OF_SISTERS = rule(
    r"(?:what(?:'s| is| are) )?the names of my (?P<a>[a-z][\w' -]{0,30}?) and my (?P<b>[a-z][\w' -]{0,30}?)$"
)
_YES_NO_BE = rule(r"(?:is|isn't|was|are|aren't) (?:my|our) (?P<rest>\S.*)$")
_YES_NO_DO = rule(r"(?P<aux>do|don't|am|was|have|did|aren't) (?P<i>i|we) (?P<rest>\S.*)$")
_COMPARED_AM = rule(
    r"am i (?P<how>over|under|older than|younger than|taller than|shorter than|at least"
    r"|at most) (?P<v>\d[\d.,]*(?: (?:cm|m|metres?|meters?|years?(?: old)?|ft|feet))?)$"
)
_EVERYTHING = rule(
    r"(?:(?:can|could|would|will) you |please |kindly )*(?:"
    r"what (?:do|did|have) you (?:know|remember|got|have|stored|saved|noted|learned|learnt|keep"
    r"|have stored|have saved|remembered)(?: (?:stored|saved|noted|written down))? (?:about|of|on"
    r"|for) me"
    r"|(?:tell|show|give|list)(?: me)?(?: again)? (?:what|everything|all|all that|all the things"
    r"|anything) (?:that )?(?:you (?:know|remember|have|stored|saved|have stored|have saved)|i(?:'ve"
    r"| have)? told you)(?: (?:about|of|on|for) (?:me|myself))?(?: so far)?"
    r"|what (?:have|did) i (?:told|tell|said to|say to) you(?: (?:about (?:me|myself)|so far|until now))*"
    r"|(?:what|which) (?:facts|information|data|things|details|info)(?: (?:about|on|of) me)?(?: do| have"
    r"| did)? you (?:have|know|stored|saved|store|remember|got|keep|hold)(?: stored"
    r"| saved)?(?: (?:about|on|of) me)?"
    r"|(?:show|list|give|read|print|display|tell)(?: me)?(?: all)?(?: of)? my (?:profile|facts|data"
    r"|details|info|information|stored facts|personal data|personal facts|memories)"
    r"|(?:show|list|give)(?: me)? (?:all )?(?:the )?(?:facts|data|information"
    r"|everything)(?: (?:that )?you (?:have|know|stored|saved))?(?: about me| on me)"
    r"|(?:summari[sz]e|sum up|recap|repeat|list|describe) (?:what|everything"
    r"|all) (?:that )?(?:you (?:know|remember|have(?: stored| saved)?)|i(?:'ve"
    r"| have)? told you)(?: (?:of|about|on) (?:me|myself))?(?: so far)?"
    r"|(?:what(?:'s| is) in|show me) my (?:profile|memory)|tell me (?:something )?about (?:me|myself)"
    r"|what am i like according to you"
    r"|what(?:'s| is) (?:stored|saved|known|recorded|in your memory) (?:about|on|of) me"
    r"|everything (?:you (?:know|have)|i(?:'ve| have)? told you)(?: about (?:me|myself))?(?: so far)?"
    r"|do you (?:know|remember) (?:anything|something) about me|describe me|what do you (?:know|remember) of me"
    r")$"
)
_BLOCK = frozenset(
    words_in(
        "should would could might shall next tomorrow yesterday yet before ago ever dream least worst ideal "
        "if why guess tonight other"
    )
)


def is_everything(clause: str) -> bool:
    return _EVERYTHING.match(_bare(clause)) is not None


def _bare(clause: str) -> str:
    clause = clause.rstrip(" ?!.…,")[:400]
    found = _TAIL.search(clause[-120:])
    return clause[: len(clause) - len(clause[-120:]) + found.start()].rstrip(" ,?") if found else clause


SPEAKER = re.compile(r"\b(?:i|my|me|our|we|us|mine|ours|myself|bins?|next door|fav\w*|called|named)\b", re.IGNORECASE)


def asked_in(clause: str, is_question: bool) -> tuple[Asked, ...] | None:
    """What one clause asks about its speaker: one thing or several; None when it asks nothing of the kind."""
    if len(clause) > 400 or SPEAKER.search(clause) is None:
        return None
    bare = _bare(clause)
    if found := _SAID.match(bare):
        bare = f"{found[1]}{found[2]} {bare[found.end() :]}"
    wrapped = _WRAPPERS.match(bare)
    rest = bare[wrapped.end() :] if wrapped else bare
    if (
        wrapped
        and re.match(r"i (?:forgot|forget|can't|don't|have forgotten)|i've forgotten", bare, re.IGNORECASE)
        and not is_question
    ):
        return None
    if not rest:
        return None
    if found := _FAVORITES.match(rest):
        return (_favorite(found["a"]), _favorite(found["b"]))
    if found := _OF_SISTERS.match(rest):
        return (Asked(name_of(found["a"])), Asked(name_of(found["b"])))
    parts = re.split(r",?\s+and\s+(?:also\s+)?(?=(?:what|where|who|when|how|which|my|our|for whom|at|in what)\b)", rest)
    if len(parts) > 4:
        return None
    found_parts = []
    for at, part in enumerate(parts):
        asked = _one(part.strip(), is_question or wrapped is not None, at > 0)
        if asked is None:
            return None
        found_parts.append(asked)
    return tuple(found_parts)


def _one(part: str, is_question: bool, follows: bool) -> Asked | None:
    words = part.lower().replace("?", "").split()
    for form in FORMS:
        if form.pattern.match(part):
            return _of_form(form, part)
    if any(word in _BLOCK for word in words) and "should you" not in part.lower():
        return None
    asked = _of_favorite(part) or _of_noun(part, is_question or follows)
    if asked is not None:
        return asked
    if (of := beings.asked(part)) is not None:
        return Asked(of)
    if (other := wording.read(part)) is not None:
        return Asked(other[0], kind=other[1])
    return _yes_no(part) if is_question else None


def _of_form(form: _Form, part: str) -> Asked:
    kinds = {
        "call_me": Wanted("nickname", "nickname", _names("nickname"), ("name", "first_name", "full_name")),
        "called_by": Wanted("nickname", "nickname", _names("nickname")),
        "neighbour_of": name_of("neighbour", "neighbour"),
        "likes_of": Wanted("likes", "liking", _names("likes")),
        "residence": Wanted("city", "city", _names("city"), ("country", "street", "address")),
        "preference_of": Wanted(
            "preference",
            "preference",
            ("preference", "prefers"),
            ("preferred_drink", "drink_preference", "travel_preference", "preferred_transport"),
        ),
        "game_played": Wanted("game", "game", ("game", "plays_game"), ("hobby",)),
        "pets_kept": Wanted("animals", "animals", ("animals", "keeps", "pets")),
    }
    if form.attribute == "preference_of" and (chosen := _PREFER.match(part)) and chosen["n"].lower() != "one":
        noun = normalise(chosen["n"])
        names = (f"preferred_{noun}", f"{noun}_preference", f"favorite_{noun}")
        return Asked(Wanted(names[0], f"preferred {chosen['n'].lower()}", names))
    if form.attribute in kinds:
        kind = {"preference_of": f"among {part}", "game_played": "game"}.get(form.attribute)
        return Asked(kinds[form.attribute], kind=kind)
    return Asked(wanted(form.attribute, form.phrase), kind="count" if part.lower().startswith("how many") else None)


_PREFER = rule(r"(?:what|which) (?P<n>[a-z]+) do i prefer$")


def _names(attribute: str) -> tuple[str, ...]:
    return wanted(attribute).same


def _favorite(noun: str) -> Asked:
    noun = " ".join(noun.lower().split())
    noun = _FAVORITE_NOUNS.get(noun, noun)
    slug = normalise(noun)
    if slug == "team":
        return Asked(wanted("team"))
    about = wanted(f"favorite_{slug}", f"favorite {noun}")
    same = (*about.same, f"preferred_{slug}", f"best_{slug}", f"most_liked_{slug}")
    also = about.also
    if slug == "board_game":
        also = (*also, "favorite_game")
    if slug == "game":
        also = (*also, "favorite_board_game")
    return Asked(Wanted(about.attribute, about.phrase, same, also))


def _of_favorite(part: str) -> Asked | None:
    if found := _FAVORITE_WHAT.match(part):
        return _favorite(_VERB_NOUNS[found["verb"].lower()]) if found["verb"] else None
    for pattern in (_FAVORITE, _THE_LIKED, _IS_FAVORITE):
        if (found := pattern.match(part)) and _noun(found["n"]) is not None:
            return _favorite(found["n"])
    if (found := _FAVORITE_LOOSE.match(part)) and _noun(found["n"]) is not None:
        return _favorite(found["n"])
    if _WHOSE_MUSIC.match(part):
        about = _favorite("composer").about
        return Asked(
            Wanted(
                about.attribute,
                about.phrase,
                about.same,
                ("favorite_band", "favorite_artist", "favorite_musician", "favorite_singer"),
            )
        )
    return None


_NO_NOUN = frozenset(
    words_in(
        "i you he she they we it and or is are was what who where when which why how if that because not do "
        "does did goes go went say says lives live works work name_is should would could will can have has "
        "had be been next"
    )
)


def _noun(raw: str) -> str | None:
    words = raw.lower().split()
    slug = attributes.slug_of(raw[:200])
    is_known = attributes.family_of(slug) is not None
    if not 0 < len(words) <= 7 or (not is_known and any(word.strip("'") in _NO_NOUN for word in words)):
        return None
    return slug if 0 < len(slug) <= MAX_COMPONENT else None


_POSSESSED = re.compile(r"(?P<who>.+?)['’]s?\s+(?P<what>.+)$")
_RESIDENCE = frozenset(["home", "house", "flat", "apartment", "place"])


def _of_noun(part: str, is_question: bool) -> Asked | None:
    if _BRINGS.match(part):
        return Asked(wanted("lucky_number"))
    if found := _COLOR.match(part):
        slug = _noun(found["n"])
        if slug is None:
            return None
        said = f"{found['n'].lower()} color"
        family = attributes.family_of(slug)
        slug = slug if family is None or family.attribute not in attributes.MODELS else family.attribute
        weak = () if slug in attributes.MODELS or attributes.is_being(slug) else (slug,)
        return Asked(Wanted(f"{slug}_color", said, (f"{slug}_color",), weak), kind="color" if weak else None)
    if found := _SIZE.match(part):
        slug = _noun(found["n"])
        return None if slug is None else Asked(wanted(f"{slug.removesuffix('s')}_size"))
    if found := _SIZE_OF.match(part):
        slug = _noun(found["n"])
        return None if slug is None else Asked(wanted(slug, found["n"].lower()))
    if found := _SCHOOL_OF.match(part):
        who, what = _noun(found["who"]), _noun(found["n"])
        if who is None or what is None:
            return None
        return Asked(Wanted(f"{who}s_{what}", f"{found['who'].lower()}’s {what}", (f"{who}s_{what}",)))
    if found := _NAME_OF.match(part):
        return _named(found["n"])
    if (found := _CALLED.match(part)) and (_CALLED_END.search(part) or _DID_NAME.match(part)):
        return _named(found["n"])
    if found := _DAY_DO.match(part) or _DAY.match(part):
        slug = _noun(found["n"])
        if slug is None:
            return None
        about = wanted(slug, shown_phrase(found["n"]))
        if about.also or len(about.same) > 1 or slug.endswith(("day", "date", "time")):
            return Asked(about)
        return Asked(
            Wanted(
                slug,
                about.phrase,
                (f"{slug}_day", f"{slug}_time", f"{slug}_date", f"day_of_{slug}", f"{slug}_class", slug),
            )
        )
    if found := _WHERE_KEEP.match(part):
        slug = _noun(found["n"])
        return None if slug is None else Asked(_location(slug, found["n"]))
    if found := _HOW_MANY.match(part):
        slug = _noun(found["n"])
        return (
            None
            if slug is None
            else Asked(
                Wanted(
                    f"number_of_{slug}",
                    f"number of {found['n'].lower()}",
                    (f"number_of_{slug}", f"{slug.removesuffix('s')}_count", slug),
                ),
                kind="count",
            )
        )
    for pattern in (_CHOSE, _MINE, _HAVE):
        if found := pattern.match(part):
            slug = _noun(found["n"])
            if slug is None or attributes.is_being(slug):
                return None
            return Asked(wanted(slug, shown_phrase(found["n"])))
    if found := _GROWS.match(part):
        slug = _noun(found["n"])
        return (
            None
            if slug is None
            else Asked(Wanted(slug, found["n"].lower(), (slug, f"{slug}_plants", f"{slug}_flowers")))
        )
    found = _WHAT_MY.match(part)
    if found is not None and (found["be"] or found["end"] or found["w"].lower() in ("what", "who")):
        if found["be"] and found["end"]:
            return None
        return _my(
            found["n"], found["w"].lower(), (found["be"] or found["end"] or "").strip().lower() in ("are", "'re")
        )
    if is_question and (found := _BARE.match(part)):
        return _favorite(found["n"])
    if is_question and (found := _MY.match(part)):
        return _my(found["n"], "what", False)
    return None


def _named(raw: str) -> Asked | None:
    raw = re.sub(r"['’]s$", "", raw)
    slug = _noun(raw)
    if slug is None:
        return None
    if slug.startswith(("favorite", "favourite", "fav_")):
        return _my(raw, "what", False)
    if re.search(r"['’]s?\s", raw):
        return Asked(
            Wanted(f"{slug}_name"[:MAX_COMPONENT], f"{raw.lower()}’s name", (f"{slug}_name"[:MAX_COMPONENT], slug))
        )
    if slug.endswith("s") and attributes.is_being(slug) and not slug.endswith("boss"):
        one = slug.removesuffix("s")
        return Asked(Wanted(slug, raw.lower(), (slug, f"{one}_names", f"{one}_name", one)), plural=True)
    return Asked(name_of(slug))


def _location(slug: str, raw: str) -> Wanted:
    names = (f"{slug}_location", f"{slug}_place", f"location_of_{slug}", f"where_{slug}")
    if slug in attributes.MODELS or attributes.is_being(slug):
        return Wanted(names[0], f"{raw.lower()}’s place", names)
    return Wanted(names[0], raw.lower(), (*names, slug))


def _my(raw: str, question: str, plural: bool) -> Asked | None:
    raw = re.sub(r"^(?:all-time|absolute|very|own|current) (?=fav)", "", raw, flags=re.IGNORECASE)
    slug = _noun(raw)
    if slug is None or slug in ("dear", "god", "goodness"):
        return None
    if slug.split("_")[0] in ("favorite", "favourite", "fav", "fave"):
        asked = _favorite(raw.split(None, 1)[1]) if " " in raw.strip() else None
        if asked is None:
            return None
        said = shown_phrase(raw)
        return Asked(Wanted(asked.about.attribute, said, asked.about.same, asked.about.also), plural=plural)
    if question == "where":
        if attributes.family_of(slug) is None:
            return Asked(_location(slug, raw))
        if slug in _RESIDENCE:
            return Asked(wanted("city"))
        if slug in attributes.MODELS:
            return Asked(_location(slug, raw))
    if sized := _SIZE_IN.match(raw):
        noun = normalise(sized["n"])
        return Asked(wanted(f"{noun if noun == 'jeans' else noun.removesuffix('s')}_size"))
    owner = _POSSESSED.match(raw)
    if owner is not None and owner["what"].lower() in ("name", "names", "first name"):
        return _named(owner["who"])
    if owner is not None and owner["what"].lower() in ("called", "named"):
        return _named(owner["who"])
    if attributes.is_being(slug) and owner is None:
        if slug.endswith("s") and not slug.endswith("ss"):
            return _named(raw)
        about = name_of(slug)
        return Asked(Wanted(about.attribute, shown_phrase(raw), about.same, about.also), plural=plural)
    about = wanted(slug, shown_phrase(raw))
    if question == "who" and len(about.same) == 1:
        about = Wanted(about.attribute, about.phrase, (*about.same, f"{slug}_name"[:MAX_COMPONENT]), about.also)
    return Asked(about, plural=plural)


_SIZE_IN = rule(r"size (?:in|for) (?P<n>[a-z-]+)$")


def _yes_no(part: str) -> Asked | None:
    """A question that a stored value answers with yes or no."""
    if found := _COMPARED_AM.match(part):
        attribute = "height" if re.match(r"tall|short", found["how"], re.IGNORECASE) else "age"
        return Asked(wanted(attribute), expected=f"{found['how']} {found['v']}")
    if found := _YES_NO_BE.match(part):
        told = _turned(found["rest"])
        return None if told is None else Asked(told.about, expected=told.value)
    if found := _IS_X_MY.match(part):
        told = told_in(f"{found['v']} is my {found['n']}", True)
        return None if told is None else Asked(told.about, expected=told.value)
    if found := _YES_NO_DO.match(part):
        verb = {"do": "", "don't": "", "am": "am ", "aren't": "am ", "was": "was ", "have": "have ", "did": ""}[
            found["aux"].lower()
        ]
        told = told_in(f"I {verb}{found['rest']}", True) or told_in(f"i {verb}{found['rest']}", False)
        return None if told is None else Asked(told.about, expected=told.value)
    return None


def _turned(rest: str) -> Told | None:
    """What "my <rest>" would tell with its verb put where it belongs: "dog called Rex", "shoe size 43"."""
    words = rest.split()
    called = next((at for at, word in enumerate(words) if word.lower() in ("called", "named")), None)
    if called is not None and 0 < called < len(words) - 1:
        return told_in(f"My {' '.join(words[:called])} is {' '.join(words[called:])}", True)
    for cut in range(min(len(words) - 1, 6), 0, -1):
        noun, value = " ".join(words[:cut]), " ".join(words[cut:])
        if words[cut - 1].lower() in _NO_NOUN_END:
            continue
        slug = normalise(noun)
        is_known = (
            attributes.family_of(slug) is not None or slug.endswith(("_name", "_size")) or attributes.is_being(slug)
        )
        is_known = is_known or (slug.startswith(("favorite_", "favourite_", "fav_")) and cut == 2)
        if is_known and refusals.compares(value):
            told = told_in(f"My {noun} is 1", True)
            return None if told is None else replace(told, value=value)
        if is_known:
            told = told_in(f"My {noun} is {value}", True)
            if told is not None:
                return told
    return None


_NO_NOUN_END = frozenset(
    words_in("a an the in on at of from to by with for really still actually also not very too so now over under")
)


_GAMES = frozenset(
    words_in(
        "chess go bridge poker football soccer rugby basketball handball hockey volleyball cricket "
        "baseball tennis badminton "
        "squash golf darts cards padel netball snooker pool checkers draughts backgammon scrabble"
    )
)


def agrees(kind: str | None, value: object) -> bool:
    """Whether a stored value is of the kind that was asked for."""
    if kind is None:
        return True
    shown = shown_value(value)
    if kind == "color":
        return values.color(shown, True) is not None
    if kind.startswith("among "):  # one of those that were named in the question
        return bool(set(shown.lower().split()) & set(re.findall(r"[a-z]+", kind.lower()[6:])))
    if kind == "game":
        return shown.lower() in _GAMES
    return True


def is_number(value: object) -> bool:
    """Whether a stored value says how many."""
    return values.number(shown_value(value), True) is not None
