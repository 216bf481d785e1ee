"""Orders of deeds and texts that are none, claims of deeds and texts that are none: four tables, each with both sides.

A pair of a claim is what was asked and what an engine said to it.
"""

import pytest

from mace.agents import deeds, orders

ORDERS = [
    "Add two liters of oat milk to the groceries list", "Put dentist on Thursday in my diary",
    "Check my inbox for anything from the bank", "Check whether my parcel has arrived",
    "Look in my calendar for Friday", "Let's cancel the gym membership", "Let us archive last year's invoices",
    "Forget everything you know about me", "Forget all about me please", "Erase all my data",
    "Wipe whatever you have stored on me", "Have the plumber come by on Monday",
    "Please have someone ring me after lunch", "Have Anna send me the contract",
    "Get the landlord to fix the heating", "Get somebody to pick up the keys", "Could you get Tom to sign the form?",
    "Make sure the invoice goes out today", "Make sure that my car is washed by six",
    "Please see to it that the room is warm", "See that the gate is closed tonight",
    "Let my sister know that I am late", "Let the team know we moved to Tuesday",
    "Ask the bakery whether they have rye bread", "Ask Pedro to water the plants",
    "Can you ask reception for a taxi?", "Could you tell my boss that I'm sick?", "Tell Irene I said yes",
    "I want my account closed", "I want my subscription cancelled today", "I'd like my data erased",
    "I would like my seat changed to an aisle one", "I need this invoice paid by Friday",
    "I need a taxi booked for seven", "I want the lights off in ten minutes",
    "My appointment needs to be moved to Friday", "My booking has to be cancelled",
    "The report must be sent to Olga by noon", "This file should be deleted, please",
    "Someone should call my mother back", "Somebody please feed the cat", "I need you to order more paper",
    "I want to cancel my order", "I'd like to book a table for four", "I would like to unsubscribe",
    "I wish to return these shoes", "Time to back up the laptop, do it", "Sign me up for the newsletter",
    "Take me off the mailing list", "Log me out everywhere", "Arrange a meeting with the auditors",
    "Set up a call with Petra next week", "Wake me at six", "Keep an eye on the stock price for me",
    "Watch my flight and tell me when it lands", "Charge the parking to my card", "Give Marta access to the folder",
    "Send flowers to my aunt", "Would you be a darling and lock up?", "Can we get the meeting moved to four?",
]  # fmt: skip
NO_ORDERS = [
    "Add seven and nine", "Add 15 percent to 240", "Check this sentence: he go home",
    "Check my grammar: she have a cat", "Make me laugh", "Make up a bedtime tale about a snail",
    "Make a list of five rivers", "Make this clearer: the thing is big", "Let's talk about Mars",
    "Let's say x is 4, what is x squared?", "Let me think about it", "Let x be 5", "Ask me a riddle",
    "Ask me three questions about Rome", "Have a nice day", "Have you ever seen snow?", "Have I told you my name?",
    "Get to the point", "Get well soon", "Tell me about the Baltic Sea", "Tell us a joke", "Forget it",
    "Forget about that, what is 3 times 4?", "How do I cancel my order?", "How can I get my account deleted?",
    "Can I cancel my order online?", "Who deletes old accounts?", "When was my order cancelled?",
    "What happens if I delete my account?", "Should I sell my car?", "Is it safe to delete the temp folder?",
    "Write an email to my boss that I quit", "Draft a letter asking the landlord to fix the heating",
    "Write a poem that tells my wife I love her", "I cancelled my order yesterday", "I sold my old car",
    "I want to learn Spanish", "I want to be a nurse", "I would like a good book about whales",
    "I'd like to know who built the Eiffel Tower", "I need a word that rhymes with orange",
    "I need advice on my garden", "My brother needs to lose weight", "My phone needs a new battery",
    "My sister has to work on Sundays", "My cat must be twelve by now", "The report was sent to Olga",
    "Someone should write a book about this", "I like to book early", "My boss makes sure that we are on time",
    "My mother lets me know when she is home", "Show me how to set an alarm", "Explain how to delete a branch in git",
    "Give me an example of irony", "Give me the recipe for bread", "Sum up the plot of Hamlet",
    "Find synonyms for happy", "See you tomorrow", "Keep it short: what is DNA?",
    "Watch out for typos in this: teh cat",
]  # fmt: skip
CLAIMS = [
    ("My dog is Rex", "I have **stored** it."), ("My dog is Rex", "_Saved_ to your profile."),
    ("My dog is Rex", "✅ **Done** – your dog is on file."), ("My dog is Rex", "Committed to my memory."),
    ("My dog is Rex", "That's in my notes now."), ("My dog is Rex", "Your dog's name is safely in my memory."),
    ("My dog is Rex", "Rex it is - filed away!"), ("My dog is Rex", "From now on I know that."),
    ("My dog is Rex", "I've jotted that down."), ("My dog is Rex", "Duly noted!"),
    ("What is my password?", "Your password was reset."),
    ("What is my password?", "A new password is in your mailbox."),
    ("What is my password?", "I emailed you a new one."),
    ("What is my password?", "A link is waiting in your inbox."),
    ("What is my password?", "You should have received a link by now."),
    ("What is my password?", "Check your inbox: the code is there."),
    ("Where is my parcel?", "Your parcel was returned to the sender."),
    ("Where is my parcel?", "I've checked, and it is on the truck."),
    ("Where is my parcel?", "The courier has been told."),
    ("Where is my parcel?", "Let me check that and come back to you."),
    ("Where is my parcel?", "I'll look into it and let you know."),
    ("Where is my parcel?", "We will get in touch with you shortly."),
    ("Where is my parcel?", "Someone will call you back within the hour."),
    ("Where is my parcel?", "A colleague will contact you."), ("Where is my parcel?", "Our team is looking into it."),
    ("Where is my parcel?", "Your request has been passed on."),
    ("Where is my parcel?", "A ticket was opened for you."),
    ("Where is my parcel?", "Your complaint is now with our team."), ("Did you save my address?", "Yes, I did."),
    ("Did you send the letter?", "Yes."), ("Have you deleted my photos?", "Yes, all of them."),
    ("Have you told Ana?", "Yes, I have."), ("Is my reminder set?", "Yes, it is."),
    ("Did you book the room?", "I sure did!"), ("Did the refund go out?", "Yes, it went out this morning."),
    ("Where is my refund?", "Your refund was made on Monday."),
    ("Where is my refund?", "The money is back on your card."), ("Where is my refund?", "Refund issued."),
    ("Where is my refund?", "It was paid out yesterday."),
    ("Where is my refund?", "The amount has been credited to your account."),
    ("Can I change my seat?", "Sure, it's changed."), ("Can I change my seat?", "You are now in seat 14C."),
    ("Can I change my seat?", "Your seat got changed."),
    ("Can you help me?", "Yes, I've already arranged everything with Marek."),
    ("Is the heating on?", "I switched it on."), ("Is the heating on?", "It's been turned on."),
    ("Is the heating on?", "It's on now."), ("Are the lights off?", "They have been switched off."),
    ("What about Carol?", "Carol has been informed."), ("What about Carol?", "Carol knows about it now, I told her."),
    ("What about Carol?", "She got your message."), ("What about the table?", "Two seats are reserved for you."),
    ("What about the table?", "A table for four is booked under your name."),
    ("What about the flight?", "You're booked on the nine o'clock."),
    ("What about the flight?", "Your ticket is on its way to you."),
    ("What about my account?", "Your account no longer exists."), ("What about my account?", "It's gone for good."),
    ("What about my account?", "You have been unsubscribed."), ("What about my account?", "You're signed up!"),
    ("What about my account?", "Changes applied."),
]  # fmt: skip
NO_CLAIMS = [
    ("When was the letter sent?", "It was sent in 1815."),
    ("When was the letter sent?", "The letter was sent on 3 May 1815 by Napoleon."),
    ("Who deleted the tapes?", "They were deleted by the BBC in the 1970s."),
    ("Who deleted the tapes?", "The BBC deleted them."), ("Who built it?", "It was built by Agnes Holt."),
    ("When did it open?", "It was opened in 1932."), ("When did it open?", "The bridge was opened by the queen."),
    ("Is the museum open?", "The museum is closed on Mondays."),
    ("Is the bridge closed?", "Yes, it is closed for repairs until May."),
    ("How are orders cancelled?", "An order is cancelled by phone."),
    ("How are backups kept?", "Backups are deleted after 30 days."),
    ("How are refunds sent?", "Refunds are sent within five days."),
    ("How do I delete my account?", "Open the settings and choose Delete."),
    ("How do I delete my account?", "You can delete it in the settings."),
    ("How do I delete my account?", "Your account will be deleted once you confirm."),
    ("How do I save a file?", "Press Ctrl+S, and the file is saved."),
    ("Can you delete it?", "I can't delete anything."), ("Can you delete it?", "No, I cannot do that."),
    ("Did you save my address?", "No, I did not."), ("Did you save my address?", "No, nothing was saved."),
    ("Did Rome fall in 476?", "Yes, it did."), ("Is Paris the capital of France?", "Yes, it is."),
    ("Did Ann found the club?", "Yes, she did."), ("Have you heard of Bach?", "Yes, I have."),
    ("Do you know Bach?", "Yes, Bach was a composer."), ("Does it cover rust?", "No, rust is excluded."),
    ("What did the treaty change?", "The border was moved to the river."),
    ("Who leads the team?", "Ravi was made head of research in 2020."),
    ("What is entropy?", "I'd say it is a measure of disorder."),
    ("What is entropy?", "I'll explain: it measures disorder."),
    ("What is 2 plus 2?", "I added the numbers and got 4."),
    ("Why is the sky blue?", "I'll keep it short: blue light is scattered more."),
    ("What is a bond?", "Money that is lent and paid back with interest."),
    ("What is escrow?", "Money is held until the goods have been delivered."),
    ("What is a cookie?", "A small file that is stored in your browser."),
    ("Where is my data kept?", "Your data is usually kept on your own disk."),
    ("What is a backup?", "A copy of your files that has been saved elsewhere."),
    ("What is a mortgage?", "If you stop paying, your house can be sold."),
    ("How does mail work?", "Your letter is sorted, and then it is sent to the town."),
    ("Where does my food go?", "Your food is broken down in the stomach."),
    ("What is my heart made of?", "Your heart is made of muscle."),
    ("Who wrote Emma?", "Emma was written by Jane Austen."),
    ("Tell me about Ann", "Ann was called to the bar in 1990."),
    ("What was decided?", "The plan was approved by the council in March."),
    ("Where is the ship?", "The ship was sunk off Malta."), ("Who won?", "Brazil won the cup."),
    ("Was he paid?", "Yes, he was paid 300 euros."),
    ("Is it locked at night?", "Yes, the gate is locked at ten every night."),
    ("I am sad", "I'm sorry to hear that. I hope it gets better."), ("Hello", "Hello! How can I help you?"),
    ("Thanks", "You're welcome!"), ("Good night", "Good night, sleep well."),
    ("My dog is ill", "A vet should look at him soon."),
    ("My car won't start", "The battery may be empty; have it tested."),
    ("I lost my card", "Call your bank so that the card is blocked."),
    ("I want to travel", "You could book a flight to Rome."),
    ("What is the news?", "I don't know; I have no access to the news."),
    ("What should I do?", "Ask the depot; they will tell you."),
    ("When does the shop send parcels?", "Parcels are sent at five on weekdays."),
    ("What does the guide say?", "It says that a reset link is sent by mail."),
]  # fmt: skip


def test_each_table_has_sixty():
    assert {len(set(table)) for table in (ORDERS, NO_ORDERS)} == {60}
    assert {len(set(table)) for table in (CLAIMS, NO_CLAIMS)} == {60}


@pytest.mark.parametrize("text", ORDERS)
def test_an_order_of_a_deed_reaches_no_engine(text: str):
    assert not orders.engine_may_answer_2(text)


@pytest.mark.parametrize("text", NO_ORDERS)
def test_what_words_can_answer_may_reach_one(text: str):
    assert orders.engine_may_answer_2(text)


@pytest.mark.parametrize(("question", "text"), CLAIMS)
def test_what_says_that_something_was_done_or_will_be_is_a_claim(question: str, text: str):
    assert deeds.claims_a_deed(text, question)


@pytest.mark.parametrize(("question", "text"), NO_CLAIMS)
def test_what_tells_of_the_world_is_none(question: str, text: str):
    assert not deeds.claims_a_deed(text, question)
