// What @svc/sdk gives to the world: the one list of names that people outside build on.
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
export type { ProtocolClients } from './named-operations.ts'
export type { ClientSettings, ConfigFile, Settings } from './settings.ts'
