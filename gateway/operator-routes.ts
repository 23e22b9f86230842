// /admin/settings and /admin/tenants: how an engine is set up, and which organizations it serves, for its operator.
import { refuse } from '@svc/contract/refusal'
import { Closed } from '@svc/contract/schema'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { DispatchEndpoint } from './dispatch/refusal-recorder.ts'
import { type Gate, observer_capability, permit } from './route-gate.ts'

/** Without secrets: this is sent to browsers. */
export interface EngineSettings {
  readonly audit_log: {
    /** file: or s3:// and where; null: everything stays in PostgreSQL. */
    readonly archive: string | null
    /** Days after which a page is archived; null without an archive. */
    readonly hot_days: number | null
  }
  /** Who is asked to cosign the checkpoints made here. */
  readonly witnesses: readonly {
    readonly name: string
    readonly url: string
    /** Null: the logs of all organizations. */
    readonly tenants: readonly string[] | null
  }[]
  /** Logs of others that are cosigned here, the first of them by origin. */
  readonly cosigned: readonly {
    readonly origin: string
    readonly size: number
    readonly cosigned_at: string | null
    /** It has signed two histories. */
    readonly is_contradicted: boolean
  }[]
  readonly sign_in: {
    readonly public_url: string | null
    /** Single sign-on; null: logins and passwords only. */
    readonly issuer: string | null
    readonly client_id: string | null
    /** Where new people of the issuer are created; null: they are refused. */
    readonly tenant_id: string | null
  }
  /** Null: no mail is sent. */
  readonly mail: {
    readonly host: string
    readonly from: string
    /** Empty: any. */
    readonly domains: readonly string[]
  } | null
}

export interface TenantRow {
  readonly tenant_id: string
  readonly name: string
  readonly tier: string
  readonly created_at: string
  readonly live_keys: number
  readonly charter_members: number
  readonly people: number
  readonly audit_records: number
  /** It was dissolved: its log takes no more records. */
  readonly is_sealed: boolean
  /** Of the last 24 hours, whole hours. */
  readonly calls: number
  readonly refused: number
  readonly failed: number
}

export interface TenantPage {
  readonly items: readonly TenantRow[]
  /** `after` of the next page; absent on the last. */
  readonly next_after?: string
}

export interface OperatorView extends Gate {
  settings(): Promise<EngineSettings>
  tenants(question: TenantQuestion): Promise<TenantPage>
}

const tenants_at_once_max = 100
const tenants_at_once = 50

/** PostgreSQL holds no NUL, and nothing that is searched has other control characters. */
const printed = String.raw`^[^\u0000-\u001f]*$`

const TenantQuestion = Closed({
  after: Type.Optional(Type.String({ maxLength: 63, pattern: printed })),
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 63, pattern: printed })),
  limit: Type.Integer({ minimum: 1, maximum: tenants_at_once_max }),
})
export type TenantQuestion = Static<typeof TenantQuestion>
const question_check = Compile(TenantQuestion)

const operators = { capability: observer_capability, is_operators: true }
const read_settings = { ...operators, doing: 'look at the settings of this engine' }
const read_tenants = { ...operators, asks_in_words: true, doing: 'look at the organizations of this engine' }

export function addOperatorRoutes(
  app: FastifyInstance,
  dispatch_endpoint: DispatchEndpoint,
  view: OperatorView,
): void {
  app.get('/admin/settings', async (request, reply) => {
    await permit(dispatch_endpoint, view, request, read_settings, () => ({}))
    reply.header('cache-control', 'no-store')
    return await view.settings()
  })

  app.get('/admin/tenants', async (request, reply) => {
    const question = await permit(dispatch_endpoint, view, request, read_tenants, readQuestion)
    reply.header('cache-control', 'no-store')
    return await view.tenants(question)
  })
}

function readQuestion({ query }: FastifyRequest): TenantQuestion {
  const { limit = String(tenants_at_once), ...rest } = query as Record<string, unknown>
  const question = { ...rest, limit: Number(limit) }
  if (question_check.Check(question)) return question
  throw refuse(
    'invalid_payload',
    `The query is not understood; send after (an id), search (1 to 63 characters) and limit (1 to ${tenants_at_once_max}).`,
    { reason: 'schema' },
  )
}
