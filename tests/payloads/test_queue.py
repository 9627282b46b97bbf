"""The queue, by a real server: leases, tries, the dead list, the lock on the chain."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from payloads.fraud_detection.errors import LostError, ServerError
from payloads.fraud_detection.workqueue import Address, Claim, Server, WorkQueue
from redis import exceptions
from redis.lock import Lock

from tests.eventually import eventually

if TYPE_CHECKING:
    from tests.payloads.crew import Crew, Redis


def claimed(queue: WorkQueue) -> Claim:
    """The next claim; it waits for the end of other workers' leases."""
    claim = eventually(queue.claim, what="a dataset")
    assert claim is not None
    return claim


def test_datasets_come_in_order_and_one_is_given_to_one_worker(redis: Redis) -> None:
    first, second = redis.queue("one"), redis.queue("two")
    assert first.add(["a", "b"]) == {"a": "new", "b": "new"}
    a, b = claimed(first), claimed(second)
    assert [(claim.dataset, claim.attempt) for claim in (a, b)] == [("a", 1), ("b", 1)]
    assert first.claim() is None
    assert first.finish(a)
    assert not second.finish(a), "it was finished"
    assert (first.state().waiting, first.state().processing) == ((), ("b",))


def test_known_datasets_are_not_queued_again(redis: Redis) -> None:
    queue = redis.queue()
    queue.add(["a", "b"])
    queue.fail(claimed(queue), "it is bad", is_final=True)
    claimed(queue)
    assert queue.add(["a", "b", "c"]) == {"a": "dead", "b": "queued", "c": "new"}


def test_a_name_twice_in_the_list_is_one_dataset(redis: Redis) -> None:
    redis.say("RPUSH", "datasets", "a", "a")
    assert redis.queue().state().waiting == ("a",)
    claim = claimed(redis.queue("one"))
    assert redis.queue("two").claim() is None
    assert redis.queue("one").finish(claim)
    assert redis.queue("two").names() == []


def test_a_worker_that_is_silent_loses_its_dataset(redis: Redis) -> None:
    gone, heir = redis.queue("gone", lease_seconds=0.2), redis.queue("heir")
    gone.add(["a"])
    lost, found = claimed(gone), claimed(heir)
    assert (found.dataset, found.attempt) == ("a", 2)
    with pytest.raises(LostError):
        lost.lease.renew()
    assert not gone.finish(lost)
    assert not gone.put_back(lost)
    assert not gone.fail(lost, "late", is_final=True)
    assert (heir.state().processing, heir.state().dead) == (("a",), ())
    assert redis.said.getvalue() == "Dataset a taken again: the lease of worker gone ran out\n"
    found.lease.renew()


def test_a_worker_that_renews_keeps_its_dataset(redis: Redis) -> None:
    queue, other = redis.queue("one", lease_seconds=0.4), redis.queue("two")
    queue.add(["a"])
    claim, pause = claimed(queue), threading.Event()
    for _ in range(20):
        pause.wait(0.05)
        claim.lease.keep()
        assert other.claim() is None


def test_a_slow_worker_without_a_rival_keeps_its_dataset(redis: Redis) -> None:
    queue = redis.queue("slow", lease_seconds=0.1)
    queue.add(["a"])
    claim = claimed(queue)
    eventually(lambda: redis.say("EXISTS", "datasets:lease:a") == 0, what="the end of the lease")
    claim.lease.renew()
    assert queue.finish(claim)
    assert queue.names() == []


def test_a_dataset_that_ends_its_workers_is_given_up(redis: Redis) -> None:
    redis.queue().add(["poison", "b"])
    for worker in ("one", "two"):
        queue = redis.queue(worker, lease_seconds=0.1, tries=2)
        eventually(queue.claim, lambda claim: claim is not None and claim.dataset == "poison")
    three = redis.queue("three", tries=2)
    assert eventually(lambda: (three.claim(), three.state().dead)[1], what="the dead list")
    (dead,) = three.state().dead
    assert (dead["dataset"], dead["attempts"]) == ("poison", 2)
    assert dead["reason"] == "2 tries ended with an expired lease, the last by two"
    assert [line for line in redis.said.getvalue().splitlines() if "poison" in line] == [
        "Dataset poison taken again: the lease of worker one ran out",
        "Dataset poison given up: the lease of worker two ran out",
    ]


def test_a_failed_try_is_the_last_in_the_queue_and_a_returned_one_the_first(redis: Redis) -> None:
    queue = redis.queue(tries=2)
    queue.add(["a", "b"])
    assert not queue.fail(claimed(queue), "input/output error", is_final=False)
    assert queue.state().waiting == ("b", "a")
    assert queue.put_back(claimed(queue))
    assert queue.state().waiting == ("b", "a")
    assert claimed(queue).attempt == 1, "a returned dataset was not tried"
    again = claimed(queue)
    assert (again.dataset, again.attempt) == ("a", 2)
    assert queue.fail(again, "input/output error", is_final=False)
    assert queue.state().dead[0]["reason"] == "input/output error"
    assert queue.revive("a") == 1
    assert queue.state().waiting == ("a",)


def test_a_name_that_is_not_utf_8_does_not_stop_its_readers(redis: Redis) -> None:
    redis.queue().add(["a\udcff"])
    claim = claimed(redis.queue())
    assert claim.dataset == "a\udcff"
    assert redis.queue().fail(claim, "its name is not text", is_final=True)
    assert redis.queue().state().dead[0]["dataset"] == "a\udcff"


def test_one_worker_has_the_chain(redis: Redis) -> None:
    one, two = redis.queue("one", lease_seconds=0.3), redis.queue("two")
    lost = one.lock_chain()
    assert lost is not None
    assert two.lock_chain() is None
    found = eventually(two.lock_chain, what="the end of the lock")
    assert found is not None
    with pytest.raises(LostError):
        lost.renew()
    assert not lost.end()
    found.renew()
    assert found.end()


def test_a_claim_whose_answer_is_lost_is_taken_again_after_its_lease(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = crew.datasets(1)
    acquire = Lock.do_acquire

    def lost(lock: Lock, token: str) -> bool:
        """The server carries the request out, and the connection breaks before its answer."""
        monkeypatch.undo()
        acquire(lock, token)
        raise exceptions.ConnectionError

    monkeypatch.setattr(Lock, "do_acquire", lost)
    queue = crew.redis.queue(lease_seconds=0.2, wait=lambda _: None)
    assert queue.claim() is None
    assert queue.state().waiting == tuple(names)
    again = claimed(queue)
    assert (again.dataset, again.attempt) == (names[0], 1)
    assert queue.put_back(again)
    crew.finish()
    crew.assert_trained_once(names)


def test_a_server_that_comes_back_has_lost_nothing(redis: Redis) -> None:
    queue = redis.queue()
    queue.add(["a", "b"])
    claim = claimed(queue)
    redis.kill()
    redis.start()
    assert queue.state().processing == ("a",)
    claim.lease.renew()


def test_an_error_says_that_the_server_is_gone_or_refuses(redis: Redis) -> None:
    wrong = Server(Address("127.0.0.1", redis.port, "wrong"), patience=60, wait=lambda _: None)
    with pytest.raises(ServerError, match=f"Redis at 127.0.0.1:{redis.port} refuses the password in REDIS_PASSWORD"):
        wrong.run(lambda client: client.hkeys("x"))
    redis.kill()
    gone = Server(Address("127.0.0.1", redis.port, None), patience=0.1, wait=lambda _: None)
    with pytest.raises(ServerError, match="did not answer for"):
        gone.run(lambda client: client.hkeys("x"))


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, Address("localhost", 6379, None)),
        ({"REDIS_HOST": "redis", "REDIS_PORT": "6380", "REDIS_PASSWORD": "x"}, Address("redis", 6380, "x")),
        (
            {"REDIS_HOST": "my-redis", "MY_REDIS_SERVICE_HOST": "127.0.0.2", "MY_REDIS_SERVICE_PORT": "40000"},
            Address("127.0.0.2", 40000, None),
        ),
    ],
)
def test_the_address_is_that_of_the_pods_environment(environment: dict[str, str], expected: Address) -> None:
    assert Address.found(environment) == expected


def test_an_error_names_a_port_that_is_not_a_number() -> None:
    with pytest.raises(ServerError, match=r"'tcp://10\.0\.0\.1:6379', which is not a number: set REDIS_PORT"):
        Address.found({"REDIS_PORT": "tcp://10.0.0.1:6379"})
