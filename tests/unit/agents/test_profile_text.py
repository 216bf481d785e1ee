"""Sentences about the asker and questions of knowledge: tables of what is understood and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mace.agents.profile_text import (
    Ask,
    Forget,
    Sentence,
    Subject,
    Tell,
    WhoAmI,
    answer_sentence,
    confirmation,
    parse,
    shown_value,
    subject_of,
)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        # asking
        ("What is my favourite colour?", Ask("favourite colour")),
        ("what's my name", Ask("name")),
        ("What’s my name?", Ask("name")),
        ("whats my job?", Ask("job")),
        ("What are my hobbies?", Ask("hobbies", plural=True)),
        ("  WHAT  IS \n MY   e-mail ?", Ask("e-mail")),
        ("what is my dog's name again, please?", Ask("dog's name")),
        ("When is my birthday?", Ask("birthday")),
        ("Do you know my age?", Ask("age")),
        ("do you still remember my time zone", Ask("time zone")),
        ("Do you know what my favourite colour is?", Ask("favourite colour")),
        ("tell me what my hobbies are", Ask("hobbies", plural=True)),
        ("Tell me my name please", Ask("name")),
        ("Hey MACE, could you tell me my name?", Ask("name")),
        ("my favourite colour?", Ask("favourite colour")),
        ("my favourite colour is?", Ask("favourite colour")),
        ("My favourite colour is what?", Ask("favourite colour")),
        ("How old am I?", Ask("age")),
        ("what is my cafe\u0301", Ask("café")),
        # who am I
        ("Who am I?", WhoAmI()),
        ("who am i", WhoAmI()),
        ("What do you know about me?", WhoAmI()),
        # telling
        ("My favorite food is pizza.", Tell("favorite food", "pizza")),
        ("my name is Ann", Tell("name", "Ann")),
        ("My hobbies are chess, Go, and C++", Tell("hobbies", "chess, Go, and C++", plural=True)),
        ("Remember my favorite food is pizza", Tell("favorite food", "pizza")),
        ("Remember that my name is José O'Neil Jr.", Tell("name", "José O'Neil Jr.")),
        ("please remember: my city is New York", Tell("city", "New York")),
        ("remember my name as Ann", Tell("name", "Ann")),
        ("Don’t forget my birthday is 4 May", Tell("birthday", "4 May")),
        ("Save my city as Paris.", Tell("city", "Paris")),
        ("save my motto is live as you like", Tell("motto", "live as you like")),
        ("Set my time zone to Europe/Berlin", Tell("time zone", "Europe/Berlin")),
        ("set my motto to as you like it", Tell("motto", "as you like it")),
        ("set my name as Ann", Tell("name", "Ann")),
        ("change my city to Rome, please.", Tell("city", "Rome")),
        ("save Paris as my city", Tell("city", "Paris")),
        ("Remember To be as my motto.", Tell("motto", "To be")),
        ("my name’s Ann", Tell("name", "Ann")),
        ("my name: Ann", Tell("name", "Ann")),
        ("My name is: Ann", Tell("name", "Ann")),
        ("Could you remember my name is Ann?", Tell("name", "Ann")),
        ("my favourite quote is to be is to do", Tell("favourite quote", "to be is to do")),
        # values stay as they were written
        ('My motto is "To be, or not to be."', Tell("motto", "To be, or not to be.")),
        ('My film is "Quo Vadis?".', Tell("film", "Quo Vadis?")),
        ("my words are “yes” and “no”", Tell("words", "“yes” and “no”", plural=True)),
        ("my country is the U.S.", Tell("country", "the U.S.")),
        ("my site is example.com.", Tell("site", "example.com")),
        ("my version is 3.5.", Tell("version", "3.5")),
        ("my mood is meh...", Tell("mood", "meh...")),
        ("my band is Wham!", Tell("band", "Wham!")),
        ("my smiley is :-)", Tell("smiley", ":-)")),
        ("my poem is one\n  two", Tell("poem", "one\n  two")),
        ("my nickname is 'O''B'", Tell("nickname", "'O''B'")),
        ("my answer is No.", Tell("answer", "No")),
        ("my title is Dr.", Tell("title", "Dr.")),
        # forgetting
        ("Forget my name", Forget("name")),
        ("delete my e-mail address, please.", Forget("e-mail address")),
        ("forget that my dog's name is Rex", Forget("dog's name")),
        ("Please forget what my age is", Forget("age")),
        # not understood
        ("My name is Ann?", None),
        ("my name is", None),
        ("my name is .", None),
        ('my name is ""', None),
        ("my", None),
        ("", None),
        ("what is my", None),
        ("What is Ohm's law?", None),
        ("my brother said his car is red", None),
        ("My name is Ann and my job is teacher", None),
        ("my name is Ann. My job is teacher.", None),
        ("remember my name is Ann, my hobbies are chess and go", None),
        ("my favourite film is Me and my gal", Tell("favourite film", "Me and my gal")),
        ('my favourite line is "you and my heart is yours".', Tell("favourite line", "you and my heart is yours")),
        ("what is my name and what is my age?", None),
        ("my dog's food", None),
        ("Remember my favorite food", None),
        ("make my day", None),
        ("my 颜色 is 蓝", None),
        ("my favourite colour was blue", None),
        ("do you remember my name is Ann?", None),
        ("my " + "very " * 9 + "long name is x", None),
        ("my " + "n" * 65 + " is x", None),
        ("army name is x", None),
    ],
)
def test_parse(text: str, sentence: Sentence | None):
    assert parse(text) == sentence


def test_the_attribute_is_the_fallback_where_no_alias_is():
    asked = parse("What is my Mother’s maiden-name?")
    assert isinstance(asked, Ask)
    assert (asked.attribute_phrase, asked.attribute) == ("Mother’s maiden-name", "mothers_maiden_name")


@pytest.mark.parametrize(
    ("phrase", "value", "plural", "sentence"),
    [
        ("favourite colour", "blue", False, "Your favorite colour is blue."),
        ("favorite color", "blue", False, "Your favorite color is blue."),
        ("fav colour", "blue", False, "Your favorite colour is blue."),
        ("hobbies", ["chess", "go", "tea"], True, "Your hobbies are chess, go and tea."),
        ("hobby", ["chess"], False, "Your hobby is chess."),
        ("age", 42, False, "Your age is 42."),
        ("band", "Wham!", False, "Your band is Wham!"),
        ("country", "the U.S.", False, "Your country is the U.S."),
        ("newsletter", True, False, "Your newsletter is yes."),
    ],
)
def test_answer_sentence(phrase: str, value: object, plural: bool, sentence: str):
    assert answer_sentence(phrase, value, plural) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("My favourite colour is blue", "I’ll remember that your favourite colour is blue."),
        ("my hobbies are chess and go", "I’ll remember that your hobbies are chess and go."),
        ("my band is Wham!", "I’ll remember that your band is Wham!"),
        ("my country is the U.S.", "I’ll remember that your country is the U.S."),
    ],
)
def test_confirmation(text: str, sentence: str):
    told = parse(text)
    assert isinstance(told, Tell)
    assert confirmation(told) == sentence


@pytest.mark.parametrize(
    ("value", "shown"),
    [("a b", "a b"), (False, "no"), (1.5, "1.5"), (None, "null"), ({"b": 1, "a": [2]}, '{"a":[2],"b":1}'), ([], "[]")],
)
def test_shown_value(value: object, shown: str):
    assert shown_value(value) == shown


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("What is Ohm's law?", Subject("Ohm's law", "definition")),
        ("what’s Ohm’s law", Subject("Ohm’s law", "definition")),
        ("What are prime numbers?", Subject("prime numbers", "definition")),
        ("Define entropy", Subject("entropy", "definition")),
        ("define the term 'entropy'.", Subject("entropy", "definition")),
        ("Who is Ada Lovelace?", Subject("Ada Lovelace", "definition")),
        ("who was Gauss", Subject("Gauss", "definition")),
        ("Explain what entropy is", Subject("entropy", "definition")),
        ("explain what is entropy", Subject("entropy", "definition")),
        ("explain who Gauss was", Subject("Gauss", "definition")),
        ("could you explain entropy, please?", Subject("entropy", "definition")),
        ("tell me what a monad is", Subject("monad", "definition")),
        ("meaning of life", Subject("life", "definition")),
        ("definition of Ohm's law", Subject("Ohm's law", "definition")),
        ("What is the definition of a prime number?", Subject("prime number", "definition")),
        ("give me the definition of entropy", Subject("entropy", "definition")),
        ("what is meant by entropy", Subject("entropy", "definition")),
        ("What does entropy mean?", Subject("entropy", "definition")),
        ("What is the speed of light?", Subject("speed of light", "definition")),
        ("what is the value of pi", Subject("pi", "value")),
        ("What is the symbol for gold?", Subject("gold", "symbol")),
        ("Where is Rome?", Subject("Rome", "location")),
        ("什么 is what", None),
        ("What is 引力?", Subject("引力", "definition")),
        ("What is my name?", None),
        ("what is the meaning of my name", None),
        ("who am i", None),
        ("What is it?", None),
        ("what is your name", None),
        ("explain why the sky is blue", None),
        ("explain what", None),
        ("what does he want", None),
        ("what is", None),
        ("hello", None),
        ("", None),
        ("What is " + "x" * 201 + "?", None),
    ],
)
def test_subject_of(text: str, subject: Subject | None):
    assert subject_of(text) == subject


VOCABULARY = """what is are my name please again who am i remember that save set to as forget tell me do you know
define the meaning of 's blue ? . , " “ ” : = !"""
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_whatever_is_understood_is_usable(text: str):
    sentence = parse(text)
    if isinstance(sentence, Ask | Tell | Forget):
        assert 0 < len(sentence.attribute) <= 64
    if isinstance(sentence, Tell):
        assert sentence.value and sentence.value in text
    about = subject_of(text)
    assert about is None or about.subject
