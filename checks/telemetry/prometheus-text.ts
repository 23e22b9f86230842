// A strict parser of the Prometheus text format: what it accepts, every scraper accepts.
import assert from 'node:assert/strict'

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly samples: Sample[]
}

const name_form = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const help_line = new RegExp(`^# HELP (${name_form}) ((?:[^\\\\]|\\\\\\\\|\\\\n)+)$`)
const type_line = new RegExp(`^# TYPE (${name_form}) (counter|gauge|histogram|summary|untyped)$`)
const sample_line = new RegExp(`^(${name_form})(?:\\{(.*)\\})? (\\S+)$`)
const label_form = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/y
const value_form = /^(?:[+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Inf)|Nan|NaN)$/

/** Throws on an invalid page: duplicate families or lines, a missing type, incomplete histograms. */
export function readMetricsPage(text: string): ReadonlyMap<string, Family> {
  assert.ok(text.endsWith('\n'), 'the last line ends')
  const families = new Map<string, Family>()
  const keys = new Set<string>()
  let described: { name: string; help: string } | undefined
  let current: Family | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue
    const help = help_line.exec(line)
    const type = type_line.exec(line)
    if (help) {
      assert.ok(!families.has(help[1]!), `${help[1]} is told twice`)
      described = { name: help[1]!, help: help[2]! }
    } else if (type) {
      assert.equal(type[1], described?.name, 'a TYPE follows its HELP')
      current = { ...described!, type: type[2]!, samples: [] }
      families.set(current.name, current)
    } else {
      const sample = readSample(line)
      assert.ok(current && belongs(sample.name, current), `${line} stands under ${current?.name}`)
      const key = `${sample.name}${JSON.stringify(Object.entries(sample.labels).sort())}`
      assert.ok(!keys.has(key), `${line} is told twice`)
      keys.add(key)
      current.samples.push(sample)
    }
  }
  for (const family of families.values()) if (family.type === 'histogram') requireWhole(family)
  return families
}

function readSample(line: string): Sample {
  const parts = sample_line.exec(line)
  assert.ok(parts, `${line} is no sample`)
  assert.match(parts[3]!, value_form, line)
  return { name: parts[1]!, labels: readLabels(parts[2] ?? '', line), value: numberOf(parts[3]!) }
}

function readLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {}
  let at = 0
  while (at < text.length) {
    label_form.lastIndex = at
    const label = label_form.exec(text)
    assert.ok(label, `${line} has labels that cannot be read`)
    assert.ok(!(label[1]! in labels), `${line} names a label twice`)
    labels[label[1]!] = label[2]!.replace(/\\(.)/g, (_, next) => (next === 'n' ? '\n' : next))
    at = label_form.lastIndex
  }
  return labels
}

function numberOf(text: string): number {
  return Number(text.replace('Inf', 'Infinity').replace('Nan', 'NaN'))
}

function belongs(name: string, family: Family): boolean {
  if (family.type !== 'histogram') return name === family.name
  return ['bucket', 'sum', 'count'].some((part) => name === `${family.name}_${part}`)
}

/** Buckets increase, and the last is unbounded and equals the count. */
function requireWhole({ name, samples }: Family): void {
  const series = Map.groupBy(samples, ({ labels: { le: _, ...rest } }) =>
    JSON.stringify(Object.entries(rest).sort()),
  )
  for (const [labels, own] of series) {
    const of = (part: string) => own.filter((sample) => sample.name === `${name}_${part}`)
    const buckets = of('bucket')
    const bounds = buckets.map(({ labels: { le } }) => numberOf(le!))
    assert.deepEqual(
      bounds,
      bounds.toSorted((a, b) => a - b),
      `${name}${labels}: bounds rise`,
    )
    assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY, `${name}${labels} has a last bucket`)
    const counts = buckets.map(({ value }) => value)
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
      `${name}${labels}: buckets add up`,
    )
    assert.deepEqual([of('sum').length, of('count').length], [1, 1], `${name}${labels} has a sum and a count`)
    assert.equal(counts.at(-1), of('count')[0]!.value, `${name}${labels}: the last bucket is the count`)
  }
}
