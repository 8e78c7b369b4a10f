/**
 * Each operation is one script, because each must happen at once or not at all, and in one trip. KEYS are the entry and
 * the lease of one name, in one slot of a cluster. What lies there may be anybody's: of another type, without an end,
 * or longer than anything that we write. Such bytes are no entry and no lease, and make room.
 *
 * The lease key holds `lease:<owner>`, or `note:<text>` once its owner has given up.
 */
const COMMON = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function stored(key, longest)
  if redis.call('EXISTS', key) == 0 then return false, 0 end
  local ttl = redis.call('PTTL', key)
  local size = redis.pcall('STRLEN', key)
  if type(size) == 'table' or size > 65536 or ttl < 0 or ttl > longest then
    redis.call('DEL', key)
    return false, 0
  end
  return redis.call('GET', key), ttl
end
`;

const MONTH_MS = 31 * 24 * 60 * 60 * 1000;
const LONGEST_LEASE_MS = 5 * 60 * 1000;

/** ARGV: owner (or nothing), milliseconds of the lease, unwanted value (or nothing), `1` to remove it. */
export const CLAIM = `${COMMON}
local owner, ms, unwanted, remove = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local value, ttl = stored(KEYS[1], ${MONTH_MS})
if value and value ~= unwanted then return { 'found', now, now + ttl, value } end
if value and remove == '1' then redis.call('DEL', KEYS[1]) end

local holder, held = stored(KEYS[2], ${LONGEST_LEASE_MS})
if holder and string.sub(holder, 1, 5) == 'note:' then
  return { 'held', now, now + held, string.sub(holder, 6) }
end
if holder and string.sub(holder, 1, 6) == 'lease:' and holder ~= 'lease:' .. owner then
  return { 'held', now, now + held }
end
if owner == '' then return { 'free', now } end
redis.call('SET', KEYS[2], 'lease:' .. owner, 'PX', ms)
return { 'leased', now }
`;

/** ARGV: owner, value, when it ends. */
export const PUBLISH = `${COMMON}
local owner, value, ends = ARGV[1], ARGV[2], tonumber(ARGV[3])

local holder = stored(KEYS[2], ${LONGEST_LEASE_MS})
local mine = holder == 'lease:' .. owner
if ends > now and (mine or not stored(KEYS[1], ${MONTH_MS})) then
  redis.call('SET', KEYS[1], value, 'PX', string.format('%d', ends - now))
end
if mine or (holder and string.sub(holder, 1, 5) == 'note:') then redis.call('DEL', KEYS[2]) end
return 1
`;

/** ARGV: owner, note (or nothing), milliseconds of the note. */
export const RELEASE = `
if redis.pcall('GET', KEYS[1]) ~= 'lease:' .. ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], 'note:' .. ARGV[2], 'PX', ARGV[3]) end
return 1
`;
