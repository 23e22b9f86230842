// The part of the script that counts budgets: an engine's updates of a tenant's counters, and the calls it asks for, judged in order.

/** An engine with reservations reports every second. After this silence its reservations no longer count: it was killed. */
export const dead_after_ms = 30_000
/** After this silence an engine's spending is folded into the base; it is told so when it reports again. */
const folded_after_ms = 600_000
/** A counter that nobody reports is deleted, and started again from PostgreSQL. */
const forgotten_after_ms = 3_600_000
const gone_at_once_max = 1_000
/** How often a base with possible double counts is compared with PostgreSQL: each time only what was spent just then can remain. */
export const doubts_max = 20
/** The script's numbers are exact up to this: nine thousand million dollars. */
const amount_max = 2n ** 53n - 1n

/** All amounts are what this engine spent in whole units, each since a different start. */
export interface CounterUpdate {
  readonly key: string
  readonly field: string
  /** The start of the counter as this engine knows it. */
  readonly began: string
  /** Since the start that it knows. */
  readonly same: bigint
  /** Since its last acknowledged report: what came before is in the base if its own field is gone. */
  readonly folded: bigint
  /** Since it was last certain that a counter started again will include it from PostgreSQL. */
  readonly other: bigint
  /** What PostgreSQL says that all spent, read after the counter was missing; undefined if it was not read. */
  readonly truth: bigint | undefined
  /** Since PostgreSQL was read. */
  readonly since_truth: bigint
  /** First report on this connection: a counter started by another run of Redis counts as missing. */
  readonly is_first: boolean
  readonly reserved: bigint
  /** As `same`, but only what PostgreSQL has: rounded down. */
  readonly committed: bigint
  /** The upper bound of the base, valid if nothing was folded since the mark. */
  readonly healed: { readonly mark: string; readonly base: bigint } | undefined
}

/** Identical calls, judged one after the other. */
export interface CallsWord {
  /** The place of the bucket that their tokens come from; undefined where they need none. */
  readonly bucket: number | undefined
  readonly count: number
  readonly take: boolean
  readonly takes: readonly {
    readonly place: number
    readonly limit: bigint
    readonly amount: bigint
    readonly is_call: boolean
  }[]
}

export interface CounterReply {
  /** Empty if Redis does not have the counter. */
  readonly began: string
  readonly is_folded: boolean
  readonly spent: bigint
  readonly reserved: bigint
  /** What engines reported as committed to PostgreSQL of their spending since the base. */
  readonly committed: bigint
  readonly mark: string
  /** How often the base must still be compared with PostgreSQL, by any engine. */
  readonly doubts: number
}

/** Only the part in braces is hashed: the counters of a tenant are in one slot of a Redis Cluster. */
export function counterKey(tenant_id: string, counts: string, budget_counter: string): string {
  return `svc:{${tenant_id}}:counter:${counts}:${budget_counter}`
}

export function counterWords({
  field,
  began,
  same,
  folded,
  other,
  truth,
  since_truth,
  is_first,
  reserved,
  committed,
  healed,
}: CounterUpdate): string[] {
  return [
    field,
    began,
    ...[same, folded, other, since_truth, reserved, committed].map(cut),
    truth === undefined ? '' : cut(truth),
    is_first ? '1' : '0',
    healed?.mark ?? '',
    healed ? cut(healed.base) : '',
  ]
}

export function callWords({ bucket, count, take, takes }: CallsWord): string[] {
  const words = [String((bucket ?? -1) + 1), String(count), take ? '1' : '0', String(takes.length)]
  for (const { place, limit, amount, is_call } of takes)
    words.push(String(place + 1), cut(limit), cut(amount), is_call ? '1' : '0')
  return words
}

function cut(amount: bigint): string {
  if (amount > amount_max) return String(amount_max)
  return amount < -amount_max ? String(-amount_max) : String(amount)
}

/** For each call: 0 if admitted, -1 if a counter is missing, else the number of the take that does not fit. */
export function verdictsOf(replies: readonly string[], calls: readonly CallsWord[]): number[] {
  return calls.flatMap(({ count }, place) => {
    const [let_in, verdict] = [Number(replies[2 * place]), Number(replies[2 * place + 1])]
    return Array.from({ length: count }, (_, behind) => (behind < let_in ? 0 : verdict))
  })
}

const replies_each = 7

export function counterReplies(replies: readonly string[]): CounterReply[] {
  const counters: CounterReply[] = []
  for (let at = 0; at < replies.length; at += replies_each) {
    const [began = '', folded, mark = '', doubts, ...amounts] = replies.slice(at, at + replies_each)
    const [spent = 0n, reserved = 0n, committed = 0n] = amounts.map(BigInt)
    const is_folded = folded === '1'
    counters.push({ began, is_folded, mark, doubts: Number(doubts), spent, reserved, committed })
  }
  return counters
}

/** `time`, `word`, `beginning`, `ended_fields`, `nextText` and `nextNumber` come from the script around it. */
export const lua_counters = `
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function whole(number) return string.format('%.0f', number) end
local is_stale, run = false, nil
-- A Redis that was restarted, or took over from another, may have old numbers: its counters start again.
local function thisRun()
  if not run then
    local info = redis.pcall('INFO', 'server')
    run = type(info) == 'string' and string.match(info, 'run_id:(%x+)') or '-'
  end
  return run
end

local function hasEnded(name) return ended_fields ~= '' and string.sub(name, 1, #ended_fields) == ended_fields end

local function markOf(counter) return counter.began .. '/' .. whole(counter.folds) end

local function readCounter(key)
  local counter = {key = key, field = nextText(), gone = {}, others = 0, reserved = 0, committed = 0, unproven = 0, folds = 0, doubts = 0}
  local began, same, folded, other, since_truth = nextText(), nextNumber(), nextNumber(), nextNumber(), nextNumber()
  counter.own_reserved = nextNumber()
  local committed, truth, is_first, healed_mark, healed = nextNumber(), nextNumber(), nextText() == '1', nextText(), nextNumber()
  local stored = redis.pcall('HGETALL', key)
  if stored.err then stored = {} end
  for place = 1, #stored, 2 do
    local name, value = stored[place], stored[place + 1]
    if name == 'base' then counter.base = tonumber(value)
    elseif name == 'began' then counter.began = value
    elseif name == 'run' then counter.run = value
    elseif name == 'unproven' or name == 'folds' or name == 'doubts' then counter[name] = tonumber(value) or 0
    else
      local spent, reserved, reported_at, number, proven = string.match(value, '^(%d+):(%d+):(%d+):(%d+):(%d+)$')
      local silent_ms = spent and now - reported_at
      local fits_batch = #counter.gone < ${gone_at_once_max}
      if not spent then
        if fits_batch then table.insert(counter.gone, name) end
      elseif name == counter.field then
        counter.is_known_here = true
        is_stale = is_stale or tonumber(number) >= word
      elseif hasEnded(name) and fits_batch then
        -- All of it is in PostgreSQL, and the base may have it from there.
        counter.others = counter.others + spent
        table.insert(counter.gone, name)
        counter.folding = (counter.folding or 0) + spent
        counter.doubts = ${doubts_max}
      else
        counter.others = counter.others + spent
        if silent_ms <= ${dead_after_ms} then counter.reserved = counter.reserved + reserved end
        if silent_ms > ${folded_after_ms} and fits_batch then
          table.insert(counter.gone, name)
          counter.folding = (counter.folding or 0) + spent
          counter.unproven = counter.unproven + spent - proven
        else counter.committed = counter.committed + proven end
      end
    end
  end
  if not (counter.base and counter.began) or (is_first and counter.run ~= thisRun()) then
    if not truth then return {key = key} end
    return {key = key, field = counter.field, gone = {}, others = 0, reserved = 0, committed = 0, unproven = 0,
      folds = 0, doubts = 0, own_committed = 0, run = thisRun(), own_reserved = counter.own_reserved, base = truth,
      began = beginning, own = since_truth, is_new = true}
  end
  counter.own_committed = 0
  if counter.began ~= began then counter.own = other
  elseif counter.is_known_here then counter.own, counter.own_committed = same, committed
  else counter.own, counter.folded = folded, '1' end
  if counter.folding then counter.folds = counter.folds + 1 end
  if healed and healed_mark == markOf(counter) then
    counter.base = math.max(0, math.min(counter.base, healed + counter.unproven))
    counter.doubts = math.max(0, counter.doubts - 1)
  end
  return counter
end

local function judge(requested, take)
  local verdict, taken = 0, 0
  for place, one in ipairs(requested) do
    local counter = one.counter
    if not counter.own then verdict = -1
    elseif verdict == 0 then
      local used = counter.base + counter.others + counter.own + counter.reserved + counter.own_reserved
      if one.amount > 0 and one.limit - used < one.amount then verdict = place
      else
        counter[one.part] = counter[one.part] + one.by
        taken = place
      end
    end
  end
  if verdict == 0 and take then return 0 end
  for place = 1, taken do
    local one = requested[place]
    if one.counter.own then one.counter[one.part] = one.counter[one.part] - one.by end
  end
  return verdict
end

local function judgeAll(counters, tokens_left, answer)
  local bucket, count, take, takes = nextNumber(), nextNumber(), nextText() == '1', nextNumber()
  local requested, let_in, verdict = {}, 0, 0
  -- A call without a token reserves nothing.
  local with_token = count
  if bucket > 0 then
    with_token = math.min(count, tokens_left[bucket])
    tokens_left[bucket] = tokens_left[bucket] - with_token
  end
  for place = 1, takes do
    local counter, limit, amount, is_call = counters[nextNumber()], nextNumber(), nextNumber(), nextText() == '1'
    requested[place] = {counter = counter, limit = limit, amount = amount,
      part = is_call and 'own' or 'own_reserved', by = is_call and 1 or amount}
  end
  -- They are identical, so if one does not fit, none after it does.
  while let_in < with_token and verdict == 0 do
    verdict = judge(requested, take)
    if verdict == 0 then let_in = let_in + 1 end
  end
  table.insert(answer, whole(let_in))
  table.insert(answer, whole(verdict))
end

local function store(counter)
  if not counter.own then return end
  if counter.is_new then redis.call('DEL', counter.key) end
  if #counter.gone > 0 then redis.call('HDEL', counter.key, unpack(counter.gone)) end
  local base = counter.base + (counter.folding or 0)
  local fields = {'base', whole(base), 'began', counter.began, 'run', counter.run or '-',
    'unproven', whole(counter.unproven), 'folds', whole(counter.folds),
    'doubts', whole(counter.doubts)}
  if counter.is_known_here or counter.own > 0 or counter.own_reserved > 0 then
    table.insert(fields, counter.field)
    local numbers = {counter.own, counter.own_reserved, now, word, counter.own_committed}
    for place, number in ipairs(numbers) do numbers[place] = whole(number) end
    table.insert(fields, table.concat(numbers, ':'))
  end
  redis.call('HSET', counter.key, unpack(fields))
  redis.call('PEXPIRE', counter.key, ${forgotten_after_ms})
end

local function replyOf(counter)
  if not counter.own then return {'', '0', '', '0', '0', '0', '0'} end
  return {counter.began, counter.folded or '0', markOf(counter), whole(counter.doubts),
    whole(counter.base + counter.others + counter.own), whole(counter.reserved + counter.own_reserved),
    whole(counter.committed + counter.own_committed)}
end
`
