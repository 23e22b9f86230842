// What the examples of MAGE begin with: a draft, and the artifact it becomes.
import type { SceneStep } from '@svc/contract/scene'

export const maintenance_report = {
  kind: 'document' as const,
  title: 'Pump 7: maintenance report',
  template: '# {{pump}}\n\n{{#checks}}- {{name}}: {{result}}\n{{/checks}}',
  data: { pump: 'Pump 7', checks: [{ name: 'Pressure', result: '4.1 bar' }] },
  labels: ['maintenance'],
}
const draft_id = '0199f3b0-5c1e-7c3a-9d2e-6f1b2a3c4d5e'
export const artifact_ref = `mage://artifact/${'4b'.repeat(32)}`

export const publication = { draft_id, version: 1, license: 'Apache-2.0', visibility: 'tenant' as const }

export const drafted: readonly SceneStep[] = [
  { call: 'MAGE.draft', input: maintenance_report, answer: { draft_id } },
]
export const published: readonly SceneStep[] = [
  ...drafted,
  { call: 'MAGE.publish', input: publication, answer: { artifact_ref } },
]

const draft_ref = `mage://draft/${draft_id}`
export const revised: readonly SceneStep[] = [
  ...drafted,
  {
    call: 'MAGE.draft',
    input: { draft_id, expected_version: 1, content: '# Pump 7\n\n- Pressure: 3.9 bar\n' },
    answer: { ref: draft_ref },
  },
]
export const versions_compared = { from: { ref: draft_ref, version: 1 }, to: { ref: draft_ref, version: 2 } }
