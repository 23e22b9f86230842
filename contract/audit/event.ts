// Every tag a record may carry. An unknown tag is stored as Error and counted, never dropped.

/** The seven types of the spec's taxonomy. */
export const taxonomy = [
  'ProtocolInvocation',
  'CapabilityGrant',
  'AuthorizationCheck',
  'RateLimitExceeded',
  'CircuitBreakerOpen',
  'SecurityViolation',
  'Error',
] as const

/** Domain events, registered before use and written only by the service. */
// biome-ignore format: a table of words reads best in groups
export const domain_events = [
  'KeyCommitted', 'KeyRotated', 'KeyRecoveryAsked', 'KeyRecovered', 'IdentityUpdated', 'IdentitySuspended', 'IdentityResumed', 'IdentityRevoked',
  'ChallengeIssued', 'IdentityVerified', 'IdentityDerived', 'KeyCreated', 'KeyRevoked', 'WorkloadAdded', 'WorkloadRemoved', 'LineageUnverified', 'DelegationRevoked',
  'PersonInvited', 'PersonJoined', 'PersonChanged', 'InvitationEnded', 'RoleChanged', 'AccessRequested', 'AccessGranted', 'AccessRefused',
  'TreatyProposed', 'TreatySigned', 'TreatyActivated', 'TreatyEnforced', 'TreatySuspended', 'TreatyResumed',
  'TreatyAmended', 'TreatyExpired', 'Terminated', 'CrossingRecorded',
  'PolicyAuthored', 'PolicyActivated', 'PolicyRetired', 'DilemmaDeliberated',
  'ApprovalRequested', 'ApprovalGiven', 'ApprovalRefused', 'ApprovalExpired',
  'MotionConvened', 'MotionOpened', 'PositionRecorded', 'MotionTallied', 'MotionLapsed',
  'CaseFiled', 'CaseServed', 'CasePanelDrawn', 'CasePleaded', 'CaseHeard', 'CaseRuled', 'CaseRemedyExecuted',
  'PatternSurfaced', 'PatternFormalized',
  'DissolutionInitiated', 'AssetsDistributed', 'ObligationsTransferred', 'ChainSealed', 'OrganizationArchived',
  'AssetPublished', 'ContractCreated', 'ContractActivated', 'ContractSettled', 'ContractDefaulted', 'SettlementFinal',
  'OrderAccepted', 'OrderRefused', 'OrderCancelled', 'TradeExecuted', 'MarketRulesSet',
  'EnvelopeAllocated', 'ThrottleSet', 'HoldPlaced', 'HoldReleased', 'BidSubmitted', 'LotAwarded',
  'RunwayLow', 'RunwayExhausted',
  'UsageMetered', 'RateChanged', 'CreditGranted', 'InvoiceIssued', 'InvoiceSettled', 'Unbalanced',
  'MemoryStored', 'MemoryConflict', 'MemoryAssociated', 'KnowledgeFused',
  'MemoryEdited', 'ContentRedacted', 'MemoryConsolidated',
  'ModelPublished', 'ReasoningCompleted',
  'ComplianceReportIssued', 'AgentRegistered', 'AuditKeyRotated', 'CircuitBreakerTransition', 'PluginRejected',
  'AuditLogPublished', 'AuditLogUnpublished', 'DependencyUnavailable', 'WebhookSet', 'WebhookRemoved', 'WebhookStopped',
  'AlertRuleSet', 'AlertRuleRemoved', 'AlertRuleUnread', 'AlertFired', 'AlertResolved', 'AlertAcknowledged', 'AlertSilenced', 'MailFailed',
  'ViewSet', 'ViewRemoved', 'ViewReported', 'ViewReportFailed',
  'ReliabilityUpdated', 'CalibrationPublished', 'RiskScored', 'QuestionOpened', 'ForecastsSubmitted', 'QuestionResolved',
  'ClaimAttested', 'SourceCited', 'ClaimContradicted', 'ClaimStatusChanged', 'InquiryCompleted', 'SynthesisWritten',
  'MessageSent', 'MailboxDeclared', 'TopicDeclared', 'TopicSubscribed', 'TopicUnsubscribed',
  'EthicsEvaluated', 'ConcernSet', 'ConcernRemoved', 'CredentialIssued', 'CredentialRevoked',
  'ToolRegistered', 'ToolApproved', 'ToolDisabled', 'ToolQuarantined', 'ToolInvoked',
  'DeviceDescribed', 'ActuatorCommanded', 'ActuatorConfirmed', 'ActuatorRejected',
  'DraftSaved', 'ArtifactPublished',
  'ManifestSubmitted', 'WorkflowStarted', 'StepCompleted', 'WorkflowFinished',
  'ActionStarted', 'ActionFinished', 'EmergencyStop', 'EmergencyStopCleared',
  'CharterDeclared', 'GoalRefined', 'PlanReplanned',
] as const

export type EventType = (typeof taxonomy)[number] | (typeof domain_events)[number] | `custom.${string}`

const engine_owned: ReadonlySet<string> = new Set([...taxonomy, ...domain_events])
const custom_form = /^custom\.[a-z][a-z0-9_.-]{0,63}$/

/** Tags only the service itself may write. */
export function isEngineOwned(tag: string): boolean {
  return engine_owned.has(tag)
}

export function isKnownEvent(tag: string): boolean {
  return engine_owned.has(tag) || custom_form.test(tag)
}
