// The login: its routes, and the order in which it opens.
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Clock } from '@svc/engine/ports'
import type { FastifyInstance } from 'fastify'
import type { Provider } from 'oidc-provider'
import type { DispatchEndpoint } from '../dispatch/refusal-recorder.ts'
import { openThrottle } from './address.ts'
import { acceptForms, openForms } from './forms.ts'
import { addInteractionRoutes } from './interaction.ts'
import { addInvitationRoutes } from './invitation.ts'
import type { Authorities, Handle, LoginContext, LoginSettings } from './login-context.ts'
import { type Logins, openLogins } from './logins.ts'
import { addMetadataRoutes } from './metadata.ts'
import { answerPeople } from './page-errors.ts'
import { addPassedRoutes, watchProvider } from './passed.ts'
import type { Accounts, Workloads } from './ports.ts'
import { addKeyRoutes } from './provisioner.ts'
import { addRegistrationRoute } from './registration.ts'
import { addRevocationRoute } from './revocation.ts'
import { addSessionRoutes } from './session-routes.ts'
import { addSignInRoutes } from './sign-in.ts'
import type { SettledSite, Site } from './site.ts'
import { addUpstreamRoutes, openUpstream } from './upstream.ts'

const requests_per_minute_max = 1200

export interface Login {
  readonly logins: Logins
  /** Where the MCP surface is open: its sign-ins, by its own tokens. */
  readonly mcp: { readonly logins: Logins; readonly site: Site }
  addRoutes(app: FastifyInstance, dispatch_endpoint: DispatchEndpoint, authorities: Authorities): void
  /** Once the address is known; until then the OAuth server answers that it is starting. */
  start(listening_url: string, mcp_url?: string): void
}

interface Opened {
  readonly provider: Provider
  readonly handle: Handle
}

export function openLogin(
  accounts: Accounts,
  workloads: Workloads,
  settings: LoginSettings,
  site: SettledSite,
  clock: Clock,
): Login {
  const logins = openLogins(accounts, site, clock)
  let is_settled = false
  let opening: Promise<Opened> | undefined
  let context: LoginContext
  // The OAuth server takes 50 MiB and 0.2 s: the first sign-in loads it, not every start.
  const open = () => {
    if (!is_settled) throw notYet()
    opening ??= openServer(context).catch((error) => {
      opening = undefined
      throw error
    })
    return opening
  }
  return {
    logins,
    mcp: { logins: openLogins(accounts, site, clock, 'mcp'), site },
    addRoutes(app, dispatch_endpoint, authorities) {
      context = {
        dispatch_endpoint,
        accounts,
        workloads,
        logins,
        site,
        settings,
        authorities,
        forms: openForms(accounts.secretFor('form'), site, clock),
        throttle: openThrottle(requests_per_minute_max, clock),
        upstream: settings.upstream && openUpstream(settings.upstream, site),
        provider: async () => (await open()).provider,
        handler: async () => (await open()).handle,
      }
      addLoginRoutes(app, context)
    },
    start(listening_url, mcp_url) {
      site.settle(settings.public_url ?? listening_url, mcp_url)
      is_settled = true
    },
  }
}

/** Separate groups: pages read forms and show errors, the OAuth server reads its own bodies. */
function addLoginRoutes(app: FastifyInstance, context: LoginContext): void {
  addMetadataRoutes(app, context)
  addSessionRoutes(app, context)
  addKeyRoutes(app, context)
  addRegistrationRoute(app, context)
  void app.register(async (pages) => {
    acceptForms(pages)
    answerPeople(pages, context)
    addSignInRoutes(pages, context)
    addInteractionRoutes(pages, context)
    addInvitationRoutes(pages, context)
    if (context.upstream) addUpstreamRoutes(pages, context, context.upstream)
  })
  void app.register(async (machines) => {
    acceptForms(machines)
    addRevocationRoute(machines, context)
  })
  void app.register(async (passed) => addPassedRoutes(passed, context))
}

async function openServer(context: LoginContext): Promise<Opened> {
  const { accounts, logins, site } = context
  const { openProvider } = await import('./provider.ts')
  const provider = openProvider(accounts, logins, site, await accounts.signingKeys())
  const { exchange_grant, exchange_parameters, exchangeHandler } = await import('./exchange.ts')
  provider.registerGrantType(exchange_grant, exchangeHandler(context), exchange_parameters)
  watchProvider(provider, context)
  return { provider, handle: provider.callback() as Handle }
}

function notYet(): Refusal {
  return refuse('no_endpoint_available', 'The login is just starting; try again in a moment.', {
    reason: 'login starting',
    retry_after_ms: 1_000,
  })
}
