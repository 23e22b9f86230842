// MOTIF: alert rules, as the scheduler reads them.

// The tables of alert rules and alerts.
export { alert_migrations } from './alerts/alert-migrations.ts'
// Reads the rules that are due, and deletes old alerts.
export { evaluateRules, forgetOldAlerts } from './alerts/evaluation.ts'
// What a rule compares.
export { type Condition, percentiles } from './alerts/watch.ts'
