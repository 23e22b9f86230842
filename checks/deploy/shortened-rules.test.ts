// The copy of the rules that a real Prometheus plays differs from deploy/prometheus in its durations alone.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { deploy } from './deployment.ts'
import { shortenDurations } from './shortened-rules.ts'

interface Rules {
  readonly groups: readonly {
    readonly interval: string
    readonly rules: readonly { readonly alert?: string; readonly expr: string; readonly for?: string }[]
  }[]
}

const text = readFileSync(join(deploy, 'prometheus/rules.yaml'), 'utf8')
const durations = /(?<=\[)\w+(?=\])|(?<=offset )\w+/g

test('only durations are shortened, and every one of them', () => {
  const [own, short] = [parse(text) as Rules, parse(shortenDurations(text, 15)) as Rules]
  for (const [place, group] of own.groups.entries()) {
    const shortened = short.groups[place]!
    assert.match(shortened.interval, /^\d+ms$/)
    for (const [at, rule] of group.rules.entries()) {
      const { expr, for: lasting, ...rest } = shortened.rules[at]!
      const { expr: own_expr, for: own_lasting, ...own_rest } = rule
      assert.deepEqual(rest, own_rest)
      assert.equal(expr.replaceAll(durations, ''), own_expr.replaceAll(durations, ''))
      for (const range of expr.match(durations) ?? []) assert.match(range, /^\d+ms$/)
      if (own_lasting !== undefined) assert.match(lasting!, /^(?:0s|\d+ms)$/)
    }
  }
})

test('durations are divided, and words that look like them are not', () => {
  const rule = 'for: 5m\n  interval: 15s\nexpr: rate(a_5m[1h]) > 0 unless a offset 30m\nsummary: for 5m: [no]'
  assert.equal(
    shortenDurations(rule, 15),
    'for: 20000ms\n  interval: 1000ms\nexpr: rate(a_5m[240000ms]) > 0 unless a offset 120000ms\nsummary: for 5m: [no]',
  )
})
