"""What people say and ask about themselves, through `ask`: stored under one name, found under all of them."""

from collections.abc import Iterator
from typing import Any

import pytest

import places
from mace.engine.runtime import Mace
from replay import odd_agents

MISSING = "I don’t have that information stored yet. If you want, tell me and I’ll remember it."


@pytest.fixture
def mace(mace_home: places.SqlitePlace) -> Iterator[Mace]:
    with mace_home.open() as opened:
        yield opened


def codes(answer: dict[str, Any]) -> list[str]:
    return [notice["error_code"] for notice in answer["notices"]]


def facts(mace: Mace, user: str = "ana") -> dict[str, Any]:
    start = f"user/profile/user_{user}/"
    return {key.removeprefix(start): mace.sem_get(key)["value"] for key in mace.sem_list(start[:-1], "system_admin")}


def test_said_and_asked_in_other_words_on_every_store(place: places.Place):
    said = [
        ("I live in Porto", "I’ll remember that your city is Porto."),
        ("Where do I live?", "Your city is Porto."),
        ("My bicycle is green", "I’ll remember that your bicycle’s color is green."),
        ("I have a dog named Rex", "I’ll remember that your dog’s name is Rex."),
        ("what's my dog called?", "Your dog’s name is Rex."),
        ("is my dog called Rex?", "Yes, your dog’s name is Rex."),
        ("Is my dog called Bruno?", "No, your dog’s name is Rex."),
        ("What is my cat called?", None),
        ("my city is now Lisbon", "I’ll remember that your city is Lisbon."),
        ("which town do I live in?", "Your city is Lisbon."),
        ("What's my dog's name and where do I live?", "Your dog’s name is Rex. Your city is Lisbon."),
    ]
    with place.open() as mace:
        answers = [mace.ask(text, "ana") for text, _ in said]
        assert [answer["answer"] for answer in answers] == [expected for _, expected in said]
        assert facts(mace) == {"city": "Lisbon", "bike_color": "green", "dog_name": "Rex"}
        assert {mace.replay(answer["job_id"])["result"] for answer in answers} == {"MATCH"}


@pytest.mark.parametrize(
    ("first", "then", "stored"),
    [
        ("I live in Porto", "My city is Lisbon", {"city": "Lisbon"}),
        ("My job is baker", "I work as a cook", {"current_job": "cook"}),
        ("My favourite tree is ash", "My favorite tree is elm", {"favorite_tree": "elm"}),
        ("My favourite film is Alien", "Actually, my favorite movie is Heat", {"favorite_movie": "Heat"}),
        ("my wife is called Ann", "my sister is called Bea", {"wife": "Ann", "sister_name": "Bea"}),
        ("I live in Porto", "I was born in Faro", {"city": "Porto", "birthplace": "Faro"}),
        ("I live in Porto", "my hometown is Faro", {"city": "Porto", "hometown": "Faro"}),
    ],
)
def test_one_thing_has_one_place(mace: Mace, first: str, then: str, stored: dict[str, str]):
    mace.ask(first, "ana")
    mace.ask(then, "ana")
    assert facts(mace) == stored


def test_what_was_stored_by_key_is_found_and_corrected(mace: Mace):
    mace.sem_put("user/profile/user_ana/favourite_colour", "teal", "user", user_id="ana")
    mace.sem_put("user/profile/user_ana/occupation", "baker", "user", user_id="ana")
    assert mace.ask("What's my favorite color?", "ana")["answer"] == "Your favorite color is teal."
    assert mace.ask("What do I do for a living?", "ana")["answer"] == "Your job is baker."
    mace.ask("I work as a cook", "ana")
    assert facts(mace) == {"favourite_colour": "teal", "occupation": "cook"}


def test_two_stored_values_are_both_said(mace: Mace):
    mace.sem_put("user/profile/user_ana/city", "Porto", "user", user_id="ana")
    mace.sem_put("user/profile/user_ana/residence", "Faro", "user", user_id="ana")
    answer = mace.ask("Where do I live?", "ana")["answer"]
    assert "Porto" in answer and "Faro" in answer


@pytest.mark.parametrize(
    ("stored", "question"),
    [
        (("dog_name", "Rex"), "What's my cat called?"),
        (("city", "Porto"), "Where was I born?"),
        (("name", "Marisol"), "What's my nickname?"),
        (("shoe_size", "43"), "What's my ring size?"),
        (("car", "Peugeot"), "What colour is my car?"),
        (("favorite_color", "magenta"), "What's my favourite food?"),
    ],
)
def test_nothing_is_answered_from_another_thing(mace: Mace, stored: tuple[str, str], question: str):
    mace.sem_put(f"user/profile/user_ana/{stored[0]}", stored[1], "user", user_id="ana")
    answer = mace.ask(question, "ana")
    assert (answer["answer"], codes(answer)) == (None, ["SEM_NOT_FOUND"])


def test_lines_are_taken_one_by_one(mace: Mace):
    answer = mace.ask("My favorite food is pizza\nMy favorite colour is red", "ana")
    assert facts(mace) == {"favorite_food": "pizza", "favorite_color": "red"}
    assert answer["answer"] == (
        "I’ll remember that your favorite food is pizza. I’ll remember that your favorite colour is red."
    )


def test_what_do_you_know_about_me(mace: Mace):
    assert codes(mace.ask("What do you know about me?", "ana")) == ["SEM_NOT_FOUND"]
    for text in ("My name is Ana", "I live in Porto", "I have a dog named Rex"):
        mace.ask(text, "ana")
    mace.ask("My name is Bo", "bo")
    answer = mace.ask("What do you know about me?", "ana")
    assert answer["answer"] == "This is what I know about you:\n- city: Porto\n- dog’s name: Rex\n- name: Ana"
    assert [item["ref"].rsplit("/")[-1] for item in answer["evidence"]] == ["city", "dog_name", "name"]
    assert mace.replay(answer["job_id"])["result"] == "MATCH"


def test_the_list_is_bounded(mace: Mace):
    for number in range(60):
        mace.sem_put(f"user/profile/user_ana/thing_{number:02}", "x" * 400, "user", user_id="ana")
    answer = mace.ask("what do you know about me", "ana")["answer"]
    assert answer.endswith("- and 10 more") and len(answer) < 20_000


def test_the_offer_is_true_without_a_job_id(mace: Mace):
    assert mace.ask("What is my shoe size?", "ana")["text"] == MISSING
    assert mace.ask("My shoe size is 42", "ana")["answer"] == "I’ll remember that your shoe size is 42."
    assert mace.ask("what's my shoe size", "ana")["answer"] == "Your shoe size is 42."


@pytest.mark.parametrize(
    "reply", ["no", "never mind", "I don't know", "thanks", "cancel", "hello", "what do you mean?"]
)
def test_what_is_no_value_is_not_stored(mace: Mace, reply: str):
    missed = mace.ask("What is my favorite river?", "ana")
    mace.ask(reply, "ana", in_reply_to=missed["job_id"])
    assert facts(mace) == {}


@pytest.mark.parametrize(("reply", "value"), [("it's 42", "42"), ("42", "42"), ("forty two", "forty two")])
def test_a_reply_to_a_miss(mace: Mace, reply: str, value: str):
    missed = mace.ask("What is my shoe size?", "ana")
    answer = mace.ask(reply, "ana", in_reply_to=missed["job_id"])
    assert (facts(mace), answer["route_reason"]) == ({"shoe_size": value}, "reply_to_miss")


def test_a_reply_that_names_another_thing_is_about_that(mace: Mace):
    missed = mace.ask("What is my shoe size?", "ana")
    mace.ask("I live in Porto", "ana", in_reply_to=missed["job_id"])
    assert facts(mace) == {"city": "Porto"}


def test_an_agent_that_fails_does_not_make_a_stored_fact_missing(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        mace.ask("My name is Ana", "ana")
    with mace_home.open(agents={"profile_agent": odd_agents.raises}) as mace:
        answers = [mace.ask("What is my name?", "ana") for _ in range(4)]
    assert {answer["answer"] for answer in answers} == {"Your name is Ana."}
    assert all("SEM_NOT_FOUND" not in codes(answer) for answer in answers)


def test_forget_finds_what_is_stored_under_another_name(mace: Mace):
    mace.sem_put("user/profile/user_ana/occupation", "baker", "user", user_id="ana")
    answer = mace.ask("forget my job", "ana")
    assert "An administrator must approve" in str(answer["answer"])
    [request] = mace.approvals.list()
    assert "user/profile/user_ana/occupation" in str(request)


def test_nobody_is_answered_from_somebodys_facts(mace: Mace):
    mace.ask("I live in Porto", "ana")
    for user in (None, "bo"):
        assert mace.ask("Where do I live?", user)["answer"] is None
    assert mace.ask("What do you know about me?", "bo")["answer"] is None


def test_a_correction_is_about_what_the_conversation_spoke_of(mace: Mace):
    said = ["My favourite tree is oak", "No, it's elm", "sorry, I meant ash", "What's my favourite tree?"]
    answers = [mace.ask(text, "ana", conversation_id="walk") for text in said]
    assert [answer["answer"] for answer in answers[1:]] == [
        "I’ll remember that your favourite tree is elm.",
        "I’ll remember that your favourite tree is ash.",
        "Your favorite tree is ash.",
    ]
    assert facts(mace) == {"favorite_tree": "ash"}
    assert {mace.replay(answer["job_id"])["result"] for answer in answers} == {"MATCH"}


def test_a_correction_of_nothing_is_not_stored(mace: Mace):
    mace.ask("My favourite tree is oak", "ana")
    mace.ask("No, it's elm", "ana")  # nobody says what it is about
    mace.ask("hello", "ana", conversation_id="walk")
    mace.ask("No, it's elm", "ana", conversation_id="walk")
    assert facts(mace) == {"favorite_tree": "oak"}


def test_a_correction_of_somebody_else_s_question_is_not_stored(mace: Mace):
    theirs = mace.ask("My favourite tree is oak", "bo")
    answer = mace.ask("No, it's elm", "ana", in_reply_to=theirs["job_id"])
    assert (facts(mace), facts(mace, "bo"), codes(answer)[0]) == ({}, {"favorite_tree": "oak"}, "NOT_FOUND")


def test_a_reply_to_what_is_not_there_says_so(mace: Mace):
    mace.ask("My name is Ana", "ana")
    answer = mace.ask("What is my name?", "ana", in_reply_to="nonsense")
    assert (codes(answer), answer["answer"]) == (["NOT_FOUND"], "Your name is Ana.")
    assert "the question that this replies to" in answer["notices"][0]["developer_message"]
    assert mace.replay(answer["job_id"])["result"] == "MATCH"


def said_in_turn(mace: Mace, *texts: str) -> str | None:
    """The answer to the last of several texts of one person."""
    return [mace.ask(text, "ana")["answer"] for text in texts][-1]


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        (("My shoe size is 42",), "Is my shoe size over 40?", "Yes, your shoe size is 42."),
        (("My shoe size is 42",), "Is my shoe size under 40?", "No, your shoe size is 42."),
        (("My favourite food is pizza",), "Is my favourite food healthy?", "Your favorite food is pizza."),
        (("My boss is Tamara",), "Is my boss a woman?", None),
        (("I'm 44 years old",), "Am I over 40?", "Yes, your age is 44."),
        (("My kids are Tom and Ida",), "How many kids do I have?", "You told me of 2 children: Tom and Ida."),
        (("I have two dogs", "My dogs are Rex and Bo"), "How many dogs do I have?", "Your number of dogs is two."),
        (("I hate fog",), "Which team do I hate?", None),
    ],
)
def test_what_a_stored_value_says_to_a_question(mace: Mace, told: tuple[str, ...], question: str, answer: str | None):
    assert said_in_turn(mace, *told, question) == answer


@pytest.mark.parametrize(
    ("first", "second", "question", "answer"),
    [
        ("My old boss is Vera", "My boss is Tamara", "Who is my old boss?", "Your old boss is Vera."),
        ("My boss is Tamara", "My old boss is Vera", "Who is my boss?", "Your boss is Tamara."),
        ("My big brother is called Al", "My little brother is called Bo", "What is my big brother called?", "Al"),
        ("My wife is Eve", "My new wife is Ann", "Who is my wife?", "Your wife is Eve."),
        ("My C++ teacher is Ann", "My C# teacher is Bo", "Who is my C++ teacher?", "Your C++ teacher is Ann."),
        ("My C teacher is Cy", "My C++ teacher is Ann", "Who is my C teacher?", "Your C teacher is Cy."),
        ("My phone is a Pixel", "My phone number is short", "What phone do I have?", "Your phone model is Pixel."),
    ],
)
def test_two_things_of_almost_one_name_are_two(mace: Mace, first: str, second: str, question: str, answer: str):
    assert answer in str(said_in_turn(mace, first, second, question))


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        (("I speak Dutch", "I also speak Greek"), "Do I speak Dutch?", "Yes, your languages are Dutch and Greek."),
        (("I speak Dutch", "I also speak Greek"), "What languages do I speak?", "Your languages are Dutch and Greek."),
        (("I hate mornings", "I hate rain"), "What do I hate?", "You dislike mornings and rain."),
        (("I hate fog",), "Do I hate opera?", "You dislike fog."),
        (("I play tennis", "I play chess"), "Do I play tennis?", "Yes, your hobbies are tennis and chess."),
        (("I speak Dutch", "I speak dutch"), "What languages do I speak?", "Your language is Dutch."),
        (("I speak Dutch", "No, I speak Greek"), "What languages do I speak?", "Your language is Greek."),
        (("My hobby is chess", "My hobby is tennis"), "What is my hobby?", "Your hobby is tennis."),
    ],
)
def test_what_one_has_several_of_is_added(mace: Mace, told: tuple[str, ...], question: str, answer: str):
    assert said_in_turn(mace, *told, question) == answer


def test_the_last_word_counts(mace: Mace):
    mace.ask("My favourite colour is red. Wait, no, green.", "ana")
    assert facts(mace) == {"favorite_color": "green"}


@pytest.mark.parametrize(
    ("text", "stored", "rest"),
    [
        ("My name is Ben, what's the price of the Heron?", {"name": "Ben"}, "“what's the price of the Heron”"),
        ("My order number is 88123. When will it arrive?", {"order_number": "88123"}, "“When will it arrive”"),
        ("my locker number is 12 and email it to Bob", {"locker_number": "12"}, "“email it to Bob”"),
        ("My favourite fish is cod. Send it to Bob.", {"favorite_fish": "cod"}, "“Send it to Bob”"),
    ],
)
def test_what_was_not_understood_is_said(mace: Mace, text: str, stored: dict[str, str], rest: str):
    answer = mace.ask(text, "ana")
    assert facts(mace) == stored
    assert str(answer["answer"]).endswith(f"I did not take in the rest: {rest}.")


@pytest.mark.parametrize(
    "text", ["Hi! My name is Ben. Nice to meet you.", "My name is Ben. Thanks!", "Please remember: my name is Ben"]
)
def test_courtesies_are_no_rest(mace: Mace, text: str):
    assert mace.ask(text, "ana")["answer"] == "I’ll remember that your name is Ben."


def test_what_a_question_tells_beside_it_is_kept(mace: Mace):
    mace.ask("My name is Ben, what's my city?", "ana")
    assert facts(mace) == {"name": "Ben"}


@pytest.mark.parametrize("reply", ["2950 euros", "The Heron costs 2950 euros."])
def test_the_offer_is_true_for_what_is_asked_about_the_world(mace: Mace, reply: str):
    missed = mace.ask("What is the price of the Heron?", "ana")
    assert codes(missed) == ["SEM_NOT_FOUND"]
    mace.ask(reply, "ana", in_reply_to=missed["job_id"])
    told = mace.ask("What is the price of the Heron?", "ana")
    assert told["answer"] == f"You told me: {reply.removesuffix('.')}."
    assert mace.replay(told["job_id"])["result"] == "MATCH"
    assert mace.ask("What is the price of the Heron?", "bo")["answer"] is None  # it is theirs alone
    assert mace.ask("What is the price of the Ox?", "ana")["answer"] is None
    mace.sem_put("world/product/heron/price", "3100 euros", "system")
    assert "3100" in str(mace.ask("What is the price of the Heron?", "ana")["answer"])


def test_the_same_in_a_conversation(mace: Mace):
    said = ["What is the capital of Velania?", "Torp", "What is the capital of Velania?"]
    assert [mace.ask(text, "ana", conversation_id="walk")["answer"] for text in said][-1] == "You told me: Torp."
