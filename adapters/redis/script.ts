// One atomic script for all that an engine asks Redis: tokens of buckets first, then budgets of the calls that got one.
import {
  type CallsWord,
  type CounterReply,
  type CounterUpdate,
  callWords,
  counterReplies,
  counterWords,
  lua_counters,
  verdictsOf,
} from '../budget-counters/counter-script.ts'
import { type Answer, lua_tokens } from '../rate-limit/limit-script.ts'

export const redis_clock = "redis.call('TIME')"

/** A bucket and how many tokens are asked of it. */
export interface BucketWords {
  readonly keys: readonly [string, string]
  readonly words: readonly string[]
}

/** All of one tenant, so that all keys are in one slot of a Redis Cluster. */
export interface Report {
  readonly number: number
  /** The start of each counter that this report starts. */
  readonly beginning: string
  /** With this begin the fields of earlier processes whose spending PostgreSQL has; empty until that is certain. */
  readonly ended_fields: string
  readonly budget_counters: readonly CounterUpdate[]
  readonly buckets: readonly BucketWords[]
  readonly calls: readonly CallsWord[]
}

export interface Heard {
  readonly buckets: readonly Answer[]
  /** For each call: 0 if admitted, -1 if a counter is missing, else the number of the take that does not fit. */
  readonly verdicts: readonly number[]
  readonly budget_counters: readonly CounterReply[]
}

export function keysOfReport({ budget_counters, buckets }: Report): string[] {
  return [...budget_counters.map(({ key }) => key), ...buckets.flatMap(({ keys }) => keys)]
}

export function wordsOf(report: Report): string[] {
  const { number, beginning, ended_fields, budget_counters, buckets, calls } = report
  return [
    String(number),
    beginning,
    ended_fields,
    String(budget_counters.length),
    ...budget_counters.flatMap(counterWords),
    String(buckets.length),
    ...buckets.flatMap(({ words }) => words),
    String(calls.length),
    ...calls.flatMap(callWords),
  ]
}

/** Undefined where a later report of this process came first. Throws at the answer to another report. */
export function heardOf(
  reply: unknown,
  { number, calls }: Pick<Report, 'number' | 'calls'>,
): Heard | undefined {
  if (!Array.isArray(reply) || reply[0] !== String(number))
    throw new Error('Redis answered something else than this report')
  const [, outcome, buckets, verdicts, counters] = reply as [string, string, Answer[], string[], string[]]
  if (outcome === 'stale') return undefined
  return {
    buckets,
    verdicts: verdictsOf(verdicts, calls),
    budget_counters: counterReplies(counters),
  }
}

/** Only tests pass another clock. */
export function redisScript(clock: string): string {
  return `
local time = ${clock}
local word, beginning, ended_fields, at = tonumber(ARGV[1]), ARGV[2], ARGV[3], 3
local function nextText() at = at + 1 return ARGV[at] end
local function nextNumber() return tonumber(nextText()) end
${lua_tokens}
${lua_counters}
local counters, buckets, tokens_left, verdicts, replies = {}, {}, {}, {}, {}
for place = 1, nextNumber() do counters[place] = readCounter(KEYS[place]) end
if is_stale then return {ARGV[1], 'stale'} end
for place = 1, nextNumber() do
  local key_at = #counters + 2 * place - 1
  buckets[place] = takeTokens(KEYS[key_at], KEYS[key_at + 1])
  tokens_left[place] = buckets[place][6]
end
for _ = 1, nextNumber() do judgeAll(counters, tokens_left, verdicts) end
for _, counter in ipairs(counters) do
  store(counter)
  for _, part in ipairs(replyOf(counter)) do table.insert(replies, part) end
end
return {ARGV[1], 'ok', buckets, verdicts, replies}
`
}
