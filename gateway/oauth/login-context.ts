// What every login route uses.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Capabilities, IdentityResolver } from '@svc/engine/ports'
import type { Provider } from 'oidc-provider'
import type { Configuration } from 'openid-client'
import type { DispatchEndpoint } from '../dispatch/refusal-recorder.ts'
import type { Throttle } from './address.ts'
import type { Forms } from './forms.ts'
import type { Logins } from './logins.ts'
import type { Accounts, Workloads } from './ports.ts'
import type { Site } from './site.ts'

export interface LoginSettings {
  /** Unset, the listening address is used. */
  readonly public_url: string | undefined
  /** Number of our own proxies between the caller and us. */
  readonly proxy_hops: number
  readonly upstream: UpstreamSettings | undefined
}

/** Looks up what somebody holds, before a key with a part of it is issued. */
export interface Authorities {
  readonly identity: IdentityResolver
  readonly capabilities: Capabilities
}

export interface UpstreamSettings {
  readonly issuer: string
  readonly client_id: string
  readonly client_secret: string | undefined
  /** Unknown people get an account in this tenant; unset, they are refused. */
  readonly tenant_id: string | undefined
}

export interface Upstream {
  readonly host: string
  readonly settings: UpstreamSettings
  readonly callback: string
  /** The issuer's metadata; fetched once, and again after a failure. */
  configuration(): Promise<Configuration>
}

export type Handle = (req: IncomingMessage, res: ServerResponse) => Promise<void>

export interface LoginContext {
  readonly dispatch_endpoint: DispatchEndpoint
  readonly accounts: Accounts
  readonly workloads: Workloads
  readonly logins: Logins
  readonly site: Site
  readonly forms: Forms
  readonly settings: LoginSettings
  readonly authorities: Authorities
  readonly throttle: Throttle
  readonly upstream: Upstream | undefined
  provider(): Promise<Provider>
  /** Passes a request to the OAuth server. */
  handler(): Promise<Handle>
}
