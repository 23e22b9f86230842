// node checks/deploy/render-chart.ts: rewrites deploy/helm/rendered.yaml after a change of the chart. Needs
// helm, or Go to get it.
import { writeFileSync } from 'node:fs'
import { chart, first_line, kube_version, plain_values, rendered_file } from './chart.ts'
import { judge } from './deploy-tools.ts'

export function renderChart(values: string): string {
  const args = [
    'template',
    'svc',
    chart,
    '--namespace',
    'svc',
    '--kube-version',
    kube_version,
    '--values',
    values,
  ]
  const { ok, said, stdout } = judge('helm', args)
  if (!ok) throw new Error(said)
  // Trailing spaces mean nothing, and are not committed.
  return stdout.replaceAll(/^ +\n/gm, '')
}

if (import.meta.main) writeFileSync(rendered_file, first_line + renderChart(plain_values))
