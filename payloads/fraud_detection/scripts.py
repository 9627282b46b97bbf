"""The steps of the queue as scripts that Redis runs atomically, by its own clock.

Each may be sent again when its answer was lost: the token shows whether it was carried out. Leases are JSON under the
name of their dataset: token, worker, and the deadline in milliseconds of the server's clock.
"""

from __future__ import annotations

from typing import Final

_COMMON: Final = """
local waiting, processing, leases, attempts, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function lease_of(name)
  local text = redis.call('HGET', leases, name)
  return text and cjson.decode(text)
end
local function drop(name)
  redis.call('LREM', processing, 0, name)
  redis.call('HDEL', leases, name)
end
local function bury(name, reason, worker)
  redis.call('RPUSH', dead, cjson.encode({dataset = name, reason = reason, worker = worker, time = time[1],
    attempts = tonumber(redis.call('HGET', attempts, name) or 0)}))
  redis.call('HDEL', attempts, name)
end
"""

CLAIM: Final = (
    _COMMON
    + """
local token, worker, milliseconds, tries = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local held = redis.call('LRANGE', processing, 0, -1)
local said = {}
for i = #held, 1, -1 do
  local name, lease = held[i], lease_of(held[i])
  if lease and lease.token == token then
    return {name, tonumber(redis.call('HGET', attempts, name) or 1), 0}
  end
  if not lease or lease.deadline <= now then
    local last = lease and lease.worker or 'a worker without a lease'
    drop(name)
    if tonumber(redis.call('HGET', attempts, name) or 0) >= tries then
      bury(name, tries .. ' tries ended with an expired lease, the last by ' .. last, last)
      said[#said + 1] = 'dead'
    else
      redis.call('LPUSH', waiting, name)
      said[#said + 1] = 'again'
    end
    said[#said + 1] = name
    said[#said + 1] = last
  end
end
while true do
  local name = redis.call('LMOVE', waiting, processing, 'LEFT', 'RIGHT')
  if not name then
    return {'', 0, redis.call('LLEN', processing), unpack(said)}
  end
  if redis.call('HEXISTS', leases, name) == 1 then
    redis.call('LREM', processing, -1, name)
  else
    redis.call('HSET', leases, name, cjson.encode({token = token, worker = worker, deadline = now + milliseconds}))
    return {name, redis.call('HINCRBY', attempts, name, 1), 0, unpack(said)}
  end
end
"""
)
"""ARGV: token, worker, milliseconds, tries. Datasets with expired leases are put back first. Returns name (or ''),
attempt, how many others are held, and triples (`again` or `dead`, name, worker) of expired leases."""

RENEW: Final = (
    _COMMON
    + """
local lease = lease_of(ARGV[1])
if not lease or lease.token ~= ARGV[2] then return 0 end
lease.deadline = now + tonumber(ARGV[3])
redis.call('HSET', leases, ARGV[1], cjson.encode(lease))
return 1
"""
)
"""ARGV: name, token, milliseconds. Returns whether the lease still has that token."""

FINISH: Final = (
    _COMMON
    + """
local lease = lease_of(ARGV[1])
if not lease or lease.token ~= ARGV[2] then return 0 end
drop(ARGV[1])
redis.call('HDEL', attempts, ARGV[1])
return 1
"""
)
"""ARGV: name, token."""

PUT_BACK: Final = (
    _COMMON
    + """
local lease = lease_of(ARGV[1])
if not lease or lease.token ~= ARGV[2] then return 0 end
drop(ARGV[1])
redis.call('HINCRBY', attempts, ARGV[1], -1)
redis.call('LPUSH', waiting, ARGV[1])
return 1
"""
)
"""ARGV: name, token. Puts the dataset back at the front of the queue; the try does not count."""

FAIL: Final = (
    _COMMON
    + """
local lease = lease_of(ARGV[1])
if not lease or lease.token ~= ARGV[2] then return 0 end
drop(ARGV[1])
if tonumber(redis.call('HGET', attempts, ARGV[1]) or 0) >= tonumber(ARGV[3]) then
  bury(ARGV[1], ARGV[4], lease.worker)
  return 2
end
redis.call('RPUSH', waiting, ARGV[1])
return 1
"""
)
"""ARGV: name, token, tries, reason. Puts the dataset at the end of the queue (1), or after the last try on the dead
list (2)."""

LOCK: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local owner, deadline = redis.call('HGET', KEYS[1], 'owner'), tonumber(redis.call('HGET', KEYS[1], 'deadline') or 0)
if owner and owner ~= ARGV[1] and deadline > now then return '' end
if owner ~= ARGV[1] then
  local last = tonumber(redis.call('HGET', KEYS[1], 'fence') or 0)
  local fence = math.max(last + 1, time[1] * 1000000 + time[2])
  redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'fence', string.format('%.0f', fence))
end
redis.call('HSET', KEYS[1], 'deadline', now + tonumber(ARGV[2]))
return redis.call('HGET', KEYS[1], 'fence')
"""
"""ARGV: owner, milliseconds. Returns the fence, '' while another owner has the lock. Fences grow; they follow the
clock, so they also grow after a loss of all data in Redis."""

HOLD: Final = """
local time = redis.call('TIME')
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'deadline', time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[2]))
return 1
"""
"""ARGV: owner, milliseconds. Returns whether that owner still has the lock."""

UNLOCK: Final = """
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
return redis.call('HDEL', KEYS[1], 'owner', 'deadline')
"""
"""ARGV: owner."""

ENQUEUE: Final = """
local known = {}
for _, key in ipairs({KEYS[1], KEYS[2]}) do
  for _, name in ipairs(redis.call('LRANGE', key, 0, -1)) do known[name] = 'queued' end
end
for _, text in ipairs(redis.call('LRANGE', KEYS[5], 0, -1)) do known[cjson.decode(text).dataset] = 'dead' end
local said = {}
for i, name in ipairs(ARGV) do
  said[i] = known[name] or 'new'
  if not known[name] then
    redis.call('RPUSH', KEYS[1], name)
    known[name] = 'queued'
  end
end
return said
"""
"""ARGV: names. Returns for each `new`, `queued` or `dead`; only those that are new are added."""

REVIVE: Final = """
local count = 0
for _, text in ipairs(redis.call('LRANGE', KEYS[5], 0, -1)) do
  local name = cjson.decode(text).dataset
  if #ARGV == 0 or name == ARGV[1] then
    redis.call('LREM', KEYS[5], 1, text)
    redis.call('RPUSH', KEYS[1], name)
    count = count + 1
  end
end
return count
"""
"""ARGV: one name, or nothing for all. Moves datasets from the dead list to the end of the queue."""
