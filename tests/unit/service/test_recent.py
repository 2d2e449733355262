"""Games in memory: always the same object, until others displace it and it is read again."""

from bromeliad.service import recent
from bromeliad.service.recent import Recent


def test_those_used_last_stay_and_the_others_are_read_again(monkeypatch):
    monkeypatch.setattr(recent, "_KEPT", 2)
    loaded = []

    def load(name):
        loaded.append(name)
        return [name]

    things = Recent(load)
    new = ["new"]
    things.add("new", new)
    first = things.find("a")
    assert things.find("new") is new
    things.find("b")  # displaces a, the least recently used
    assert things.find("new") is new
    assert loaded == ["a", "b"]
    assert things.find("a") is not first
    assert loaded == ["a", "b", "a"]
