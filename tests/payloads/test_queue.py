"""The queue, by a real server: leases, tries, the dead list, the lock on the chain."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from payloads.fraud_detection import scripts
from payloads.fraud_detection.connect import Address, Server
from payloads.fraud_detection.errors import LostError, ServerError
from payloads.fraud_detection.workqueue import Expired
from tests.eventually import eventually

if TYPE_CHECKING:
    from payloads.fraud_detection.workqueue import Claim, WorkQueue
    from tests.payloads.crew import Redis


def expired(queue: WorkQueue) -> Claim:
    """The first claim that finds something of another worker whose lease ran out."""
    return eventually(queue.claim, lambda claim: bool(claim.expired), what="the end of a lease")


def test_datasets_come_in_order_and_one_is_given_to_one_worker(redis: Redis) -> None:
    first, second = redis.queue("one"), redis.queue("two")
    assert first.add(["a", "b", "a"]) == {"a": "queued", "b": "new"}
    claims = [first.claim(), second.claim(), first.claim()]
    assert [(claim.dataset, claim.attempt, claim.others) for claim in claims] == [
        ("a", 1, 0),
        ("b", 1, 0),
        (None, 0, 2),
    ]
    assert first.finish(claims[0])
    assert not second.finish(claims[0]), "it was finished"
    state = first.state()
    assert (state.waiting, state.processing) == ((), ("b",))


def test_what_is_known_is_not_queued_again(redis: Redis) -> None:
    queue = redis.queue()
    queue.add(["a", "b"])
    queue.fail(queue.claim(), "it is bad", is_final=True)
    queue.claim()
    assert queue.add(["a", "b", "c"]) == {"a": "dead", "b": "queued", "c": "new"}


def test_a_name_twice_in_the_list_is_not_given_to_two_workers(redis: Redis) -> None:
    redis.say("RPUSH", "datasets", "a", "a")
    assert redis.queue("one").claim().dataset == "a"
    assert redis.queue("two").claim().dataset is None


def test_a_claim_whose_answer_was_lost_is_not_made_twice(redis: Redis) -> None:
    redis.queue().add(["a", "b"])
    server = Server(Address("127.0.0.1", redis.port, "a password"), patience=1, wait=lambda _: None)
    keys = tuple(f"datasets{suffix}" for suffix in ("", ":processing", ":leases", ":attempts", ":dead"))
    answers = [server.run(scripts.CLAIM, keys, "token", "worker", 60_000, 5) for _ in range(2)]
    assert answers == [["a", 1, 0], ["a", 1, 0]]


def test_a_worker_that_is_not_heard_of_loses_what_it_has(redis: Redis) -> None:
    gone, heir = redis.queue("gone", lease_seconds=0.2), redis.queue("heir")
    gone.add(["a"])
    lost = gone.claim()
    found = expired(heir)
    assert (found.dataset, found.attempt) == ("a", 2)
    assert found.expired == (Expired("a", "gone", is_dead=False),)
    with pytest.raises(LostError):
        gone.lease(lost).make_sure()
    assert not gone.finish(lost)
    assert not gone.put_back(lost)
    assert not gone.fail(lost, "late", is_final=True)
    heir.lease(found).make_sure()


def test_a_worker_that_is_heard_of_keeps_what_it_has(redis: Redis) -> None:
    queue, other = redis.queue("one", lease_seconds=0.4), redis.queue("two")
    queue.add(["a"])
    lease, pause = queue.lease(queue.claim()), threading.Event()
    for _ in range(20):
        pause.wait(0.05)
        lease.keep()
        assert other.claim().dataset is None


def test_a_dataset_that_ends_its_workers_is_given_up(redis: Redis) -> None:
    redis.queue().add(["poison", "b"])
    for worker in ("one", "two"):
        assert eventually(redis.queue(worker, lease_seconds=0.1, tries=2).claim, lambda c: c.dataset == "poison")
    found = eventually(redis.queue("three", tries=2).claim, lambda c: any(each.is_dead for each in c.expired))
    assert found.expired == (Expired("poison", "two", is_dead=True),)
    (dead,) = redis.queue().state().dead
    assert (dead["dataset"], dead["attempts"]) == ("poison", 2)
    assert dead["reason"] == "2 tries ended with an expired lease, the last by two"


def test_what_was_put_in_progress_by_hand_is_taken_up(redis: Redis) -> None:
    redis.say("RPUSH", "datasets:processing", "a")
    assert redis.queue().claim().dataset == "a"


def test_a_failed_try_is_the_last_in_the_queue_and_a_returned_one_the_first(redis: Redis) -> None:
    queue = redis.queue(tries=2)
    queue.add(["a", "b"])
    assert not queue.fail(queue.claim(), "input/output error", is_final=False)
    assert queue.state().waiting == ("b", "a")
    assert queue.put_back(queue.claim())
    assert queue.state().waiting == ("b", "a")
    assert queue.claim().attempt == 1, "what was returned was no try"
    again = queue.claim()
    assert (again.dataset, again.attempt) == ("a", 2)
    assert queue.fail(again, "input/output error", is_final=False)
    assert queue.state().dead[0]["reason"] == "input/output error"
    assert queue.revive("a") == 1
    assert queue.state().waiting == ("a",)


def test_a_name_that_is_no_text_does_not_stop_whoever_reads_it(redis: Redis) -> None:
    redis.queue().add(["a\udcff"])
    claim = redis.queue().claim()
    assert claim.dataset == "a\udcff"
    assert redis.queue().fail(claim, "its name is no text", is_final=True)
    assert redis.queue().state().dead[0]["dataset"] == "a\udcff"


def test_the_chain_is_one_workers_and_its_fence_grows(redis: Redis) -> None:
    one, two = redis.queue("one", lease_seconds=0.3), redis.queue("two")
    taken = one.lock("one")
    assert taken is not None
    assert one.lock("one") is not None, "asking again is no other lock"
    assert two.lock("two") is None
    later = eventually(lambda: two.lock("two"), what="the end of the lock")
    assert later is not None
    assert later[0] > taken[0]
    with pytest.raises(LostError):
        taken[1].make_sure()
    one.unlock("one")
    later[1].make_sure()
    two.unlock("two")
    redis.say("FLUSHALL")
    newest = one.lock("one")
    assert newest is not None
    assert newest[0] > later[0], "also after everything was forgotten"


def test_a_server_that_comes_back_has_lost_nothing(redis: Redis) -> None:
    queue = redis.queue()
    queue.add(["a", "b"])
    claim = queue.claim()
    redis.kill()
    redis.start()
    assert queue.state().processing == ("a",)
    queue.lease(claim).make_sure()


def test_a_server_that_is_gone_or_refuses_is_told(redis: Redis) -> None:
    wrong = Server(Address("127.0.0.1", redis.port, "wrong"), patience=60, wait=lambda _: None)
    with pytest.raises(ServerError, match=f"Redis at 127.0.0.1:{redis.port} refuses the password in REDIS_PASSWORD"):
        wrong.call("PING")
    redis.kill()
    gone = Server(Address("127.0.0.1", redis.port, None), patience=0.1, wait=lambda _: None)
    with pytest.raises(ServerError, match="did not answer for"):
        gone.call("PING")


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


def test_a_port_that_is_none_is_told() -> None:
    with pytest.raises(ServerError, match=r"'tcp://10\.0\.0\.1:6379', which is not a number: set REDIS_PORT"):
        Address.found({"REDIS_PORT": "tcp://10.0.0.1:6379"})
