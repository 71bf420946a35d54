"""The English tagger: `tokens` code the words, `grammar` matches the codes, the other files work out what they mean."""

from epochal.reading.english.tagger import EnglishTagger

__all__ = ["EnglishTagger"]
