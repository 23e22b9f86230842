// The agent card of a registered agent, in the form of either version. Pure.
import { media_types } from './media-types.ts'
import type { Fields, Wire } from './wire.ts'

/** A registry entry of the kind `agent`. */
export interface AgentEntry {
  readonly subject: string
  readonly tenant_id: string
  readonly version: number
  readonly registered_at: string
  readonly content: AgentContent
}

interface AgentContent {
  readonly name: string
  readonly summary?: string
  readonly capabilities: readonly string[]
  readonly tags: readonly string[]
}

export interface CardSite {
  readonly public_url: string
  /** Of the authorization server; undefined where nobody can sign in. */
  readonly issuer: string | undefined
}

export interface PublicAgents {
  /** The agent's entry, if it is visible to everybody. */
  find(did: string): Promise<AgentEntry | undefined>
}

const call_scope = 'svc.call'

export function cardOf(entry: AgentEntry, site: CardSite, version: Wire['version']): Fields {
  return version === '1.0' ? cardV1(entry, site) : cardV03(entry, site)
}

function addressOf({ subject }: Pick<AgentEntry, 'subject'>, { public_url }: CardSite): string {
  return `${public_url}/a2a/${subject}`
}

function about(entry: AgentEntry, { public_url }: CardSite) {
  const { name, summary, tags, capabilities } = entry.content
  const description = summary ?? `${name}, an agent of ${entry.tenant_id}.`
  return {
    name,
    description,
    version: String(entry.version),
    provider: { organization: entry.tenant_id, url: public_url },
    documentationUrl: `${public_url}/docs`,
    defaultInputModes: [...media_types],
    defaultOutputModes: [...media_types],
    skills: [
      { id: 'message', name, description, tags: tags.length > 0 ? [...tags] : ['agent'] },
      ...capabilities.map((capability) => ({
        id: capability,
        name: capability,
        description: `Offers ${capability}.`,
        tags: ['capability'],
      })),
    ],
  }
}

function interfaces(entry: AgentEntry, site: CardSite) {
  const url = addressOf(entry, site)
  const at = (protocolVersion: string) => ({ url, protocolBinding: 'JSONRPC', protocolVersion })
  return { supportedInterfaces: [at('1.0'), at('0.3')] }
}

const key_sentence = 'An API key of the engine, or an access token.'

function flowOf(issuer: string) {
  return {
    authorizationUrl: `${issuer}/auth`,
    tokenUrl: `${issuer}/token`,
    scopes: { [call_scope]: 'Call operations as you.' },
  }
}

function cardV1(entry: AgentEntry, site: CardSite): Fields {
  const { issuer } = site
  return {
    ...about(entry, site),
    ...interfaces(entry, site),
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
    securitySchemes: {
      bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', description: key_sentence } },
      ...(issuer !== undefined && {
        oauth2: {
          oauth2SecurityScheme: { flows: { authorizationCode: { ...flowOf(issuer), pkceRequired: true } } },
        },
      }),
    },
    securityRequirements: [
      { schemes: { bearer: { list: [] } } },
      ...(issuer === undefined ? [] : [{ schemes: { oauth2: { list: [call_scope] } } }]),
    ],
  }
}

function cardV03(entry: AgentEntry, site: CardSite): Fields {
  const { issuer } = site
  return {
    ...about(entry, site),
    protocolVersion: '0.3.0',
    url: addressOf(entry, site),
    preferredTransport: 'JSONRPC',
    supportsAuthenticatedExtendedCard: true,
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: key_sentence },
      ...(issuer !== undefined && {
        oauth2: { type: 'oauth2', flows: { authorizationCode: flowOf(issuer) } },
      }),
    },
    security: [{ bearer: [] }, ...(issuer === undefined ? [] : [{ oauth2: [call_scope] }])],
  }
}
