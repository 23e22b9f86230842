// Every simulated part, by name.
import { audit_log_scenario } from './audit-log/audit-log.ts'
import type { AnyScenario } from './scenario.ts'

export const scenarios: readonly AnyScenario[] = [audit_log_scenario]
