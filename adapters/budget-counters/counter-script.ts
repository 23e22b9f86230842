// What one engine says of a tenant's purses, and the calls it asks room for: one atomic script, each call judged in its order.

/** Longer silent, and what an engine had reserved counts no more: it was killed, for it speaks every second while it has any. */
export const dead_after_ms = 30_000
/** Longer silent, and what it spent becomes part of the base; it is told so when it speaks again. */
const folded_after_ms = 600_000
/** A purse nobody speaks of is forgotten, and begun again from PostgreSQL. */
const forgotten_after_ms = 3_600_000
const gone_at_once_max = 1_000
/** The numbers of a script are exact up to here: nine thousand million dollars. */
const amount_max = 2n ** 53n - 1n

/** All amounts are what this engine spent in whole units, each reckoned from another beginning. */
export interface CounterUpdate {
  readonly key: string
  readonly field: string
  /** The beginning this engine knows the purse by. */
  readonly began: string
  /** Since the beginning that it knows. */
  readonly same: bigint
  /** Since it last heard that it was understood: what came before is in the base, if its own field is gone. */
  readonly folded: bigint
  /** Since it was last sure that whoever begins the purse anew will find it in PostgreSQL. */
  readonly other: bigint
  /** What PostgreSQL said was spent by all, after the purse was seen missing; undefined where it was not asked. */
  readonly truth: bigint | undefined
  /** Since PostgreSQL was asked. */
  readonly since_truth: bigint
  /** First word about it on this connection: a purse that another run of Redis began is as good as missing. */
  readonly is_first: boolean
  readonly reserved: bigint
  /** As `same`, but only what PostgreSQL has: rounded down. */
  readonly committed: bigint
  /** What the base need not be more than, as long as nothing was folded since the mark was given. */
  readonly healed: { readonly mark: string; readonly base: bigint } | undefined
}

/** Calls that ask the same, one behind the other. */
export interface CallsWord {
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
  /** Empty where Redis does not have the purse. */
  readonly began: string
  readonly is_folded: boolean
  readonly spent: bigint
  readonly reserved: bigint
  /** What engines said that PostgreSQL has of what they spent since the base. */
  readonly committed: bigint
  readonly mark: string
}

export interface Heard {
  /** For each call: 0 where there was room, -1 where a purse is missing, else the number of the take without room. */
  readonly verdicts: readonly number[]
  readonly budget_counters: readonly CounterReply[]
}

/** Only what stands in braces is hashed: the purses of a tenant lie in one slot of a Redis Cluster. */
export function counterKey(tenant_id: string, counts: string, budget_counter: string): string {
  return `svc:{${tenant_id}}:purse:${counts}:${budget_counter}`
}

export function wordsOf(
  number: number,
  beginning: string,
  budget_counters: readonly CounterUpdate[],
  calls: readonly CallsWord[],
): string[] {
  const words = [String(number), beginning, String(budget_counters.length)]
  for (const budget_counter of budget_counters) {
    const { field, began, same, folded, other, truth, since_truth, is_first, reserved, committed, healed } =
      budget_counter
    const amounts = [same, folded, other, since_truth, reserved, committed].map(cut)
    words.push(
      field,
      began,
      ...amounts,
      truth === undefined ? '' : cut(truth),
      is_first ? '1' : '0',
      healed?.mark ?? '',
      healed ? cut(healed.base) : '',
    )
  }
  words.push(String(calls.length))
  for (const { count, take, takes } of calls) {
    words.push(String(count), take ? '1' : '0', String(takes.length))
    for (const { place, limit, amount, is_call } of takes)
      words.push(String(place + 1), cut(limit), cut(amount), is_call ? '1' : '0')
  }
  return words
}

function cut(amount: bigint): string {
  if (amount > amount_max) return String(amount_max)
  return amount < -amount_max ? String(-amount_max) : String(amount)
}

const answered_each = 6

export function heardOf(reply: unknown, calls: readonly CallsWord[]): Heard {
  const [outcome, ...rest] = reply as string[]
  if (outcome !== 'ok') throw new Error(`Redis took a word about budgets for ${outcome}`)
  const verdicts = calls.flatMap(({ count }, place) => {
    const [let_in, verdict] = [Number(rest[2 * place]), Number(rest[2 * place + 1])]
    return Array.from({ length: count }, (_, behind) => (behind < let_in ? 0 : verdict))
  })
  const budget_counters: CounterReply[] = []
  for (let at = 2 * calls.length; at < rest.length; at += answered_each) {
    const [began = '', folded, mark = '', ...amounts] = rest.slice(at, at + answered_each)
    const [spent = 0n, reserved = 0n, committed = 0n] = amounts.map(BigInt)
    budget_counters.push({ began, is_folded: folded === '1', mark, spent, reserved, committed })
  }
  return { verdicts, budget_counters }
}

const lua_reading = `
local word, beginning, at = tonumber(ARGV[1]), ARGV[2], 3
local function nextText() at = at + 1 return ARGV[at] end
local function nextNumber() return tonumber(nextText()) end
local function whole(number) return string.format('%.0f', number) end
local is_stale, run = false, nil
-- A Redis that was restarted, or that another one took over from, may have old numbers: its purses begin anew.
local function thisRun()
  if not run then
    local info = redis.pcall('INFO', 'server')
    run = type(info) == 'string' and string.match(info, 'run_id:(%x+)') or '-'
  end
  return run
end

local function markOf(purse) return purse.began .. '/' .. whole(purse.folds) end

local function readPurse(key)
  local purse = {key = key, field = nextText(), gone = {}, others = 0, reserved = 0, committed = 0, unproven = 0, folds = 0}
  local began, same, folded, other, since_truth = nextText(), nextNumber(), nextNumber(), nextNumber(), nextNumber()
  purse.own_reserved = nextNumber()
  local committed, truth, is_first, healed_mark, healed = nextNumber(), nextNumber(), nextText() == '1', nextText(), nextNumber()
  local kept = redis.pcall('HGETALL', key)
  if kept.err then kept = {} end
  for place = 1, #kept, 2 do
    local name, value = kept[place], kept[place + 1]
    if name == 'base' then purse.base = tonumber(value)
    elseif name == 'began' then purse.began = value
    elseif name == 'run' then purse.run = value
    elseif name == 'unproven' or name == 'folds' then purse[name] = tonumber(value) or 0
    else
      local spent, reserved, told_at, number, proven = string.match(value, '^(%d+):(%d+):(%d+):(%d+):(%d+)$')
      local silent_ms = spent and now - told_at
      local is_room = #purse.gone < ${gone_at_once_max}
      if not spent then
        if is_room then table.insert(purse.gone, name) end
      elseif name == purse.field then
        purse.is_known_here = true
        is_stale = is_stale or tonumber(number) >= word
      else
        purse.others = purse.others + spent
        if silent_ms <= ${dead_after_ms} then purse.reserved = purse.reserved + reserved end
        if silent_ms > ${folded_after_ms} and is_room then
          table.insert(purse.gone, name)
          purse.folding = (purse.folding or 0) + spent
          purse.unproven = purse.unproven + spent - proven
        else purse.committed = purse.committed + proven end
      end
    end
  end
  if not (purse.base and purse.began) or (is_first and purse.run ~= thisRun()) then
    if not truth then return {key = key} end
    return {key = key, field = purse.field, gone = {}, others = 0, reserved = 0, committed = 0, unproven = 0,
      folds = 0, own_committed = 0, run = thisRun(), own_reserved = purse.own_reserved, base = truth,
      began = beginning, own = since_truth, is_new = true}
  end
  purse.own_committed = 0
  if purse.began ~= began then purse.own = other
  elseif purse.is_known_here then purse.own, purse.own_committed = same, committed
  else purse.own, purse.folded = folded, '1' end
  if purse.folding then purse.folds = purse.folds + 1 end
  if healed and healed_mark == markOf(purse) then
    purse.base = math.max(0, math.min(purse.base, healed + purse.unproven))
  end
  return purse
end
`

const lua_judging = `
local function judge(wanted, take)
  local verdict, held = 0, 0
  for place, one in ipairs(wanted) do
    local purse = one.purse
    if not purse.own then verdict = -1
    elseif verdict == 0 then
      local used = purse.base + purse.others + purse.own + purse.reserved + purse.own_reserved
      if one.amount > 0 and one.limit - used < one.amount then verdict = place
      else
        purse[one.part] = purse[one.part] + one.by
        held = place
      end
    end
  end
  if verdict == 0 and take then return 0 end
  for place = 1, held do
    local one = wanted[place]
    if one.purse.own then one.purse[one.part] = one.purse[one.part] - one.by end
  end
  return verdict
end

local function judgeAll(purses, answer)
  local count, take, takes = nextNumber(), nextText() == '1', nextNumber()
  local wanted, let_in, verdict = {}, 0, 0
  for place = 1, takes do
    local purse, limit, amount, is_call = purses[nextNumber()], nextNumber(), nextNumber(), nextText() == '1'
    wanted[place] = {purse = purse, limit = limit, amount = amount,
      part = is_call and 'own' or 'own_reserved', by = is_call and 1 or amount}
  end
  -- They ask the same, so where one finds no room none behind it does.
  while let_in < count and verdict == 0 do
    verdict = judge(wanted, take)
    if verdict == 0 then let_in = let_in + 1 end
  end
  table.insert(answer, whole(let_in))
  table.insert(answer, whole(verdict))
end

local function keep(purse)
  if not purse.own then return end
  if purse.is_new then redis.call('DEL', purse.key) end
  if #purse.gone > 0 then redis.call('HDEL', purse.key, unpack(purse.gone)) end
  local base = purse.base + (purse.folding or 0)
  local fields = {'base', whole(base), 'began', purse.began, 'run', purse.run or '-',
    'unproven', whole(purse.unproven), 'folds', whole(purse.folds)}
  if purse.is_known_here or purse.own > 0 or purse.own_reserved > 0 then
    table.insert(fields, purse.field)
    local numbers = {purse.own, purse.own_reserved, now, word, purse.own_committed}
    for place, number in ipairs(numbers) do numbers[place] = whole(number) end
    table.insert(fields, table.concat(numbers, ':'))
  end
  redis.call('HSET', purse.key, unpack(fields))
  redis.call('PEXPIRE', purse.key, ${forgotten_after_ms})
end
`

/** Tests put another clock in; nothing else does. */
export function counterScript(clock: string): string {
  return `
local time = ${clock}
local now = time[1] * 1000 + math.floor(time[2] / 1000)
${lua_reading}
${lua_judging}
local purses, answer = {}, {'ok'}
for place = 1, tonumber(ARGV[3]) do purses[place] = readPurse(KEYS[place]) end
if is_stale then return {'stale'} end
for _ = 1, nextNumber() do judgeAll(purses, answer) end
for _, purse in ipairs(purses) do
  keep(purse)
  local said = {'', '0', '', '0', '0', '0'}
  if purse.own then
    said = {purse.began, purse.folded or '0', markOf(purse), whole(purse.base + purse.others + purse.own),
      whole(purse.reserved + purse.own_reserved), whole(purse.committed + purse.own_committed)}
  end
  for _, part in ipairs(said) do table.insert(answer, part) end
end
return answer
`
}
