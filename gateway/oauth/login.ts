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
import type { Accounts, SigningKey, Workloads } from './ports.ts'
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

/** A new key of `admin token-key renew` signs from the next look on. */
const keys_every_ms = 10_000

interface Opened {
  readonly kids: string
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
  let opened: Promise<Opened> | undefined
  let look_again_ms = 0
  let context: LoginContext
  // The OAuth server takes 50 MiB and 0.2 s: the first sign-in loads it, not every start.
  const open = () => {
    if (!is_settled) throw notYet()
    if (opened && clock.monotonic_ms() < look_again_ms) return opened
    look_again_ms = clock.monotonic_ms() + keys_every_ms
    opened = withNewestKeys(context, opened).catch((error) => {
      opened = undefined
      throw error
    })
    return opened
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

/** What it stores is in the database, so one OAuth server can follow another. */
async function withNewestKeys(context: LoginContext, before?: Promise<Opened>): Promise<Opened> {
  const keys = await context.accounts.signingKeys()
  const kids = keys.map(({ kid }) => kid).join(' ')
  const earlier = await before?.catch(() => undefined)
  return earlier?.kids === kids ? earlier : await openServer(context, keys, kids)
}

async function openServer(context: LoginContext, keys: readonly SigningKey[], kids: string): Promise<Opened> {
  const { accounts, logins, site } = context
  const { openProvider } = await import('./provider.ts')
  const provider = openProvider(accounts, logins, site, keys)
  const { exchange_grant, exchange_parameters, exchangeHandler } = await import('./exchange.ts')
  provider.registerGrantType(exchange_grant, exchangeHandler(context), exchange_parameters)
  watchProvider(provider, context)
  return { kids, provider, handle: provider.callback() as Handle }
}

function notYet(): Refusal {
  return refuse('no_endpoint_available', 'The login is just starting; try again in a moment.', {
    reason: 'login starting',
    retry_after_ms: 1_000,
  })
}
