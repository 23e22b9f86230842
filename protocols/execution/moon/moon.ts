import { operation, protocol } from '@svc/contract/protocol'
import type { SceneStep } from '@svc/contract/scene'
import { ExecuteInput, executeWorkflow } from './execute-workflow.ts'
import { ListInput, ListOutput, listWorkflows } from './list-workflows.ts'
import { HistoryInput, HistoryOutput, showHistory } from './run-history.ts'
import { RunView } from './run-view.ts'
import { deadline_ms, SubmitManifestInput, SubmitManifestOutput, submitManifest } from './submit-manifest.ts'

const nightly_report = {
  manifest: {
    name: 'nightly-report',
    version: '1.0.0',
    steps: [
      {
        kind: 'Protocol' as const,
        name: 'read',
        protocol: 'MAX',
        operation: 'audit_query',
        payload: { outcome: 'refused' },
      },
      { kind: 'Audit' as const, event_type: 'custom.report_read', metadata: {} },
    ],
  },
}
const manifest_ref = `moon://manifest/${'4d'.repeat(32)}`
const example_run = 'moon://run/019aa000-0000-7000-8000-000000000001'
const submitted: readonly SceneStep[] = [
  { call: 'MOON.submit_manifest', input: nightly_report, answer: { manifest_ref } },
]
const tonight = { manifest_ref, run_key: 'tonight', wait_ms: 10_000 }

export const moon = protocol({
  id: 'MOON',
  version: 'v1.0.0',
  plane: 'execution',
  estate: 'hybrid',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary:
    'Durable workflows: every step is a dispatched call that takes effect once, even if an engine crashes.',
  operations: {
    submit_manifest: operation({
      summary:
        'Register a workflow: its steps are typed, checked against what this engine serves, and kept under their hash.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      deadline_ms,
      // Only an intent needs a model; its sender sets the token budget.
      budget_default: { tokens: 0, deadline_ms },
      needs: ['authority', 'compute', 'model', 'served', 'standIn', 'tokens', 'vault'],
      input: SubmitManifestInput,
      output: SubmitManifestOutput,
      example: nightly_report,
      handle: submitManifest,
    }),
    execute_workflow: operation({
      summary: 'Run a workflow; ask how a run stands, signal it, cancel it, or try it again.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms: 30_000,
      waits: true,
      secret_output: true,
      needs: [
        'authority',
        'compute',
        'change_notifications',
        'requireAuthority',
        'served',
        'standIn',
        'vault',
      ],
      input: ExecuteInput,
      output: RunView,
      scene: submitted,
      example: tonight,
      handle: executeWorkflow,
    }),
    list: operation({
      summary: 'List runs, or the manifests they run, newest first; of one of them the graph of its steps.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      // Administrators can list even when the budget is used up.
      essential: true,
      needs: ['charter', 'served', 'vault'],
      input: ListInput,
      output: ListOutput,
      scene: [...submitted, { call: 'MOON.execute_workflow', input: tonight }],
      example: { kind: 'runs', limit: 10 },
      handle: listWorkflows,
    }),
    history: operation({
      summary: 'Read what each step of a run was called with and answered, with all attempts and times.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      reveals: true,
      needs: ['charter', 'vault'],
      input: HistoryInput,
      output: HistoryOutput,
      scene: [
        ...submitted,
        { call: 'MOON.execute_workflow', input: tonight, answer: { run_ref: example_run } },
      ],
      example: { run_ref: example_run, limit: 10 },
      handle: showHistory,
    }),
  },
})
