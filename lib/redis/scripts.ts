import { LONGEST_LIFETIME_MS } from '../catalogue/wire.js';

/**
 * An entry ends with its token. The limit is one day more than the longest lifetime of a token, because Redis' clock decides
 * the end: after a correction of this clock, an entry may seem to live longer than its token.
 */
const LONGEST_ENTRY_MS = LONGEST_LIFETIME_MS + 24 * 60 * 60 * 1000;

/** A note lasts at most 60 s. A lease is shorter. */
const LONGEST_NOTE_MS = 60 * 1000;

/**
 * Each operation is one script: it is atomic and takes one round trip. KEYS are the entry and the lease of one name, in one
 * slot of a cluster. Another writer of Redis may have stored a value there that we would not store: another type, a key
 * without an end, a longer value, or bytes that are not sealed text. The scripts delete such a value. They compare bytes, so
 * they also delete bytes that are not UTF-8, which a client could not send back.
 *
 * An error that is not about the type ends the script: a user of Redis without the right to STRLEN must delete nothing.
 *
 * The lease key holds `lease:<owner>`, or `note:<text>` after the owner has given up.
 */
const COMMON = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function stored(key, longest, form)
  if redis.call('EXISTS', key) == 0 then return false, 0 end
  local ttl = redis.call('PTTL', key)
  local size = redis.pcall('STRLEN', key)
  if type(size) == 'table' and not string.find(size.err, 'WRONGTYPE', 1, true) then redis.call('STRLEN', key) end
  if type(size) ~= 'table' and size <= 65536 and ttl >= 0 and ttl <= longest then
    local value = redis.call('GET', key)
    if string.find(value, form) then return value, ttl end
  end
  redis.call('DEL', key)
  return false, 0
end

local function storedEntry()
  return stored(KEYS[1], ${LONGEST_ENTRY_MS}, '^[A-Za-z0-9_-]+$')
end

local function storedLease()
  local value, ttl = stored(KEYS[2], ${LONGEST_NOTE_MS}, '^[a-z]+:[A-Za-z0-9_-]+$')
  if not value then return false, false, 0 end
  local kind, text = string.match(value, '^([a-z]+):(.*)$')
  return kind, text, ttl
end
`;

/** ARGV: owner (or nothing), milliseconds of the lease, lease or note to replace (or nothing), unwanted value (or nothing), `1` to remove it. */
export const CLAIM = `${COMMON}
local owner, ms, insteadOf, unwanted, remove = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local value, ttl = storedEntry()
if value and value ~= unwanted then return { 'found', now, now + ttl, value } end
if value and remove == '1' then redis.call('DEL', KEYS[1]) end

local kind, text, held = storedLease()
if kind == 'note' and text ~= insteadOf then return { 'held', now, now + held, text, false } end
if kind == 'lease' and text ~= insteadOf and text ~= owner then
  return { 'held', now, now + held, false, text }
end
if owner == '' then return { 'free', now } end
redis.call('SET', KEYS[2], 'lease:' .. owner, 'PX', ms)
return { 'leased', now }
`;

/** ARGV: owner, value, when it ends. */
export const PUBLISH = `${COMMON}
local owner, value, ends = ARGV[1], ARGV[2], tonumber(ARGV[3])

local kind, text = storedLease()
local mine = kind == 'lease' and text == owner
if ends > now and (mine or not storedEntry()) then
  redis.call('SET', KEYS[1], value, 'PX', string.format('%d', ends - now))
end
if mine or kind == 'note' then redis.call('DEL', KEYS[2]) end
return 1
`;

/** ARGV: owner, note (or nothing), milliseconds of the note. */
export const RELEASE = `
if redis.pcall('GET', KEYS[1]) ~= 'lease:' .. ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], 'note:' .. ARGV[2], 'PX', ARGV[3]) end
return 1
`;
