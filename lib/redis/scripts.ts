import { LONGEST_LIFETIME_MS } from '../catalogue/wire.js';
import { LONGEST_NOTE_MS } from '../token/pauses.js';

/** An entry ends with its token. One day more, because Redis' clock may be corrected: an entry then seems to live longer. */
const LONGEST_ENTRY_MS = LONGEST_LIFETIME_MS + 24 * 60 * 60 * 1000;

/**
 * Each script is atomic and takes one round trip. KEYS are the entry and the lease of one name, in one slot of a cluster. The lease
 * key holds `lease:<owner>`, or `note:<text>` after the owner has given up.
 *
 * Another writer of Redis may have stored a value that we would not store: another type, a key without an end, a longer value, or
 * bytes that are not sealed text. The scripts delete such a value. An error that is not about the type ends the script: a user of
 * Redis without the right to STRLEN must delete nothing.
 */
const COMMON = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function stored(key, longest, form)
  local ttl = redis.call('PTTL', key)
  if ttl == -2 then return nil, 0 end
  local size = redis.pcall('STRLEN', key)
  if type(size) == 'table' and not string.find(size.err, 'WRONGTYPE', 1, true) then redis.call('STRLEN', key) end
  if type(size) ~= 'table' and size <= 65536 and ttl >= 0 and ttl <= longest then
    local value = redis.call('GET', key)
    if string.find(value, form) then return value, ttl end
  end
  redis.call('DEL', key)
  return nil, 0
end

local entry, entryMs = stored(KEYS[1], ${LONGEST_ENTRY_MS}, '^[A-Za-z0-9_-]+$')
local lease, leaseMs = stored(KEYS[2], ${LONGEST_NOTE_MS.refusal}, '^[a-z]+:[A-Za-z0-9_-]+$')
local kind, text = string.match(lease or '', '^([a-z]+):(.*)$')
local owner = ARGV[1]
local isOwner = kind == 'lease' and text == owner
`;

/** ARGV: owner (or nothing), milliseconds of the lease, unwanted entry (or nothing). */
export const CLAIM = `${COMMON}
if entry and entry ~= ARGV[3] then return { 'found', now, now + entryMs, entry } end
if kind == 'note' then return { 'held', now, now + leaseMs, text } end
if kind == 'lease' and not isOwner then return { 'held', now, now + leaseMs } end
if owner == '' then return { 'free', now } end
redis.call('SET', KEYS[2], 'lease:' .. owner, 'PX', ARGV[2])
return { 'leased', now }
`;

/** ARGV: owner, then the entry (or nothing) and when it ends, then the note (or nothing) and its milliseconds. */
export const SETTLE = `${COMMON}
local value, ends, note = ARGV[2], tonumber(ARGV[3]), ARGV[4]
if value ~= '' and ends > now and (isOwner or ends > now + entryMs) then
  redis.call('SET', KEYS[1], value, 'PX', string.format('%d', ends - now))
end
if isOwner and note ~= '' then redis.call('SET', KEYS[2], 'note:' .. note, 'PX', ARGV[5])
elseif isOwner or (value ~= '' and kind == 'note') then redis.call('DEL', KEYS[2]) end
return 1
`;
