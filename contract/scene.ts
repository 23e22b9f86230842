// The steps that make an operation's example possible on a fresh engine. Plain data: the laws play them, and
// the playground, /docs, the reference and the SDKs show or play the same ones.

/** Who calls: you, as `npm start` sets you up; another organization; the organization that runs the engine. */
export type SceneRole = 'you' | 'partner' | 'operator'

export interface CallStep {
  /** `you` where absent. */
  readonly as?: SceneRole
  /** The organization in which it is called; the caller's own where absent. */
  readonly tenant_id?: string
  /** `MOAT.propose` */
  readonly call: string
  readonly input: unknown
  /** Parts of the answer. Each text in it stands, in later steps and in the example, for the real value. */
  readonly answer?: unknown
  /** The call is repeated until its answer has these values. */
  readonly until?: unknown
}

/** A new Ed25519 key pair; the text stands for its public key. */
export interface KeyStep {
  readonly new_key: string
}

/** Signs a text, such as one of an earlier answer, with such a key; `signature` stands for the result. */
export interface SignStep {
  readonly sign: string
  readonly key: string
  readonly signature: string
}

export type SceneStep = CallStep | KeyStep | SignStep

/** Texts in examples and scenes that stand for the reader's own: whoever plays a scene replaces them. */
export const stand_ins = {
  tenant: 'acme',
  did: `did:oas:acme:agent:${'a1'.repeat(32)}`,
  partner_tenant: 'globex',
  partner_did: `did:oas:globex:agent:${'b2'.repeat(32)}`,
  operator_tenant: 'operator',
  operator_did: `did:oas:operator:agent:${'c3'.repeat(32)}`,
  /** Names of assets are the same for everybody, so each organization needs its own. */
  asset: 'acme-compute-hours',
  /** Times from now, each as far from it as from `now`. */
  now: '2026-12-01T00:00:00Z',
  a_month_ago: '2026-11-01T00:00:00Z',
  an_hour_ago: '2026-11-30T23:00:00Z',
  a_minute_ago: '2026-11-30T23:59:00Z',
  in_an_hour: '2026-12-01T01:00:00Z',
  tomorrow: '2026-12-02T00:00:00Z',
  in_a_month: '2027-01-01T00:00:00Z',
  in_a_year: '2027-12-01T00:00:00Z',
} as const
