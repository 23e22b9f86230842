// Alert rules and dashboards: every expression is PromQL with existing metrics, and every alert links to its
// page.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'
import { ownMetricNames } from '../telemetry/metric-names.ts'
import { deploy, readCompose, root } from './deployment.ts'
import { faults } from './planted-faults.ts'

interface Rule {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly for?: string
  readonly labels?: { readonly severity: string }
  readonly annotations?: Readonly<Record<'summary' | 'description' | 'runbook', string>>
}

interface Played {
  readonly tests: readonly {
    readonly alert_rule_test: readonly {
      readonly alertname: string
      readonly exp_alerts: readonly unknown[]
    }[]
  }[]
}

interface Dashboard {
  readonly uid: string
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>
    readonly targets: readonly { readonly expr: string }[]
  }[]
}

const { groups } = readYaml('prometheus/rules.yaml') as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap(({ rules: own }) => own)
const alerts = rules.filter(({ alert }) => alert !== undefined)
const recorded = rules.flatMap(({ record }) => record ?? [])
const dashboards = globSync('grafana/dashboards/*.json', { cwd: deploy }).map(
  (path) => JSON.parse(readFileSync(join(deploy, path), 'utf8')) as Dashboard,
)
/** Of Prometheus itself. */
const foreign = ['up', 'ALERTS']
/** Metrics only with Redis, Kafka or workers, which the test engine lacks: from their registration. */
const conditional = globSync('service/**/*.ts', { cwd: root }).flatMap((path) =>
  [...readFileSync(join(root, path), 'utf8').matchAll(/(?:gauge|counter|figure)\(\s*'(svc_\w+)'/g)].map(
    ([, name = '']) => name,
  ),
)

function readYaml(path: string) {
  return parse(readFileSync(join(deploy, path), 'utf8'))
}

/** The metrics of an expression; throws if it is not PromQL. */
function metricsOf(expression: string): string[] {
  // Grafana inserts a duration there.
  const text = expression.replaceAll('$__rate_interval', '1m')
  const names: string[] = []
  parser.parse(text).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`${expression}: no PromQL at ${node.from}`)
      if (node.name === 'Identifier' && node.node.parent?.name === 'VectorSelector')
        names.push(text.slice(node.from, node.to))
    },
  })
  assert.ok(names.length > 0, `${expression} asks for nothing`)
  return names
}

const kebab = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()

test('every metric in rules and dashboards exists', async () => {
  const own = await ownMetricNames()
  const isKnown = (name: string) => own.has(name) || [...recorded, ...conditional, ...foreign].includes(name)
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...dashboards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))),
  ]
  assert.ok(expressions.length > 60)
  for (const expression of expressions)
    for (const name of metricsOf(expression)) assert.ok(isKnown(name), `${name} in ${expression}`)
})

test('the parser rejects what is not PromQL', () => {
  assert.throws(() => metricsOf('sum(rate(svc_dispatch_total[5m])'), /no PromQL/)
  assert.throws(() => metricsOf('svc_in_flight{instance=~}'), /no PromQL/)
})

test('every alert has a summary, a severity, a duration, and an existing page', () => {
  const page = readFileSync(join(root, 'docs/incidents.md'), 'utf8')
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, words = '']) => words.toLowerCase())
  const anchors = headings.map((words) => words.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-'))
  assert.equal(new Set(alerts.map(({ alert }) => alert)).size, alerts.length)
  for (const { alert = '', labels, annotations, for: lasting } of alerts) {
    assert.match(alert, /^Svc[A-Z]/)
    assert.ok(['critical', 'warning', 'info'].includes(labels?.severity ?? ''), alert)
    assert.match(lasting ?? '', /^\d+[sm]$/, alert)
    assert.ok(annotations?.summary && annotations.description, alert)
    assert.equal(annotations.runbook, `docs/incidents.md#${kebab(alert)}`)
    assert.ok(anchors.includes(kebab(alert)), `docs/incidents.md has no section for ${alert}`)
  }
})

test('every alert is fired by a planted fault or played by promtool, and the page says which', () => {
  const page = readFileSync(join(root, 'docs/incidents.md'), 'utf8')
  const section = page.slice(page.indexOf('\n## How the alerts were tried\n'))
  const [fired_part = '', played_part = ''] = section.split('Only by promtool')
  const namesIn = (text: string) => [...text.matchAll(/^\| `(Svc\w+)`/gm)].map(([, name]) => name!).sort()
  const raised = new Set(faults.flatMap(({ stages }) => stages.flatMap(({ raises }) => raises)))
  const names = alerts.map(({ alert }) => alert!)
  assert.deepEqual(namesIn(fired_part), names.filter((name) => raised.has(name)).sort())
  assert.deepEqual(namesIn(played_part), names.filter((name) => !raised.has(name)).sort())
  const { tests } = parse(readFileSync(join(import.meta.dirname, 'alerts.promtool.yaml'), 'utf8')) as Played
  const played = tests.flatMap(({ alert_rule_test }) =>
    alert_rule_test.filter(({ exp_alerts }) => exp_alerts.length > 0).map(({ alertname }) => alertname),
  )
  for (const name of namesIn(played_part)) assert.ok(played.includes(name), `${name} is played nowhere`)
})

test('the buffer is compared with the limit its engine reports, not with a number', () => {
  const { expr } = alerts.find(({ alert }) => alert === 'SvcAuditBufferFilling')!
  assert.deepEqual(metricsOf(expr), ['svc_audit_pending_bytes', 'svc_audit_pending_bytes_max'])
})

test('dashboards have unique names and panels that fit on the grid', () => {
  assert.equal(new Set(dashboards.map(({ uid }) => uid)).size, 2)
  for (const { panels } of dashboards) {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)}|${y + Math.floor(i / w)}`),
    )
    assert.equal(new Set(places).size, places.length, 'panels lie on each other')
    assert.ok(panels.every(({ gridPos: { x, w } }) => x + w <= 24))
  }
})

test('Prometheus scrapes every engine of compose, under the name that the rules use', () => {
  const settings = Object.fromEntries(
    ['SVC_AGENT_DID', 'SVC_GATEWAY_DID', 'SVC_TENANT_ID', 'SVC_PUBLIC_URL'].map((name) => [name, 'x']),
  )
  const { scrape_configs } = readYaml('prometheus/prometheus.yaml')
  const [{ job_name, static_configs }] = scrape_configs
  const engines = Object.keys(readCompose(settings).services).filter((name) => name.startsWith('engine-'))
  assert.equal(job_name, 'svc-engine')
  assert.deepEqual(
    static_configs[0].targets,
    engines.map((name) => `${name}:9091`),
  )
})
