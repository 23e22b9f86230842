import { DataTable } from '../../../parts/data-table.tsx'
import { Fact, When } from '../../../parts/figure.tsx'
import { plural } from '../../../parts/figures.ts'
import { TextView } from '../../../parts/json-view.tsx'
import { NoRight } from '../../../parts/no-right.tsx'
import { Who } from '../../../parts/who.tsx'
import { Id, StateBadge } from '../../../parts/words.tsx'
import { hashOf } from '../../../shell/address.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import { words } from '../../../words/en.ts'
import { Facts } from '../facts.tsx'
import { Whole } from '../whole.tsx'
import { FaultList } from './fault-list.tsx'
import type { Policy, PolicyDetail } from './policy.ts'
import { rulesIn } from './policy-rules.ts'

/** One version of a policy with its text, validated against the current schema. */
export function PolicyView({ policy_id, version }: { policy_id: string; version: string | undefined }) {
  return (
    <Whole
      part="policies"
      all="All policies"
      id={policy_id}
      ask={(client, include_detail, signal) =>
        client.maxim.list(
          { policy_id, include_detail, limit: 1, ...(version ? { version } : {}) },
          { signal },
        )
      }
    >
      {(policy) => (
        <>
          <Head policy={policy} />
          {policy.detail && (
            <>
              {!policy.retires && (
                <>
                  <Covers text={policy.detail.policy_body} />
                  <TextView label="Cedar" text={policy.detail.policy_body} />
                </>
              )}
              <Validation detail={policy.detail} />
              <Effects policy={policy} />
              <Versions policy_id={policy_id} here={policy.version} versions={policy.detail.versions} />
            </>
          )}
        </>
      )}
    </Whole>
  )
}

function Head({ policy }: { policy: Policy }) {
  return (
    <>
      <h2>
        {policy.policy_id} {policy.version} <StateBadge state={policy.state} />
      </h2>
      {policy.retires && <p className="note">This version retires the policy: it no longer applies.</p>}
      {policy.rationale && <blockquote className="said">{policy.rationale}</blockquote>}
      <Facts
        facts={[
          ['In force from', <When key="from" at={policy.active_from} />],
          policy.active_until !== undefined && ['until', <When key="until" at={policy.active_until} />],
          ['Written', <When key="at" at={policy.authored_at} />],
          ['Written by', <Who key="by" did={policy.authored_by} />],
          ['Authority', <Id key="authority" text={policy.authority} chars={30} />],
          ['Digest', <Id key="digest" text={policy.digest} chars={20} />],
        ]}
      />
    </>
  )
}

/** The same as the text below, for whoever does not read Cedar. */
function Covers({ text }: { text: string }) {
  const rules = rulesIn(text)
  if (rules.length === 0) return null
  return (
    <section aria-label={words.policies.covers}>
      <h3>{words.policies.covers}</h3>
      {rules.map(({ effect, calls, reason, approval }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no name, and its text does not change.
        <div key={index} className="card">
          <strong>{words.policies.effects[effect]}</strong> {words.policies.calls(calls)}
          <dl className="facts">
            <Fact name={words.policies.reason} value={reason} />
            <Fact name={words.policies.approval} value={approval} />
          </dl>
        </div>
      ))}
    </section>
  )
}

function Validation({ detail: { validation, policy_body } }: { detail: PolicyDetail }) {
  const { policies, faults, warnings } = validation
  return (
    <section aria-label="Validation">
      <h3>Validation</h3>
      <p>
        {plural(policies, 'rule')}, {plural(faults.length, 'fault')}, {plural(warnings.length, 'warning')},
        against the current schema.
      </p>
      <FaultList text={policy_body} faults={faults} />
      <FaultList text={policy_body} faults={warnings} />
    </section>
  )
}

function Effects({ policy: { policy_id, retires, detail } }: { policy: Policy }) {
  const why_not = useWhyNot('MAXIM', 'author')
  const is_gone = detail?.versions[0]?.retires ?? retires
  if (why_not) return <NoRight protocol="MAXIM" operation="author" />
  return (
    <p className="row">
      <a href={hashOf('organizations', ['policies', policy_id, 'next'])}>Write its next version</a>
      {!is_gone && (
        <a href={hashOf('organizations', ['policies', policy_id, 'next'], { retire: 'yes' })}>Retire it</a>
      )}
    </p>
  )
}

interface VersionsProps {
  readonly policy_id: string
  readonly here: string
  readonly versions: PolicyDetail['versions']
}

function Versions({ policy_id, here, versions }: VersionsProps) {
  return (
    <DataTable
      caption="Its versions, newest first"
      rows={versions}
      keyOf={({ version }) => version}
      empty="None."
      columns={[
        {
          head: 'Version',
          cell: ({ version }) =>
            version === here ? (
              `${version}, this one`
            ) : (
              <a href={hashOf('organizations', ['policies', policy_id], { version })}>{version}</a>
            ),
        },
        { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
        { head: 'In force from', cell: ({ active_from }) => <When at={active_from} /> },
        {
          head: 'Until',
          cell: ({ active_until }) => (active_until ? <When at={active_until} /> : 'no end'),
        },
        { head: 'Retires', cell: ({ retires }) => (retires ? 'yes' : 'no') },
        { head: 'Digest', cell: ({ digest }) => <Id text={digest} chars={16} /> },
      ]}
    />
  )
}
