// Planted bugs of workflow runs and schedules.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of the sources
import type { PlantedBug } from './planted-bug.ts'

const part = 'workflow'

export const workflow_bugs: readonly PlantedBug[] = [
  {
    name: 'a run is claimed while the lease of another engine lasts',
    part,
    file: 'protocols/execution/moon/run-lease.ts',
    old_text: 'ended_at IS NULL AND (lease_until IS NULL OR lease_until < clock_timestamp())',
    new_text: 'ended_at IS NULL',
  },
  {
    name: 'an engine that lost its lease still writes',
    part,
    file: 'protocols/execution/moon/run-lease.ts',
    old_text: 'AND moon_run.epoch = claimed.epoch',
    new_text: 'AND moon_run.epoch >= claimed.epoch',
  },
  {
    name: 'compensations run in the order of completion',
    part,
    file: 'protocols/execution/moon/run-turn.ts',
    old_text: '.sort((a, b) => b.seq - a.seq)',
    new_text: '.sort((a, b) => a.seq - b.seq)',
  },
  {
    name: 'an external call whose outcome is unknown is repeated',
    part,
    file: 'protocols/execution/moon/run-settling.ts',
    old_text: 'if (tried.is_outside || is_old)',
    new_text: 'if (is_old)',
  },
  {
    name: 'steps are called without their key',
    part,
    file: 'service/background/workflows.ts',
    old_text: "=== 'write' && idempotency_key !== undefined && {",
    new_text: "!== 'write' && idempotency_key !== undefined && {",
  },
  {
    name: 'a cancelled run goes on with steps that wait',
    part,
    file: 'protocols/execution/moon/run-progress.ts',
    old_text: 'return run.undoing !== null || run.cancel !== null ||',
    new_text: 'return run.undoing !== null ||',
  },
  {
    name: 'a stop of an agent is not looked up',
    part,
    file: 'protocols/execution/stop-latch/stop-latch.ts',
    old_text: "('agent', ${agent ?? ''})",
    new_text: "('agent', ${action ?? ''})",
  },
]
