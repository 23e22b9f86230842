// The public names of @svc/sdk.
export type { Catalogue } from '../../generated/sdk-types.ts'
export type { Answer, AnswerMetadata, AuditRecord, DryRun, Receipt, Usage, Whoami } from './answer.ts'
export type { AnswerHeaders, RateLimit } from './answer-headers.ts'
export type { CallOptions } from './call-options.ts'
export {
  type Client,
  type ClientOptions,
  createClient,
  type DispatchClient,
  type InputOf,
  type OperationName,
  type OutputOf,
  type ProtocolName,
  type StreamEvent,
} from './client.ts'
export { type ErrorCode, type RefusalBody, SvcError } from './errors.ts'
export type {
  KeepKeys,
  KeyClient,
  KeyPair,
  RecoverKeyOptions,
  RecoveryState,
  RotatedKey,
  RotateKeyOptions,
  SignRecoveryOptions,
} from './key-changes.ts'
export type { ProtocolClients } from './named-operations.ts'
export { type GovernOptions, isRefused, type Refused } from './own-call.ts'
export {
  playScene,
  type SceneCast,
  type SceneParty,
  type SceneRole,
  type SceneStep,
  standInsFor,
} from './scene.ts'
export type { ClientSettings } from './settings.ts'
export { type AuditLogOptions, exportAuditLog } from './verify/audit-log.ts'
export { type ExportOptions, type ExportVerdict, verifyExport } from './verify/export.ts'
export { type ProofOptions, type ProofVerdict, verifyProof } from './verify/proof.ts'
export { type ReceiptVerdict, verifyReceipt } from './verify/receipt.ts'
export { type ReportVerdict, verifyReport } from './verify/report.ts'
export type { Signer, Voucher } from './verify/trust.ts'
export {
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookVerdict,
} from './verify/webhook.ts'
export {
  createWorkingMemory,
  type Entity,
  type Fact,
  type Knowing,
  type Known,
  type Memory,
  type MemoryKind,
  type Predicate,
  type Recalled,
  type Recalling,
  type Related,
  type Relating,
  type Remembered,
  type Remembering,
  type Triple,
  type WorkingMemory,
} from './working-memory.ts'
