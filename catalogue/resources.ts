// Resources whose schemas are published beside the operations', under /schemas/resources/.
import { AuditRecord } from '@svc/contract/audit/audit-record-schema'
import { AgentCapability, CapabilityLimits } from '@svc/contract/authority/capability'
import { DelegationToken } from '@svc/contract/authority/delegation-token'
import { Treaty } from '@svc/contract/authority/treaty'
import { ClientConfig } from '@svc/contract/client-config'
import { Answer, ErrorBody, HandleRequestInput } from '@svc/contract/dispatch'
import { ExternalProtocolRegistration } from '@svc/contract/foreign/external-protocol'
import { PluginLoaderConfig, PluginManifest } from '@svc/contract/foreign/plugin-manifest'
import { AgentServiceEndpoint, ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import { Whoami } from '@svc/contract/identity/whoami'
import { InvokeContext } from '@svc/contract/invoke-context'
import { LiveFigures } from '@svc/contract/live'
import type { Operation } from '@svc/contract/protocol'
import { GovernanceGate, Recipe, StepResult } from '@svc/contract/recipe'

export const resources: Readonly<Record<string, Operation['input']>> = {
  AgentCapability,
  AgentServiceEndpoint,
  Answer,
  AuditRecord,
  CapabilityLimits,
  ClientConfig,
  DelegationToken,
  ErrorBody,
  ExternalProtocolRegistration,
  GovernanceGate,
  HandleRequestInput,
  InvokeContext,
  LiveFigures,
  PluginLoaderConfig,
  PluginManifest,
  Recipe,
  ResolvedAgentIdentity,
  StepResult,
  Treaty,
  Whoami,
}
