// No pattern of ours, in code or in a published schema, is slower than linear; and no caller's name becomes a
// series.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { catalogue } from '@svc/catalogue/catalogue'
import { deriveSchemas } from '@svc/catalogue/derive/json-schemas'
import { deriveOpenApi } from '@svc/catalogue/derive/openapi'
import { SyntaxKind } from 'typescript/unstable/ast'
import { dispatch } from '../../engines/running-engine.ts'
import { halfOf, openChance } from '../../faults/scene/chance.ts'
import { everyNode, readSources } from '../../tidy/source.ts'
import { type AttackedEngine, openAttackedEngine } from '../attacked-engine.ts'
import { findBlowUp } from './pattern-attack.ts'

const root = join(import.meta.dirname, '../../..')
const seed = Number(process.env.SVC_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
const names_sent = process.env.SVC_TEST_ASSURANCE ? 20_000 : 600
const senders = 20

/** Quadratic patterns, and why nobody can exploit them. One that no longer is must be removed. */
const accepted: Readonly<Record<string, string>> = {
  '/\\[[^\\]]*\\]/': 'the laws of the catalogue read only patterns of our own',
}

interface Found {
  readonly where: string
  readonly pattern: RegExp
}

/** Global and sticky patterns keep state; what is timed is one search from the beginning. */
function patternOf(source: string, flags = ''): RegExp {
  return new RegExp(source, flags.replace(/[gy]/g, ''))
}

function patternsInSchemas(): Found[] {
  const published = [['openapi.json', deriveOpenApi(catalogue)] as const, ...deriveSchemas(catalogue)]
  return published.flatMap(([file, schema]) => {
    const patterns: Found[] = []
    JSON.parse(JSON.stringify(schema), (key, value) => {
      if (key === 'pattern' && typeof value === 'string')
        patterns.push({ where: file, pattern: patternOf(value) })
      if (key === 'patternProperties')
        for (const name of Object.keys(value)) patterns.push({ where: file, pattern: patternOf(name) })
      return value
    })
    return patterns
  })
}

function patternsInSources(): Found[] {
  const patterns: Found[] = []
  for (const source of readSources(root).sources) {
    if (source.is_test || source.area === 'checks') continue
    everyNode(source, (node) => {
      if (node.kind !== SyntaxKind.RegularExpressionLiteral) return
      const literal = node.getText(source.tree)
      patterns.push({ where: source.path, ...readLiteral(literal) })
    })
  }
  return patterns
}

function readLiteral(literal: string): { pattern: RegExp } {
  const end = literal.lastIndexOf('/')
  return { pattern: patternOf(literal.slice(1, end), literal.slice(end + 1)) }
}

/** The docs page's script is not part of the program, so its few patterns are found by their syntax. */
function patternsInScripts(): Found[] {
  const looks = /[(,=:]\s*(\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*)[.,)]/g
  return globSync('gateway/docs/*.js', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(looks)].map(([, literal = '']) => ({
      where: file,
      ...readLiteral(literal),
    })),
  )
}

test('every pattern takes time in proportion to the text', (t) => {
  const all = [...patternsInSchemas(), ...patternsInSources(), ...patternsInScripts()]
  const distinct = new Map(all.map((entry) => [String(entry.pattern), entry]))
  assert.ok(distinct.size >= 50, `only ${distinct.size} patterns were found`)
  // A different half each time: all of them take as long as everything else here.
  const judged = halfOf([...distinct.values()], openChance(seed))
  const faults = judged.flatMap(({ where, pattern }) => {
    const blow_up = findBlowUp(pattern, seed)
    if (String(pattern) in accepted) return blow_up ? [] : [`${pattern} is accepted without need`]
    return blow_up ? [`${where}: ${pattern} on ${blow_up}`] : []
  })
  assert.deepEqual(
    faults,
    [],
    `replay: SVC_TEST_SEED=${seed} node --test checks/security/worst/patterns.slow.test.ts`,
  )
  t.diagnostic(`${judged.length} of ${distinct.size} patterns of ${all.length} places; seed ${seed}`)
})

test('exponential patterns are found', () => {
  for (const pattern of [/^(a+)+$/, /\s+$/, /^(\w+\s?)*$/, /^[a-z]+([a-z0-9]+)*-$/]) {
    assert.ok(findBlowUp(pattern, seed), String(pattern))
  }
})

let target: AttackedEngine
before(async () => {
  target = await openAttackedEngine()
})
after(() => target.stop())

/** Our own series; Node's come and go. */
function seriesOf(metrics: string): string[] {
  return metrics
    .split('\n')
    .filter((line) => line && !/^(#|svc_nodejs_|svc_process_)/.test(line))
    .map((line) => line.slice(0, line.lastIndexOf(' ')))
    .sort()
}

test('thousands of unknown names create no series', async (t) => {
  const { acme } = target
  const askFor = (name: string) =>
    dispatch(acme, { protocol: name, operation: name, version: `v${name}`, tenant_id: name, input: {} })
  const askOf = (name: string) => dispatch(acme, { protocol: 'PROBE', operation: name, input: {} })
  await Promise.all([askFor('FIRST'), askOf('first')])
  const before = seriesOf(await target.metrics())
  await Promise.all(
    Array.from({ length: senders }, async (_, sender) => {
      for (let n = sender; n < names_sent; n += senders) {
        const answer = await (n % 2 ? askFor(`N${n}`) : askOf(`n${n}`))
        assert.equal(answer.status, 404)
      }
    }),
  )
  assert.deepEqual(seriesOf(await target.metrics()), before)
  t.diagnostic(`${names_sent} names, ${before.length} series before and after`)
})

test("a tenant's events cannot inject lines into the metrics", async () => {
  const hostile = '"} 1\nevil_total 7\n# HELP evil \\'
  const input = {
    signals: [{ name: 'fine', kind: 'gauge', value: 1, unit: hostile.slice(0, 32), labels: { a: hostile } }],
  }
  const answer = await dispatch(target.acme, { protocol: 'MOTET', operation: 'emit', input })
  assert.equal(answer.body.output.accepted, 1)
  const lines = (await target.metrics()).split('\n')
  assert.deepEqual(
    lines.filter((line) => /^(# \w+ )?evil/.test(line)),
    [],
  )
  assert.equal(lines.filter((line) => line.startsWith('svc_tenant_fine')).length, 1)
})
