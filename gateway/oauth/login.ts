// The login as one thing: its routes, and the order in which it opens.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Clock } from '@svc/engine/ports'
import type { FastifyInstance } from 'fastify'
import type { Provider } from 'oidc-provider'
import type { Door } from '../doorkeeper.ts'
import { openThrottle } from './address.ts'
import { acceptForms, openForms } from './forms.ts'
import { addInteractionRoutes } from './interaction.ts'
import { type Logins, openLogins } from './logins.ts'
import { addMetadataRoutes } from './metadata.ts'
import { answerPeople } from './page-errors.ts'
import { addPassedRoutes, watchProvider } from './passed.ts'
import type { Accounts } from './ports.ts'
import { openProvider } from './provider.ts'
import { addKeyRoutes } from './provisioner.ts'
import { addRegistrationRoute } from './registration.ts'
import { addRevocationRoute } from './revocation.ts'
import type { Authorities, LoginRoom, LoginSettings } from './room.ts'
import { addSessionRoutes } from './session-routes.ts'
import { addSignInRoutes } from './sign-in.ts'
import { openSite } from './site.ts'
import { addUpstreamRoutes, openUpstream } from './upstream.ts'

const requests_per_minute_max = 1200

export interface Login {
  readonly logins: Logins
  addRoutes(app: FastifyInstance, door: Door, authorities: Authorities): void
  /** Once the address is known; until then the OAuth server answers that it is starting. */
  start(listening_url: string): Promise<void>
}

type Handle = (req: IncomingMessage, res: ServerResponse) => Promise<void>

export function openLogin(accounts: Accounts, settings: LoginSettings, clock: Clock): Login {
  const site = openSite()
  const logins = openLogins(accounts, site, clock)
  let opened: { provider: Provider; handle: Handle } | undefined
  let room: LoginRoom | undefined
  return {
    logins,
    addRoutes(app, door, authorities) {
      room = {
        door,
        accounts,
        logins,
        site,
        settings,
        authorities,
        forms: openForms(accounts.secretFor('form'), site),
        throttle: openThrottle(requests_per_minute_max, clock),
        upstream: settings.upstream && openUpstream(settings.upstream, site),
        provider: () => (opened ?? starting()).provider,
        pass: (req, res) => (opened ?? starting()).handle(req, res),
      }
      addLoginRoutes(app, room)
    },
    async start(listening_url) {
      site.settle(settings.public_url ?? listening_url)
      const provider = openProvider(accounts, logins, site, await accounts.signingKeys())
      if (room) watchProvider(provider, room)
      opened = { provider, handle: provider.callback() as Handle }
    },
  }
}

/** Each group by itself: pages read forms and answer people, the OAuth server reads its own bodies. */
function addLoginRoutes(app: FastifyInstance, room: LoginRoom): void {
  addMetadataRoutes(app, room)
  addSessionRoutes(app, room)
  addKeyRoutes(app, room)
  addRegistrationRoute(app, room)
  void app.register(async (pages) => {
    acceptForms(pages)
    answerPeople(pages, room)
    addSignInRoutes(pages, room)
    addInteractionRoutes(pages, room)
    if (room.upstream) addUpstreamRoutes(pages, room, room.upstream)
  })
  void app.register(async (machines) => {
    acceptForms(machines)
    addRevocationRoute(machines, room)
  })
  void app.register(async (passed) => addPassedRoutes(passed, room))
}

function starting(): never {
  throw notYet()
}

function notYet(): Refusal {
  return refuse('no_endpoint_available', 'The login is just starting; try again in a moment.', {
    reason: 'login starting',
    retry_after_ms: 1_000,
  })
}
