// The resources whose schemas are published beside the operations', under /schemas/resources/.
import { AuditRecord } from '@svc/contract/audit-record-schema'
import { AgentCapability, CapabilityLimits } from '@svc/contract/capability'
import { ClientConfig } from '@svc/contract/client-config'
import { DelegationToken } from '@svc/contract/delegation-token'
import { Answer, ErrorBody, HandleRequestInput } from '@svc/contract/dispatch'
import { ExternalProtocolRegistration } from '@svc/contract/external-protocol'
import { AgentServiceEndpoint, ResolvedAgentIdentity } from '@svc/contract/identity'
import { InvokeContext } from '@svc/contract/invoke-context'
import { LiveFigures } from '@svc/contract/live'
import { PluginLoaderConfig, PluginManifest } from '@svc/contract/plugin-manifest'
import type { Operation } from '@svc/contract/protocol'
import { GovernanceGate, Recipe, StepResult } from '@svc/contract/recipe'
import { Treaty } from '@svc/contract/treaty'
import { Whoami } from '@svc/contract/whoami'

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
