// Alerts and dashboards in a real Prometheus that scrapes real engines: nothing fires in a sound installation, each planted fault fires
// its alert, and every panel answers. All durations of the rules and the scrape interval are a fifteenth of those in deploy/prometheus, so
// an alert needs as many samples as there; conditions are the same (shortened-rules.test.ts).
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { dispatch } from '../engines/running-engine.ts'
import { is_long, report } from '../faults/scene/chance.ts'
import { findProgramsMissing, prometheus_programs } from '../neighbours/debian-programs.ts'
import { eventually, until } from '../suite/eventually.ts'
import { stopwatch } from '../suite/real-time.ts'
import { deploy } from './deployment.ts'
import { type Fault, faults } from './planted-faults.ts'
import {
  emit,
  entry,
  far,
  foreign,
  type Installation,
  openInstallation,
  query,
  startLoad,
} from './watched-installation.ts'

const factor = 15
/** Longer than the longest `for` with what its rule looks back, in samples: 10 and 5 minutes, at 15 seconds. */
const sound_samples = is_long ? 70 : 25
/** Windows of `$__rate_interval` in Grafana: four scrapes at least. */
const rate_interval = '5s'
/** On a machine that is that slow they are right. */
const of_a_slow_machine = ['SvcLatencyHigh', 'SvcLoopBlocked']
const planted = faults.filter((fault) => is_long || !fault.is_long)

/** Panels that need a fault or a feature that a sound installation does not have. */
const empty_panels: Readonly<Record<string, string>> = {
  'Records not yet in Kafka': 'only engines that send to Kafka; asked again while Kafka is away',
}

interface Dashboard {
  readonly title: string
  readonly templating: { readonly list: readonly { readonly type: string; readonly query: string }[] }
  readonly panels: readonly {
    readonly title: string
    readonly targets: readonly { readonly expr: string }[]
  }[]
}

const dashboards = globSync('grafana/dashboards/*.json', { cwd: deploy }).map(
  (path) => JSON.parse(readFileSync(join(deploy, path), 'utf8')) as Dashboard,
)

test('alerts and dashboards in a real Prometheus', {
  skip: findProgramsMissing(prometheus_programs),
  timeout: 3_600_000,
}, async (t) => {
  t.diagnostic(`N=${planted.length} seed none: nothing here is drawn`)
  const installation = await openInstallation(t, factor)
  await assertAnswered(installation)
  const load = startGentleLoad(installation)
  t.after(() => load.stop())
  await t.test('no alert fires while all is well', (t) => assertSound(t, installation))
  await t.test('every panel of every dashboard shows something', () => assertPanels(installation))
  for (const fault of planted) await t.test(fault.name, (t) => goThrough(t, installation, fault))
})

/** Otherwise the load would be of other refusals than it is meant to be. */
async function assertAnswered({ engines }: Installation): Promise<void> {
  const expected = [[emit, 200], [entry, 200], [query, 200], [foreign, 403], [far, 200]] as const // biome-ignore format: a table
  for (const { caller } of engines.values())
    for (const [asking, status] of expected)
      await eventually(async () => {
        const { status: answered_status, body } = await dispatch(caller, asking)
        assert.equal(answered_status, status, `${asking.protocol}: ${JSON.stringify(body)}`)
      })
}

/** Some of everything, also refusals, to every engine in turn. */
function startGentleLoad({ engines }: Installation) {
  const askings = [emit, entry, query, foreign, far]
  let turn = 0
  return startLoad(
    () => {
      const callers = ['a', 'b'].map((name) => engines.get(name)!.caller)
      const asking = askings[turn % askings.length]!
      return [callers[Math.floor(turn++ / askings.length) % callers.length]!, asking]
    },
    2,
    100,
  )
}

async function assertSound(t: TestContext, { prometheus, engines }: Installation): Promise<void> {
  await until('there are enough samples of each engine', async () => {
    const counted = await prometheus.query('count_over_time(up{job="svc-engine"}[1h])')
    return counted.length === engines.size && counted.every(({ value }) => Number(value[1]) >= sound_samples)
  })
  const rules = await prometheus.rules()
  assert.ok(rules.length > 25)
  assert.deepEqual(
    rules.filter(({ health }) => health !== 'ok').map(({ name, lastError }) => [name, lastError]),
    [],
  )
  const fired = await prometheus.query('max_over_time(ALERTS{alertstate="firing"}[1h])')
  const names = fired.map(({ metric }) => metric.alertname!)
  report(t, { samples: sound_samples, rules: rules.length, fired: names.join(',') || 0 })
  assert.deepEqual(
    names.filter((name) => !of_a_slow_machine.includes(name)),
    [],
  )
}

async function assertPanels({ prometheus }: Installation): Promise<void> {
  assert.equal(dashboards.length, 2)
  for (const { title, templating, panels } of dashboards) {
    for (const { query: variable } of templating.list.filter(({ type }) => type === 'query')) {
      const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(variable)!
      assert.equal((await prometheus.labelValues(label, selector)).length, 2, variable)
    }
    for (const panel of panels)
      for (const { expr } of panel.targets) {
        const name = `${title}: ${panel.title}: ${expr}`
        if (panel.title in empty_panels) assert.deepEqual(await ask(prometheus, expr), [], name)
        else await until(`${name} shows something`, async () => hasNumbers(await ask(prometheus, expr)))
      }
  }
}

type Samples = Awaited<ReturnType<Installation['prometheus']['query']>>

/** As Grafana fills in its variables, with all engines chosen. */
const ask = ({ query: queryOf }: Installation['prometheus'], expression: string): Promise<Samples> =>
  queryOf(expression.replaceAll('$instance', '.*').replaceAll('$__rate_interval', rate_interval))

const hasNumbers = (samples: Samples) => samples.some(({ value }) => Number.isFinite(Number(value[1])))

async function goThrough(t: TestContext, installation: Installation, fault: Fault): Promise<void> {
  const { prometheus } = installation
  const active = async () => (await prometheus.alerts()).map(({ labels }) => labels.alertname!)
  const raised = fault.stages.flatMap(({ raises }) => raises)
  await until(`nothing is left of earlier faults: ${raised}`, async () => {
    const names = await active()
    return raised.every((name) => !names.includes(name))
  })
  const elapsed_ms = stopwatch()
  const undoing: (() => unknown)[] = []
  try {
    for (const { plant, raises } of fault.stages) {
      undoing.push(await plant(installation))
      for (const name of raises) {
        const alert = await until(`${name} fires`, async () =>
          (await prometheus.alerts()).find(
            ({ labels, state }) => labels.alertname === name && state === 'firing',
          ),
        )
        for (const text of Object.values(alert.annotations)) assert.doesNotMatch(text, /<|no value|%!|NaN/)
        report(t, { [name]: 'fired', after_s: elapsed_ms() / 1000 })
        t.diagnostic(alert.annotations.summary!)
      }
    }
    for (const { title, targets } of dashboards.flatMap(({ panels }) => panels))
      if (fault.panels?.includes(title))
        for (const { expr } of targets) assert.ok(hasNumbers(await ask(prometheus, expr)), title)
    const firing = (await prometheus.alerts()).filter(({ state }) => state === 'firing')
    const names = firing.map(({ labels }) => labels.alertname!)
    assert.deepEqual(
      names.filter((name) => fault.spares?.includes(name)),
      [],
    )
  } finally {
    for (const undo of undoing.reverse()) await undo()
  }
  if (fault.outlasts) return
  await eventually(async () => {
    const names = await active()
    const left = raised.filter((name) => names.includes(name))
    assert.deepEqual([left, left.length > 0 && (await prometheus.faults())], [[], false])
  })
}
