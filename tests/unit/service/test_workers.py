"""The queue is fair by client."""

import threading

from bromeliad.service.clients import Client
from bromeliad.service.jobs.workers import FairQueue, Work


def work(client):
    return Work(Client("here", client), lambda: None)


def test_clients_take_turns():
    queue = FairQueue()
    for client in "aaabbc":
        queue.put(work(client))
    order = []
    while queue.waiting():
        taken = queue.take()
        order.append(taken.client.name)
        queue.done(taken)
    assert order == ["a", "b", "c", "a", "b", "a"]


def test_who_has_nothing_running_comes_first():
    queue = FairQueue()
    for client in "aaab":
        queue.put(work(client))
    assert [queue.take().client.name for _ in range(3)] == ["a", "b", "a"]
    assert queue.running() == 3


def test_positions_tell_the_order():
    queue = FairQueue()
    items = [work(client) for client in "aaabbc"]
    for item in items:
        queue.put(item)
    position = {item: queue.position(item) for item in items}
    order = []
    while queue.waiting():
        taken = queue.take()
        order.append(taken)
        queue.done(taken)
    assert [position[item] for item in order] == [1, 2, 3, 4, 5, 6]
    assert queue.position(items[0]) is None


def test_what_waits_can_be_taken_out():
    queue = FairQueue()
    first, second = work("a"), work("a")
    queue.put(first)
    queue.put(second)
    assert queue.remove(second)
    assert not queue.remove(second)
    assert queue.take() is first
    assert not queue.remove(first)
    assert queue.waiting() == 0
    assert queue.waiting("here") == queue.waiting("here", "a") == 0


def test_many_clients_at_one_address_are_no_more_than_one_elsewhere():
    queue = FairQueue()
    crowd = [Work(Client("crowd", str(i)), lambda: None) for i in range(50)]
    other = [Work(Client("other", "a"), lambda: None) for _ in range(2)]
    for item in (*crowd, *other):
        queue.put(item)
    assert (queue.waiting(), queue.waiting("crowd"), queue.waiting("crowd", "7")) == (52, 50, 1)
    assert [queue.position(item) for item in other] == [2, 4]
    taken = [queue.take() for _ in range(4)]
    assert [item.client.address for item in taken] == ["crowd", "other", "crowd", "other"]
    for item in taken:
        queue.done(item)
    assert queue.running() == 0


def test_closing_wakes_who_waits():
    queue = FairQueue()
    found = []
    waiter = threading.Thread(target=lambda: found.append(queue.take()))
    waiter.start()
    queue.close()
    waiter.join(5)
    assert found == [None]
