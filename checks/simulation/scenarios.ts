// Every simulated part, by name.
import { audit_log_scenario } from './audit-log/audit-log.ts'
import { dispatch_scenario } from './dispatch/dispatch.ts'
import { ledger_scenario } from './ledger/ledger.ts'
import type { AnyScenario } from './scenario.ts'
import { witness_scenario } from './witness/witness.ts'
import { workflow_scenario } from './workflow/workflow.ts'

export const scenarios: readonly AnyScenario[] = [
  audit_log_scenario,
  dispatch_scenario,
  ledger_scenario,
  witness_scenario,
  workflow_scenario,
]
