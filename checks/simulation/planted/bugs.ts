// Every planted bug, by part.
import { audit_log_bugs } from './audit-log.ts'
import { dispatch_bugs } from './dispatch.ts'
import { ledger_bugs } from './ledger.ts'
import type { PlantedBug } from './planted-bug.ts'
import { witness_bugs } from './witness.ts'
import { workflow_bugs } from './workflow.ts'

export const bugs: readonly PlantedBug[] = [
  ...audit_log_bugs,
  ...dispatch_bugs,
  ...ledger_bugs,
  ...witness_bugs,
  ...workflow_bugs,
]
