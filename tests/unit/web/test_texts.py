"""The page's dictionary: every text in every language, with the same fields, and used somewhere."""

import json
import re

import pytest

from browsing import WEB

SOURCE = WEB / "src"
ENTRY = re.compile(r"^  (\w+): (\[.*?\]),$", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"\{(\w+)\}")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
SAME_EVERYWHERE = {
    "sequence",
    "sequenceTab",
    "ace",
    "king",
    "queen",
    "jack",
    "ev",
    "cardName",
    "comma",
    "whyBecause",
    "whyEnd",
}  # symbols, or only fields
MADE = ("rules_", "hand_", "kind_", "mode_", "theme_", "about_", "door_")  # keys that the code puts together


def read_texts():
    source = (SOURCE / "texts.ts").read_text(encoding="utf-8")
    dictionary = source.split("export const texts = {")[1].split("} as const")[0]
    found = {key: json.loads(re.sub(r",\s*\]", "]", entry)) for key, entry in ENTRY.findall(dictionary)}
    assert len(found) == len(re.findall(r"^  \w+: \[", dictionary, re.MULTILINE))
    return found


TEXTS = read_texts()


@pytest.mark.parametrize("key", TEXTS)
def test_a_text_is_there_in_every_language_with_the_same_fields(key):
    texts = TEXTS[key]
    assert len(texts) == 3
    assert all(text.strip() for text in texts)
    assert len({tuple(sorted(FIELD.findall(text))) for text in texts}) == 1
    assert key in SAME_EVERYWHERE or CHINESE.search(texts[1]), "not translated"


def test_every_text_is_used():
    code = "".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.ts*") if path.name != "texts.ts")
    words = set(re.findall(r"\w+", code))
    assert all(f"`{prefix}${{" in code for prefix in MADE)
    assert [key for key in TEXTS if key not in words and not key.startswith(MADE)] == []
