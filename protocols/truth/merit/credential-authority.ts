// The authority to withdraw a credential: its issuer, a verdict of the organization, or a court ruling.
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, refuse } from '@svc/contract/refusal'
import { credentialRef } from './credential.ts'
import type { CredentialRow } from './credential-store.ts'

const revoke_right = 'MERIT.revoke'
const ruling_form = /^moot:\/\/ruling\/(sha256:[0-9a-f]{64})$/
const case_form = /^moot:\/\/case\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
/** Refusals of the query itself; a deadline or a rate limit is not one. */
const opaque: ReadonlySet<string> = new Set(['policy_denied', 'invalid_payload', 'capability_denied'])
/** States of a case in which its ruling is final. */
const settled_states: ReadonlySet<string> = new Set(['REMEDIED', 'SETTLED'])

/** The ruling as visible to the caller; undefined if the authority is not a ruling it may see. */
export async function seeRuling(context: OperationContext, authority: string): Promise<Papers | undefined> {
  const case_id = case_form.exec(authority)?.[1] ?? (await caseOfRuling(context, authority))
  if (case_id === undefined) return undefined
  return (await askOther(context, 'MOOT', 'plead', { case_id, plea: 'view' })) as Papers | undefined
}

/** Returns the authority to store; refuses one that does not resolve, is not final, or does not cover it. */
export async function requireCover(
  context: OperationContext<'requireAuthority'>,
  credential: CredentialRow,
  authority: string,
  ruling: Papers | undefined,
): Promise<string> {
  if (authority.startsWith('did:')) return requireIssuer(context, credential, authority)
  if (authority.startsWith('mace://')) return requireVerdict(context, credential, authority)
  if (authority.startsWith('moot://')) return requireRuling(context, credential, authority, ruling)
  throw uncovered(credential, `${authority} is neither its issuer, nor a verdict, nor a ruling`)
}

function requireIssuer({ caller }: OperationContext, credential: CredentialRow, authority: string): string {
  const { issuer_did } = credential
  if (authority !== issuer_did) throw uncovered(credential, `${authority} did not issue it`)
  if (caller.did !== issuer_did) throw uncovered(credential, `${caller.did} does not speak for its issuer`)
  return authority
}

/** The verdict must name the credential or its holder. */
async function requireVerdict(
  context: OperationContext<'requireAuthority'>,
  credential: CredentialRow,
  authority: string,
): Promise<string> {
  const ref = credentialRef(credential.credential_id)
  try {
    return await context.requireAuthority(revoke_right, ref, authority)
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown
    if (thrown.details.reason !== 'authority does not bind this operation')
      throw uncovered(credential, thrown.message, thrown)
  }
  try {
    return await context.requireAuthority(revoke_right, credential.subject_did, authority)
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown
    throw uncovered(credential, thrown.message, thrown)
  }
}

/** As MOOT plead returns to those who may read the case. */
export interface Papers {
  readonly state: string
  readonly docket?: {
    readonly claimant_did: string
    readonly respondent_did: string
    readonly ruling?: {
      readonly ruling_id: string
      readonly in_favour_of: 'claimant' | 'respondent'
      readonly remedy?: { readonly target?: string }
      readonly appeal_until?: string
    }
  }
}

/** The ruling's remedy must name the credential, or the ruling be against its holder. */
function requireRuling(
  { now }: OperationContext,
  credential: CredentialRow,
  authority: string,
  papers: Papers | undefined,
): string {
  const docket = papers?.docket
  const ruling = docket?.ruling
  const wanted_id = ruling_form.exec(authority)?.[1] ?? ruling?.ruling_id
  if (!docket || !ruling || ruling.ruling_id !== wanted_id)
    throw uncovered(credential, `${authority} leads to no ruling that you may see`)
  const past_appeal =
    papers.state === 'RULED' &&
    ruling.appeal_until !== undefined &&
    Date.parse(ruling.appeal_until) <= Date.parse(now)
  if (!settled_states.has(papers.state) && !past_appeal)
    throw uncovered(credential, `${authority} is not final: its case is ${papers.state}`)
  const against = ruling.in_favour_of === 'claimant' ? docket.respondent_did : docket.claimant_did
  const names_it = ruling.remedy?.target === credentialRef(credential.credential_id)
  if (ruling.remedy && (names_it || against === credential.subject_did)) return authority
  throw uncovered(credential, `${authority} orders nothing about it or against ${credential.subject_did}`)
}

/** Rulings are public in the registry, each with its case. */
async function caseOfRuling(context: OperationContext, authority: string): Promise<string | undefined> {
  if (!ruling_form.test(authority)) return undefined
  const query = { kind: 'verdict', subject: authority, limit: 1 }
  const page = (await askOther(context, 'MARS', 'query_registry', query)) as RegistryPage | undefined
  const case_id = page?.entries[0]?.body.content?.case_id
  return typeof case_id === 'string' ? case_id : undefined
}

interface RegistryPage {
  readonly entries: readonly { readonly body: { readonly content?: { readonly case_id?: unknown } } }[]
}

/** A refusal there hides the ruling here: for a caller that may not see it, it covers nothing. */
async function askOther(
  context: OperationContext,
  protocol: string,
  operation: string,
  input: unknown,
): Promise<unknown> {
  try {
    return await context.call(protocol, operation, input)
  } catch (thrown) {
    if (isRefusal(thrown)) return undefined
    throw thrown
  }
}

/** Failures unrelated to the authority, such as a deadline, are passed on. */
function isRefusal(thrown: unknown): thrown is Refusal {
  return thrown instanceof Refusal && opaque.has(thrown.code)
}

function uncovered({ credential_id }: CredentialRow, why: string, cause?: Refusal): Refusal {
  const ref = credentialRef(credential_id)
  const because = why.replace(/\.$/, '')
  return refuse(
    'policy_denied',
    `${ref} cannot be revoked by this authority: ${because}. Let its issuer do it, or give a final verdict or ruling about it.`,
    {
      reason: 'authority does not cover credential',
      denying_policy: 'MERIT authority',
      appeal_path: 'MACE convene',
      ...(cause && { because: cause.details.reason }),
    },
  )
}
