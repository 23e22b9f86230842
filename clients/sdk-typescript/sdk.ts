// What @svc/sdk gives to the world: the one list of names that people outside build on.
export type { Catalogue } from '../../generated/sdk-types.ts'
export {
  type Client,
  type ClientOptions,
  createClient,
  type DispatchClient,
  type StreamEvent,
  type Whoami,
} from './client.ts'
export { type ErrorCode, type RefusalBody, SvcError } from './errors.ts'
export type { Answer, AnswerMetadata, CallOptions, DryRun, Usage } from './send.ts'
export type { ClientSettings, ConfigFile, Settings } from './settings.ts'
