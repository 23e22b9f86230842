// A policy is written, validated and back-tested on the audit log; only a text that was back-tested can be enacted.
import { Button, Input } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { cedarFault } from '../../../parts/cedar.ts'
import { CodeField } from '../../../parts/code-field.tsx'
import { Field } from '../../../parts/field.tsx'
import { NoRight } from '../../../parts/no-right.tsx'
import { hashOf } from '../../../shell/address.ts'
import { useAct } from '../../../shell/use-query.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import { Whole } from '../whole.tsx'
import { BacktestView } from './backtest-view.tsx'
import { DraftProblem } from './draft-problem.tsx'
import { EnactPolicy } from './enact-policy.tsx'
import { type Backtest, type Draft, type Policy, versionAfter } from './policy.ts'

const first_policy = `@reason("nobody trades at night")
forbid(principal, action, resource)
when { resource.protocol == "MARKET" && context.hour < 6 };
`

/** The number of decisions to back-test; the answer takes seconds. */
const decisions_tried = 1000

interface Tried {
  readonly draft: Draft
  readonly result: Backtest
}

export function NextPolicy({ policy_id, retire }: { policy_id: string; retire: boolean }) {
  return (
    <Whole
      part="policies"
      all="All policies"
      id={policy_id}
      ask={(client, include_detail, signal) =>
        client.maxim.list({ policy_id, include_detail, limit: 1 }, { signal })
      }
    >
      {(policy) => <PolicyDraft key={String(retire)} policy={policy} retire={retire} />}
    </Whole>
  )
}

export function PolicyDraft({ policy, retire = false }: { policy?: Policy; retire?: boolean }) {
  const why_not = useWhyNot('MAXIM', 'backtest')
  const [draft, setDraft] = useState<Draft>(() => ({
    policy_id: policy?.policy_id ?? '',
    version: versionAfter(policy?.version),
    policy_body: retire ? '' : (policy?.detail?.policy_body ?? ''),
    rationale: '',
    active_from: '',
    retire,
  }))
  const [tried, setTried] = useState<Tried>()
  const [failed, setFailed] = useState('')
  const attempt = useAct(async (client) => {
    const { policy_id, policy_body } = draft
    setTried(undefined)
    setFailed(policy_body)
    const input = { policy_id, policy_body, retire, decisions: decisions_tried }
    setTried({ draft, result: await client.maxim.backtest(input) })
  })
  if (why_not) return <NoRight protocol="MAXIM" operation="backtest" />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void attempt.run(undefined)
  }
  const is_tried = tried !== undefined && isSameRule(tried.draft, draft)
  return (
    <>
      {!policy && (
        <p>
          <a href={hashOf('organizations', ['policies'])}>All policies</a>
        </p>
      )}
      <h2>{titleOf(draft, policy !== undefined)}</h2>
      <form onSubmit={submit}>
        <DraftFields draft={draft} is_named={policy !== undefined} onChange={setDraft} />
        <Button type="submit" disabled={attempt.is_waiting}>
          Validate and back-test
        </Button>
      </form>
      {attempt.is_waiting && <p role="status">Back-testing …</p>}
      {attempt.problem && <DraftProblem problem={attempt.problem} text={failed} />}
      {tried && (
        <>
          <BacktestView result={tried.result} is_stale={!is_tried} />
          <EnactPolicy draft={draft} result={tried.result} is_tried={is_tried} />
        </>
      )}
    </>
  )
}

/** A changed version number or rationale does not invalidate the back-test. */
function isSameRule(a: Draft, b: Draft): boolean {
  return a.policy_id === b.policy_id && a.policy_body === b.policy_body
}

function titleOf({ policy_id, retire }: Draft, is_named: boolean): string {
  if (!is_named) return 'A new policy'
  return retire ? `Retire ${policy_id}` : `The next version of ${policy_id}`
}

interface FieldsProps {
  readonly draft: Draft
  readonly is_named: boolean
  onChange(draft: Draft): void
}

function DraftFields({ draft, is_named, onChange }: FieldsProps) {
  const field = (name: 'policy_id' | 'version' | 'rationale', label: string, hint: string) => (
    <Field label={label} hint={hint}>
      {(ids) => (
        <Input
          {...ids}
          required={name !== 'rationale'}
          readOnly={is_named && name === 'policy_id'}
          value={draft[name]}
          onChange={({ target }) => onChange({ ...draft, [name]: target.value })}
        />
      )}
    </Field>
  )
  return (
    <>
      <div className="row">
        {field('policy_id', 'Name', 'Such as market-hours')}
        {field('version', 'Version', 'Greater than the previous one.')}
        {field('rationale', 'Rationale', 'Why; stored with the policy.')}
        <Field label="In force from (UTC)" hint="Immediately if empty. A council decides on a fixed time.">
          {(ids) => (
            <Input
              {...ids}
              type="datetime-local"
              step={1}
              value={draft.active_from}
              onChange={({ target }) => onChange({ ...draft, active_from: target.value })}
            />
          )}
        </Field>
      </div>
      {!draft.retire && (
        <CodeField
          label="Cedar"
          language="cedar"
          fault={cedarFault(draft.policy_body)}
          hint="Policies of the namespace Svc: forbid or permit (principal, action, resource)."
          value={draft.policy_body}
          onChange={(policy_body) => onChange({ ...draft, policy_body })}
        />
      )}
      {!draft.retire && draft.policy_body === '' && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => onChange({ ...draft, policy_body: first_policy })}
        >
          Begin with an example
        </Button>
      )}
    </>
  )
}
