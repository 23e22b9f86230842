// The long form: helm, promtool, hadolint and the schemas of Kubernetes check what is in deploy/.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { is_long } from '../faults/scene/chance.ts'
import { all_values, chart, first_line, kube_version, plain_values, rendered_file } from './chart.ts'
import { judge } from './deploy-tools.ts'
import { deploy } from './deployment.ts'
import { renderChart } from './render-chart.ts'

const skip = is_long ? false : 'fetches helm, promtool and others; npm run assurance does'
/** The oldest that the chart supports, and newer ones. */
const kubernetes = ['1.30', '1.34', '1.37']

test('helm lints the chart, and renders what is committed', { skip }, () => {
  for (const values of [plain_values, all_values]) {
    const lint = ['lint', chart, '--strict', '--kube-version', kube_version, '--values', values]
    const { ok, said } = judge('helm', lint)
    assert.ok(ok, said)
  }
  assert.equal(readFileSync(rendered_file, 'utf8'), first_line + renderChart(plain_values))
})

test('helm refuses values that are missing or wrong, and says which', { skip }, () => {
  const lint = (...set: string[]) =>
    judge('helm', [
      'template',
      'svc',
      chart,
      '--kube-version',
      kube_version,
      ...set.flatMap((one) => ['--set', one]),
    ])
  assert.match(lint().said, /agentDid is missing|existingSecret/)
  assert.match(lint('engine.replicas=0').said, /replicas/)
  assert.match(lint('agentDid=me').said, /agentDid/)
})

test('every manifest satisfies the schemas of Kubernetes', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-manifests-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const values of [plain_values, all_values]) {
    const file = join(folder, 'rendered.yaml')
    writeFileSync(file, renderChart(values))
    for (const version of kubernetes) {
      const { ok, said } = judge('kubernetes-validate', ['--strict', '--kubernetes-version', version, file])
      assert.ok(ok, said)
    }
    writeFileSync(file, renderChart(values).replaceAll('maxUnavailable: 1\n', 'maxUnavailabel: 1\n'))
    assert.match(judge('kubernetes-validate', ['--strict', file]).said, /maxUnavailabel/)
  }
})

test('promtool accepts the settings and the rules, and alerts fire when they should', { skip }, () => {
  const config = judge('promtool', ['check', 'config', join(deploy, 'prometheus/prometheus.yaml')])
  assert.ok(config.ok, config.said)
  const played = judge('promtool', ['test', 'rules', join(import.meta.dirname, 'alerts.promtool.yaml')])
  assert.ok(played.ok, played.said)
})

test('hadolint finds nothing in the Dockerfile, but does in a bad one', { skip }, () => {
  const { ok, said } = judge('hadolint', [join(deploy, 'Dockerfile')])
  assert.ok(ok, said)
  assert.match(judge('hadolint', ['-'], 'FROM node:latest\n').said, /DL3007/)
})
