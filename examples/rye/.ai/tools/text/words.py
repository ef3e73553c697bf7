"""Imported by a tool beside it; no tool itself."""


def words_of(text: str) -> list:
    return text.split()
