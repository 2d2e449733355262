"""Rule sets and their files, lookup tables, scoring, legality and showdown."""
