"""The reader that all languages but English and Chinese share: a language is a folder of words and rules.

language.py   a language: its words, loaded from `words.toml`, its rules, its tokeniser
tokens.py     a text as coded tokens, and the shapes of numbers
parts.py      what words say of a time (a weekday, a month, "last"), and how two of them make one
resolve.py    the span and the TIMEX3 value of what was said, against the date of the text
match.py      what a rule function sees: the tokens and times that its pattern matched
atoms.py, composites.py, clocks.py, amounts.py
              the rule functions, which know classes and values, never words
tagger.py     the loop: tokens, rules in layers, resolution
detect.py     which language a text is written in
"""
