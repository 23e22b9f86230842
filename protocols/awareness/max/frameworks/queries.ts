// The questions that controls of all frameworks put to the log: what is counted, and what each record of it must say.
import { refusals } from '@svc/contract/refusal'
import type { NamedQuery } from './framework.ts'

const invocations = ['ProtocolInvocation']
/** Other records also have the outcome error, such as of a workflow that failed: they end no call. */
const failed_calls = [
  ...new Set(Object.values(refusals).flatMap(({ outcome, event }) => (outcome === 'error' ? [event] : []))),
]

export const decisions = {
  every_record: { counts: 'Records that the engine wrote of what was done, refused or failed' },
  calls: {
    counts: 'Calls that were carried out, each naming the capability that allowed it',
    event_types: invocations,
    must: { field: 'grant' },
  },
  refusals: {
    counts: 'Refusals, each with its reason',
    outcomes: ['refused'],
    must: { field: 'reason' },
  },
  failures: {
    counts: 'Calls that failed, each with a code',
    event_types: failed_calls,
    outcomes: ['error'],
    must: { field: 'code' },
  },
  denied_access: {
    counts:
      'Calls that stage 4 stopped: for want of a capability or a level, or by a policy, each with its reason',
    outcomes: ['refused'],
    where: { field: 'stage', one_of: ['4'] },
    must: { field: 'reason' },
  },
  borrowed_authority: {
    counts: 'Calls under a delegation, treaty or envelope, each naming it',
    event_types: invocations,
    where: { field: 'grant_source', one_of: ['delegation', 'treaty', 'envelope'] },
    must: { field: 'grant_ref' },
  },
  violations: { counts: 'Records of attempted violations', event_types: ['SecurityViolation'] },
  log_reads: {
    counts: 'Readings, explanations and reports of this log',
    event_types: invocations,
    operations: ['MAX.audit_query', 'MAX.explainability_request', 'MAX.compliance_report', 'MAGI.trace'],
  },
  explanations: {
    counts: 'Explanations of single decisions that were asked for',
    event_types: invocations,
    operations: ['MAX.explainability_request', 'MAX.traceability_graph', 'MAGI.trace'],
  },
} as const satisfies Record<string, NamedQuery>

export const identities = {
  admitted: {
    counts: 'Identities verified or derived, keys and workloads added, people who joined',
    event_types: ['IdentityVerified', 'IdentityDerived', 'KeyCreated', 'WorkloadAdded', 'PersonJoined'],
  },
  removed: {
    counts: 'Keys, delegations and workloads revoked, identities suspended or revoked, invitations ended',
    event_types: [
      'KeyRevoked',
      'DelegationRevoked',
      'WorkloadRemoved',
      'IdentitySuspended',
      'IdentityRevoked',
      'InvitationEnded',
    ],
  },
  access_decisions: {
    counts: 'Access asked for, granted or refused, and roles changed',
    event_types: ['AccessRequested', 'AccessGranted', 'AccessRefused', 'RoleChanged'],
  },
  key_changes: {
    counts: 'Keys of identities and of the log that were changed or recovered',
    event_types: ['KeyRotated', 'KeyRecovered', 'AuditKeyRotated'],
  },
} as const satisfies Record<string, NamedQuery>

export const oversight = {
  approvals: {
    counts: 'Calls that waited for consent, and what was decided',
    event_types: ['ApprovalRequested', 'ApprovalGiven', 'ApprovalRefused', 'ApprovalExpired'],
  },
  verdicts: {
    counts: 'Council verdicts, each with the number of dissenting votes',
    event_types: ['MotionTallied'],
    must: { field: 'dissent_count' },
  },
  charter_acts: {
    counts: 'Charter-level calls, each naming its verdict, or the ended month that needs none',
    event_types: invocations,
    operations: [
      'MOAT.sign',
      'MAUSOLEUM.initiate',
      'MAXIM.author',
      'MANA.allocate',
      'MEAL.admin_set_rate',
      'MEAL.admin',
    ],
    must: { field: 'module.verdict' },
  },
  stops: {
    counts: 'Emergency stops, set and cleared',
    event_types: ['EmergencyStop', 'EmergencyStopCleared'],
  },
  disputes: {
    counts: 'Cases filed, heard and ruled',
    event_types: ['CaseFiled', 'CaseHeard', 'CaseRuled'],
  },
  ethics: {
    counts: 'Judgements of intended actions, and changes of the list of concerns',
    event_types: ['EthicsEvaluated', 'ConcernSet', 'ConcernRemoved'],
  },
  risks: { counts: 'Scores of risk that were computed', event_types: ['RiskScored'] },
} as const satisfies Record<string, NamedQuery>

export const operation = {
  policy_changes: {
    counts: 'Policies written, put in force and retired',
    event_types: ['PolicyAuthored', 'PolicyActivated', 'PolicyRetired'],
  },
  policy_trials: {
    counts: 'Trials of a policy on recorded calls before it was enacted',
    event_types: invocations,
    operations: ['MAXIM.backtest', 'MIMESIS.formalize'],
  },
  releases: {
    counts: 'Agents, workflows, models and artifacts that were registered or published',
    event_types: ['AgentRegistered', 'ManifestSubmitted', 'ModelPublished', 'ArtifactPublished'],
  },
  tools: {
    counts: 'Tools registered, approved, disabled and quarantined, and plugins rejected',
    event_types: ['ToolRegistered', 'ToolApproved', 'ToolDisabled', 'ToolQuarantined', 'PluginRejected'],
  },
  tool_control: {
    counts: 'Tools quarantined or disabled, and plugins rejected',
    event_types: ['ToolQuarantined', 'ToolDisabled', 'PluginRejected'],
  },
  alerts: {
    counts: 'Alerts fired, acknowledged, silenced and resolved',
    event_types: ['AlertFired', 'AlertAcknowledged', 'AlertSilenced', 'AlertResolved'],
  },
  alert_rules: {
    counts: 'Alert rules set and removed',
    event_types: ['AlertRuleSet', 'AlertRuleRemoved'],
  },
  outages: {
    counts: 'Breakers that opened or changed, and services that did not answer',
    event_types: ['CircuitBreakerOpen', 'CircuitBreakerTransition', 'DependencyUnavailable'],
  },
  limits: {
    counts: 'Limits set, and calls that ran into one',
    event_types: ['RateLimitExceeded', 'EnvelopeAllocated', 'ThrottleSet', 'HoldPlaced', 'RunwayExhausted'],
  },
  reconciliations: {
    counts: 'Reconciliations of metering, each balanced',
    event_types: invocations,
    operations: ['MEAL.reconcile'],
    must: { field: 'module.balanced', equals: 'true' },
  },
  log_publishing: {
    counts: 'Times the log was published or withdrawn from publication',
    event_types: ['AuditLogPublished', 'AuditLogUnpublished'],
  },
  redactions: { counts: 'Contents that were redacted', event_types: ['ContentRedacted'] },
} as const satisfies Record<string, NamedQuery>

export const partners = {
  treaties: {
    counts: 'Treaties proposed, signed, put in force, amended, suspended and ended',
    event_types: [
      'TreatyProposed',
      'TreatySigned',
      'TreatyActivated',
      'TreatyAmended',
      'TreatySuspended',
      'TreatyExpired',
      'Terminated',
    ],
  },
  treaty_calls: {
    counts: 'Calls between organizations, each naming its treaty',
    event_types: invocations,
    where: { field: 'grant_source', one_of: ['treaty'] },
    must: { field: 'grant_ref' },
  },
  contracts: {
    counts: 'Contracts made, settled and defaulted',
    event_types: ['ContractCreated', 'ContractSettled', 'ContractDefaulted'],
  },
} as const satisfies Record<string, NamedQuery>

export const knowledge = {
  sources: {
    counts: 'Claims attested and contradicted, and sources cited',
    event_types: ['ClaimAttested', 'ClaimContradicted', 'SourceCited'],
  },
  quality: {
    counts: 'Measurements of how reliable sources and forecasts are',
    event_types: ['ReliabilityUpdated', 'CalibrationPublished'],
  },
} as const satisfies Record<string, NamedQuery>
