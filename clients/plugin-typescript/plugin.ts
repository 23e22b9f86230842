// @svc/plugin: everything a plugin's source imports.
export { Type } from 'typebox'
export type { CallerIdentity, CallFacts, Context, LogLevel } from './context.ts'
export { definePlugin, type Operation, operation, type Plugin } from './operation.ts'
export { type OwnCode, PluginRefusal, refuse } from './refusal.ts'
