// How the engine is set up: retention and archive of the audit log, witnesses, single sign-on and mail. Shown, not changed:
// all of it is set where the engine is started.
import type { ReactNode } from 'react'
import { askRoute } from '../../api/session.ts'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Count, Fact, When } from '../../parts/figure.tsx'
import { StateBadge } from '../../parts/words.tsx'
import { useQuery } from '../../shell/use-query.ts'
import { useSession } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { OperatorOnly } from './operator-only.tsx'

const text = words.settings

interface EngineSettings {
  readonly audit_log: { readonly archive: string | null; readonly hot_days: number | null }
  readonly witnesses: readonly {
    readonly name: string
    readonly url: string
    readonly tenants: readonly string[] | null
  }[]
  readonly cosigned: readonly {
    readonly origin: string
    readonly size: number
    readonly cosigned_at: string | null
    readonly is_contradicted: boolean
  }[]
  readonly sign_in: {
    readonly public_url: string | null
    readonly issuer: string | null
    readonly client_id: string | null
    readonly tenant_id: string | null
  }
  readonly mail: { readonly host: string; readonly from: string; readonly domains: readonly string[] } | null
}

const parts = { audit_log: AuditLog, sign_on: SignOn, mail: Mail } as const

export function EngineSettings({ part }: { part: keyof typeof parts }) {
  const Part = parts[part]
  return (
    <OperatorOnly is_operators why_not={text.not_operator}>
      <Asked show={(settings) => <Part settings={settings} />} />
    </OperatorOnly>
  )
}

function Asked({ show }: { show(settings: EngineSettings): ReactNode }) {
  const session = useSession()
  const query = useQuery('settings', () => askRoute<EngineSettings>(session, 'GET', '/admin/settings'))
  return <AnswerOf query={query}>{show}</AnswerOf>
}

interface Props {
  readonly settings: EngineSettings
}

function AuditLog({ settings: { audit_log, witnesses, cosigned } }: Props) {
  const { archive, hot_days } = audit_log
  return (
    <>
      <section className="panel" aria-label={text.retention}>
        <h2>{text.retention}</h2>
        <dl className="facts">
          <Fact name={text.kept} value={text.kept_value} />
          <Fact name={text.hot} value={hot_days === null ? text.hot_all : text.hot_days(hot_days)} />
          <Fact name={text.archive} value={archive === null ? text.no_archive : <code>{archive}</code>} />
        </dl>
        <SetBy names="SVC_LOG_ARCHIVE, SVC_LOG_HOT_DAYS" />
      </section>
      <DataTable
        caption={text.witnesses}
        rows={witnesses}
        keyOf={({ name }) => name}
        empty={
          <>
            {text.no_witness} {text.witness_by} <code>{text.witness_command}</code>.
          </>
        }
        columns={[
          { head: text.witness, cell: ({ name }) => <code>{name}</code> },
          { head: text.address, cell: ({ url }) => url },
          { head: text.logs, cell: ({ tenants }) => tenants?.join(', ') ?? text.all_logs },
        ]}
      />
      <DataTable
        caption={text.cosigned}
        rows={cosigned}
        keyOf={({ origin }) => origin}
        empty={text.none_cosigned}
        columns={[
          { head: text.log, cell: ({ origin }) => <code>{origin}</code> },
          {
            head: text.state,
            cell: ({ is_contradicted }) => (
              <StateBadge state={is_contradicted ? text.contradicted : text.verified} />
            ),
          },
          { head: text.records, is_number: true, cell: ({ size }) => <Count of={size} /> },
          { head: text.cosigned_at, cell: ({ cosigned_at }) => <When at={cosigned_at} /> },
        ]}
      />
    </>
  )
}

function SignOn({ settings: { sign_in } }: Props) {
  const { issuer, client_id, tenant_id, public_url } = sign_in
  return (
    <section className="panel" aria-label={text.single_sign_on}>
      <h2>{text.single_sign_on}</h2>
      <dl className="facts">
        <Fact name={text.issuer} value={issuer ?? text.no_issuer} />
        <Fact name={text.client} value={client_id} />
        {issuer !== null && (
          <Fact
            name={text.new_people}
            value={tenant_id === null ? text.new_refused : text.new_made(tenant_id)}
          />
        )}
        <Fact name={text.public_url} value={public_url ?? text.no_public_url} />
      </dl>
      <SetBy names="SVC_OIDC_ISSUER, SVC_OIDC_CLIENT_ID, SVC_OIDC_TENANT, SVC_PUBLIC_URL" />
    </section>
  )
}

function Mail({ settings: { mail } }: Props) {
  return (
    <section className="panel" aria-label={text.mail_server}>
      <h2>{text.mail_server}</h2>
      <dl className="facts">
        <Fact name={text.address} value={mail?.host ?? text.no_mail} />
        <Fact name={text.sender} value={mail?.from} />
        {mail && <Fact name={text.domains} value={mail.domains.join(', ') || text.any_domain} />}
      </dl>
      <SetBy names="SVC_SMTP_URL, SVC_SMTP_FROM, SVC_SMTP_DOMAINS" />
    </section>
  )
}

function SetBy({ names }: { names: string }) {
  return <p className="quiet">{text.set_by(names)}</p>
}
