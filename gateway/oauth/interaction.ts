// The interaction pages of an authorization request: sign-in and consent. Each request has one address for both.
import { refuse } from '@svc/contract/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { InteractionResults, Provider } from 'oidc-provider'
import type { LoginContext } from './login-context.ts'
import type { SignedIn } from './logins.ts'
import { type Asking, consentPage, pageHeaders } from './pages.ts'
import type { Person } from './ports.ts'
import { recordDecision } from './records.ts'
import { used_client_s } from './registration.ts'
import { built_in_client } from './scopes.ts'
import { showSignIn, trySignIn } from './sign-in.ts'

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>
type Uid = { Params: { uid: string } }

/** Our session satisfies these prompts, but not a request to sign in again. */
const answered_by_session = new Set(['no_session', 'session_ended'])

export function addInteractionRoutes(app: FastifyInstance, context: LoginContext): void {
  app.get<Uid>('/oauth/interaction/:uid', async (request, reply) => {
    const interaction = await findInteraction(context, request, reply)
    const signed_in = await context.logins.fromCookie(request.headers.cookie)
    if (interaction.prompt.name === 'consent')
      return await showConsent(context, request, reply, interaction, sameAsBefore(interaction, signed_in))
    if (signed_in && interaction.prompt.reasons.every((reason) => answered_by_session.has(reason)))
      return await finishSignIn(context, request, reply, interaction, signed_in.user)
    return showSignIn(context, request, reply, await signInForm(context, interaction))
  })
  app.post<Uid>('/oauth/interaction/:uid', async (request, reply) => {
    const interaction = await findInteraction(context, request, reply)
    const is_consent = interaction.prompt.name === 'consent'
    const fields = context.forms.read(request, is_consent ? `consent ${interaction.uid}` : 'sign-in')
    const answer = fields.get('answer')
    if (is_consent && answer === 'allow') return await sayYes(context, request, reply, interaction)
    if (is_consent || answer === 'cancel') return await sayNo(context, request, reply)
    const { user, alert } = await trySignIn(context, request, reply, fields)
    if (user) return await finishSignIn(context, request, reply, interaction, user)
    return showSignIn(context, request, reply, {
      ...(await signInForm(context, interaction)),
      login: fields.get('login'),
      alert,
    })
  })
}

async function findInteraction(
  context: LoginContext,
  request: FastifyRequest<Uid>,
  reply: FastifyReply,
): Promise<Interaction> {
  const interaction = await (await context.provider()).interactionDetails(request.raw, reply.raw)
  if (interaction.uid === request.params.uid) return interaction
  throw refuse('invalid_request', 'This page belongs to another sign-in; start it again.', {
    reason: 'no interaction',
  })
}

async function signInForm(context: LoginContext, interaction: Interaction) {
  return { action: addressOfPage(interaction), asking: await askingOf(context, interaction) }
}

function addressOfPage({ uid }: Interaction): string {
  return `/oauth/interaction/${uid}`
}

async function askingOf(context: LoginContext, { params }: Interaction): Promise<Asking> {
  const client = await (await context.provider()).Client.find(String(params.client_id))
  const { host, protocol } = new URL(String(params.redirect_uri))
  return {
    client_name: client?.clientName ?? String(params.client_id),
    is_built_in: params.client_id === built_in_client,
    redirect_host: host || protocol,
  }
}

async function showConsent(
  context: LoginContext,
  request: FastifyRequest,
  reply: FastifyReply,
  interaction: Interaction,
  { user }: SignedIn,
): Promise<FastifyReply> {
  const form_token = context.forms.token(request, reply, `consent ${interaction.uid}`)
  const asking = await askingOf(context, interaction)
  const requested = String(interaction.params.scope).split(' ')
  const { origin, protocol } = new URL(String(interaction.params.redirect_uri))
  reply.headers(pageHeaders(origin === 'null' ? protocol : origin))
  const form = { action: addressOfPage(interaction), form_token, asking, user, scopes: requested }
  return reply.send(consentPage(form))
}

async function finishSignIn(
  context: LoginContext,
  request: FastifyRequest,
  reply: FastifyReply,
  interaction: Interaction,
  user: Person,
): Promise<FastifyReply> {
  // The OAuth server would use a script to log the other person out; its session means nothing here, so it is just ended.
  if (interaction.session && interaction.session.accountId !== user.user_id) {
    const other = await (await context.provider()).Session.findByUid(interaction.session.uid)
    await other?.destroy()
    interaction.session = undefined
    await interaction.persist()
  }
  return await finish(context, request, reply, { login: { accountId: user.user_id } })
}

async function sayNo(
  context: LoginContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const error_description = 'the person said no'
  return await finish(context, request, reply, { error: 'access_denied', error_description })
}

/** A separate grant for exactly what was requested; the record names both. */
async function sayYes(
  context: LoginContext,
  request: FastifyRequest,
  reply: FastifyReply,
  interaction: Interaction,
): Promise<FastifyReply> {
  const { user } = sameAsBefore(interaction, await context.logins.fromCookie(request.headers.cookie))
  const { params, prompt } = interaction
  const provider = await context.provider()
  const [accountId, clientId] = [user.user_id, String(params.client_id)]
  const grant = new provider.Grant({ accountId, clientId })
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details as MissingScopes
  if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(' '))
  for (const [resource, names] of Object.entries(missingResourceScopes))
    grant.addResourceScope(resource, names.join(' '))
  const grantId = await grant.save()
  await keepClient(context, clientId)
  const meta = { gate: 'oauth consent', client_id: clientId, scope: missingOIDCScope.join(' ') }
  const decision = { event_type: 'CapabilityGrant', outcome: 'success', meta } as const
  await recordDecision(context.dispatch_endpoint, user, decision)
  return await finish(context, request, reply, { consent: { grantId } })
}

/** Somebody else may have signed in meanwhile, in the same browser: the question was not for them. */
function sameAsBefore({ session }: Interaction, signed_in: SignedIn | undefined): SignedIn {
  if (signed_in && signed_in.user.user_id === session?.accountId) return signed_in
  throw refuse(
    'invalid_request',
    'You were signed out, or in as somebody else, meanwhile; start again from the app.',
    {
      reason: 'another session',
    },
  )
}

interface MissingScopes {
  readonly missingOIDCScope?: readonly string[]
  readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>
}

/** A registered client that somebody allowed is no longer deleted after a day. */
async function keepClient({ accounts: { payloads } }: LoginContext, client_id: string): Promise<void> {
  const client = await payloads.find('Client', client_id)
  if (client) await payloads.upsert('Client', client_id, client, used_client_s)
}

async function finish(
  context: LoginContext,
  request: FastifyRequest,
  reply: FastifyReply,
  result: InteractionResults,
): Promise<FastifyReply> {
  const back = await (await context.provider()).interactionResult(request.raw, reply.raw, result)
  return reply.header('cache-control', 'no-store').redirect(back, 303)
}
