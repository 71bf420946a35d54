"""A regnal table of one king, for tests that need some table of a user's."""

TABLE = """\
[calendar]
name = "mine"
title = "My kings"
years = "civil"

[[reign]]
name = "Otto I"
first = 936
last = 973
"""
