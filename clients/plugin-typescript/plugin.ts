// @svc/plugin: everything a plugin's source imports.
export { Type } from 'typebox'
export type { CallerQuestions, CallFacts, Context, LogLevel } from './context.ts'
export {
  type CallerCapability,
  type CallerIdentity,
  effectiveRootDid,
  hasCapability,
  hasVerifiedLineage,
  isAutonomousOrg,
  isHumanRoot,
  unresolved,
} from './identity.ts'
export { definePlugin, type Operation, operation, type Plugin } from './operation.ts'
export { type OwnCode, PluginRefusal, refuse } from './refusal.ts'
