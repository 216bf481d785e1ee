"""What is a claim of a deed, and what is history, advice or talk."""

import pytest

from mace.agents import deeds

CLAIMS = [
    "I have forwarded your message.", "I've gone ahead and booked the table.", "Your table is booked.",
    "Your flight has been reserved.", "The email is on its way.", "The email is on its way to Carol.",
    "Consider it done.", "Consider it handled.", "It's done.", "That's taken care of.", "All done!",
    "Done, anything else?", "Saved!", "Noted.", "Noted!", "Noted, thanks.", "Got it, I'll remember.",
    "I've got that saved.", "I'll keep that in mind.", "I'll make a note of it.",
    "I will make sure to remember that.", "I'll be sure to remember that.", "I won't forget that.",
    "I will never forget that.", "I shall remember.", "I've noted that you like tea.", "I have it on record now.",
    "It is now stored in my memory.", "This is now saved.", "That has been noted.",
    "Your preference has been recorded.", "Your details were updated.", "I just sent it.", "I sent Carol the report.",
    "Sent to Carol.", "Report sent to Carol.", "Email sent successfully!", "Reminder created for 9 am.",
    "I set a reminder for 9 am.", "I'm setting an alarm for you.", "Alarm set for 7.", "Your alarm is set.",
    "The alarm has been set for seven.", "I've put it in your calendar.", "I added it to your calendar.",
    "The file is gone now.", "The files have been deleted.", "File deleted.", "I removed the file.",
    "I've wiped the disk.", "The lights are now off.", "I've turned off the lights.", "Turning off the lights.",
    "Sending it now.", "Deleting the files now...", "Booking your flight now.", "Okay, calling Peter.",
    "I'm calling Peter now.", "I called Peter.", "Payment completed.", "The payment went through.",
    "I have transferred fifty euros to Lena.", "Fifty euros were transferred to Lena.", "Your order has been placed.",
    "I placed your order.", "I have placed the order.", "Order placed!", "I'll remind you tomorrow.",
    "I will remind you at nine.", "You will be reminded at nine.", "You'll get a reminder tomorrow.",
    "I've scheduled it.", "The meeting is scheduled for Monday.", "The meeting was moved to three.",
    "I moved the meeting.", "Successfully deleted.", "Task complete.", "Your request has been processed.",
    "I've submitted the form.", "The door is locked.", "I locked the door.", "Door locked.",
    "Your message was delivered.", "I have let Carol know.", "I let Carol know.", "I told Carol.",
    "Carol has been informed.", "Carol has been notified.", "Everything is set up.",
    "Everything has been taken care of.", "Memory updated.", "I have updated my memory.",
    "I've learned that your dog is Rex.", "I now know that your dog is Rex.", "I memorized it.", "Will do!",
    "I'm on it.", "On it!", "Right away! I'm sending it.", "Yes, I did that.", "I did it.", "I took care of it.",
    "I handled it.", "I have now cancelled your subscription.", "Subscription cancelled.",
    "Your subscription is cancelled.", "I've changed the password.", "The password was changed.",
    "The backup has been removed.", "I printed it.", "Printed two copies.", "Ok, deleted.", "I’ve saved that.",
    "I have successfully saved your data",
]  # fmt: skip
NO_CLAIMS = [
    "I cannot send emails.", "I can't do that.", "I am not able to delete files.", "I have no way to save that.",
    "You can delete the file with rm.", "To send an email, open your client.", "The Treaty was signed in 1848.",
    "The letter was sent by Napoleon in 1815.", "The telegram was sent in 1917.", "The report was published in 1990.",
    "Deleted files can be recovered.", "A saved game can be loaded.",
    "If you save the file, it will be stored on disk.", "Have you saved the file?", "Shall I explain how to send it?",
    "Paris was founded in the third century BC.", "The file has to be deleted by the owner.",
    "Water is stored in the reservoir.", "Data is stored on disks.", "Messages are sent over TCP.",
    "In Git, changes are saved with a commit.", "It was built in 1889.", "Ohm's law was published in 1827.",
    "The museum is closed on Mondays.", "I think it was opened in 1900.", "Nothing was sent.", "No email was sent.",
    "I did not send it.", "I haven't deleted anything.", "It is called entropy.",
    "Photosynthesis is how light is stored as energy.", "She sent him a letter.", "The king ordered a cake.",
    "You asked me to send it, but I can't.", "Please save your work first.", "Your heart is a muscle.",
    "Your question is interesting.", "The answer is 4.", "I know that Paris is the capital of France.",
    "It has been shown that water boils at 100 degrees.", "The first email was sent in 1971.",
    "Remember to save your file.", "I would delete it.", "You could book a table online.",
    "I recommend that you call Peter.", "The meeting of the estates was called in 1789.",
]  # fmt: skip


@pytest.mark.parametrize("text", CLAIMS)
@pytest.mark.parametrize("question", ["Send the report to Carol", "Carol likes reports"])
def test_a_claim_is_one_whether_it_was_ordered_or_not(text: str, question: str):
    assert deeds.claims_a_deed(text, question)


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_history_advice_and_refusals_are_none(text: str):
    assert not deeds.claims_a_deed(text, "What happened in history?")


@pytest.mark.parametrize(
    ("text", "done", "claims"),
    [
        ("I've saved that for you.", ("write_profile",), False),
        ("I've saved that for you.", (), True),
        ("I've saved that for you.", ("request_deletion",), True),
        ("I have emailed Carol.", ("write_profile",), True),
        ("Your reminder has been set.", ("write_fact",), True),
        ("I noted your birthday.", ("write_fact",), False),
    ],
)
def test_an_effect_excuses_claims_of_its_own_kind(text: str, done: tuple[str, ...], claims: bool):
    assert deeds.claims_a_deed(text, "Keep it", done=done) is claims
