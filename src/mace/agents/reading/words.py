"""Lists of words, written as they are read."""


def words_in(text: str) -> list[str]:
    return text.split()
