"""Jobs of the service in the store."""

from datetime import UTC, datetime, timedelta

REQUEST = {"cards": "As Ah Kd 7c 2s"}


def add(store, name):
    store.jobs.add(name, "me", "ofc", REQUEST, deeper=False, keep=True)


def test_a_job_is_stored_with_its_answer(store):
    add(store, "one")
    open_job = store.jobs.get("one")
    assert (open_job.client, open_job.game, open_job.request) == ("me", "ofc", REQUEST)
    assert (open_job.status, open_job.keep, open_job.deeper) == ("queued", True, False)
    store.jobs.end("one", "aborted", '{"value": 1}', "cancelled", "wrong", 1.5)
    ended = store.jobs.get("one")
    assert (ended.status, ended.answer, ended.reason, ended.error) == ("aborted", '{"value": 1}', "cancelled", "wrong")
    assert ended.elapsed_s == 1.5
    assert ended.ended_at >= ended.created_at
    assert store.jobs.get("two") is None


def test_open_jobs_are_interrupted_and_can_be_reopened(store):
    for name in ("one", "two", "three"):
        add(store, name)
    store.jobs.end("one", "completed", "{}", None, None, 0.1)
    assert store.jobs.interrupt_open() == 2
    assert store.jobs.interrupt_open() == 0
    assert {job.id for job in store.jobs.list("interrupted")} == {"two", "three"}
    assert store.jobs.reopen("two", "you")
    assert not store.jobs.reopen("two", "you")
    assert not store.jobs.reopen("one", "you")
    assert store.jobs.get("two").client == "you"
    assert [job.id for job in store.jobs.list("interrupted")] == ["three"]


def test_old_jobs_are_removed_unless_they_can_be_resumed(store):
    for name in ("one", "two", "three"):
        add(store, name)
    store.jobs.end("one", "completed", "{}", None, None, 0.1)
    store.jobs.interrupt_open()
    later = datetime.now(UTC) + timedelta(days=1)
    assert store.jobs.forget(later - timedelta(days=2)) == 0
    assert store.jobs.forget(later) == 1
    assert store.jobs.get("one") is None
    assert store.jobs.get("two") is not None


def test_the_newest_complete_answer_to_the_same_question_is_found(store):
    for name in ("one", "two", "cut", "open"):
        add(store, name)
    store.jobs.end("one", "completed", '{"value": 1}', None, None, 0.1)
    store.jobs.end("two", "completed", '{"value": 2}', None, None, 0.1)
    store.jobs.end("cut", "completed", '{"value": 3}', "time limit", None, 0.1)
    add(store, "again")
    store.jobs.end("again", "completed", '{"value": 4, "stored": true}', None, None, 0.1)
    before, after = (datetime.now(UTC) + timedelta(hours=hours) for hours in (-1, 1))
    assert store.jobs.answered("ofc", dict(REQUEST), before) == '{"value": 2}'
    assert store.jobs.answered("ofc", dict(REQUEST), after) is None
    assert store.jobs.answered("gomoku", REQUEST, before) is None
    assert store.jobs.answered("ofc", {**REQUEST, "seed": 2}, before) is None
