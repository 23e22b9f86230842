// The part of the script that takes tokens: the bucket, the month, and what this replica knows that Redis may have lost.

export type Answer = readonly [
  /** Of the last requested call. */
  outcome: number,
  tokens: string,
  month: number,
  used: number,
  redis_now_ms: string,
  /** How many of the requested calls are allowed: the first ones. */
  allowed: number,
]

export const outcomes = { bucket_empty: 0, allowed: 1, quota_used: 2, month_unknown: 3 } as const

export interface ScriptArguments {
  readonly capacity: number
  readonly refill_per_s: number
  readonly cost: number
  /** How many calls of this cost are requested; 0 only checks. */
  readonly takes: number
  readonly month_max: number | null
  /** What a bucket that Redis does not have begins with, at this time of Redis' clock; undefined for now. */
  readonly start: number
  readonly start_at_ms: number | undefined
  /** Given out here while Redis was away; subtracted from a bucket that Redis does have. */
  readonly debt: number
  /** What this replica knows of the month, and the calls that only it has counted. */
  readonly month: number
  readonly month_used: number
  readonly month_debt: number
  /** The saved count of the month has been read: Redis starts from it if it has none. */
  readonly month_is_read: boolean
}

/** Both are in one slot of a Redis Cluster, because only the part in braces is hashed. */
export function keysOf(tenant_id: string, protocol: string): [string, string] {
  return [`svc:{${tenant_id}}:bucket:${protocol}`, `svc:{${tenant_id}}:month`]
}

export function argumentsOf(script_arguments: ScriptArguments): string[] {
  return [
    script_arguments.capacity,
    script_arguments.refill_per_s,
    script_arguments.cost,
    script_arguments.takes,
    script_arguments.month_max ?? -1,
    script_arguments.start,
    script_arguments.start_at_ms ?? -1,
    script_arguments.debt,
    script_arguments.month,
    script_arguments.month_used,
    script_arguments.month_debt,
    script_arguments.month_is_read ? 1 : 0,
  ].map(String)
}

/** `time` and `nextNumber` come from the script around it. */
export const lua_tokens = `
local function pair(text)
  if not text then return nil end
  local first, second = string.match(text, '^([^:]+):(.+)$')
  return tonumber(first), tonumber(second)
end
local function monthOf(seconds)
  local z = math.floor(seconds / 86400) + 719468
  local era = math.floor(z / 146097)
  local day = z - era * 146097
  local year = math.floor((day - math.floor(day / 1460) + math.floor(day / 36524) - math.floor(day / 146096)) / 365)
  day = day - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local month = (math.floor((5 * day + 2) / 153) + 2) % 12
  if month < 2 then year = year + 1 end
  return (year + era * 400) * 12 + month
end

local function takeTokens(bucket_key, month_key)
  local capacity, refill, cost, takes, month_max = nextNumber(), nextNumber(), nextNumber(), nextNumber(), nextNumber()
  local start, start_at, debt = nextNumber(), nextNumber(), nextNumber()
  local told_month, told_used, month_debt, month_is_read = nextNumber(), nextNumber(), nextNumber(), nextNumber() == 1
  local now = time[1] * 1000 + time[2] / 1000
  local kept = redis.call('MGET', bucket_key, month_key)
  local tokens, at = pair(kept[1])
  local known = tokens ~= nil and at ~= nil
  if known then
    tokens = math.min(capacity, tokens + math.max(0, now - at) / 1000 * refill) - debt
  else
    if start_at < 0 then start_at = now end
    tokens = math.min(capacity, start + math.max(0, now - start_at) / 1000 * refill)
  end
  tokens = math.max(-capacity, tokens)

  local month, used, counted = 0, 0, 0
  if month_max >= 0 then
    month = monthOf(tonumber(time[1]))
    local kept_month, kept_used = pair(kept[2])
    if kept_month == nil or kept_used == nil then
      if not month_is_read then return {3, '0', month, 0, string.format('%.3f', now), 0} end
    elseif kept_month >= month then
      month, used, counted = kept_month, kept_used, kept_used
    end
    if told_month == month then used = math.max(used, told_used) + month_debt end
  end

  local wanted, given = math.max(1, takes), 0
  while given < wanted and tokens >= cost and (month_max < 0 or month_max - used >= 1) do
    tokens = tokens - cost
    used = used + 1
    given = given + 1
  end
  local take = takes > 0
  local is_change = given > 0 or debt > 0 or (known and at > now) or (not known and tokens < capacity)
  if take and is_change then
    local full_in = math.min(math.ceil((capacity - tokens) / refill * 1000) + 1000, 3e11)
    redis.call('SET', bucket_key, string.format('%.17g:%.3f', tokens, now), 'PX', string.format('%.0f', full_in))
  end
  if take and month_max >= 0 and used > counted then
    redis.call('SET', month_key, string.format('%.0f:%.0f', month, used), 'PX', '2764800000')
  end
  local by_quota = month_max >= 0 and month_max - used < 1
  local outcome = given == wanted and 1 or by_quota and 2 or 0
  return {outcome, string.format('%.17g', tokens), month, used, string.format('%.3f', now), given}
end
`
