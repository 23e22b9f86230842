// One request for access: who asks for what, and giving a role that allows it, or refusing.
import { Button, Group, Select } from '@mantine/core'
import type { OutputOf } from '@svc/sdk'
import { useState } from 'react'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { Fact, When } from '../../parts/figure.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useAct } from '../../shell/use-query.ts'
import { useSession } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'

export type AccessRequest = OutputOf<'MACS', 'access_requests'>['items'][number]

const text = words.inbox

export function AccessRequestView({ request, may_decide }: { request: AccessRequest; may_decide: boolean }) {
  const { did } = useSession()
  const { person, agent_did, state, requested_at, expires_at, decided_at, decided_by, role_given } = request
  const is_own = agent_did === did
  return (
    <>
      <h2>{text.person_asks(person, askedOf(request))}</h2>
      <dl className="facts">
        <Fact name={text.state} value={<StateBadge state={state.toLowerCase()} />} />
        <Fact
          name={text.person}
          value={<Id text={agent_did} name={person} href={hashOf('access', ['agents', agent_did])} />}
        />
        <Fact name={text.requested} value={<When at={requested_at} />} />
        <Fact name={text.decide_until} value={state === 'OPEN' && <When at={expires_at} />} />
        <Fact name={text.decided} value={decided_at && <When at={decided_at} />} />
        <Fact name={text.decided_by} value={decided_by && <Id text={decided_by} />} />
        <Fact name={text.role_given} value={role_given} />
      </dl>
      {state === 'OPEN' && is_own && <p className="quiet">{text.own_request}</p>}
      {state === 'OPEN' && !is_own && may_decide && <Decide request={request} />}
    </>
  )
}

function Decide({ request }: { request: AccessRequest }) {
  const { request_id, person, fitting_roles } = request
  const [role, setRole] = useState(fitting_roles[0] ?? '')
  const decide = useAct(async (client, decision: 'grant' | 'refuse') => {
    await client.macs.decide_access({ request_id, decision, ...(decision === 'grant' && { role }) })
  })
  return (
    <section aria-label={text.your_decision}>
      <Select
        label={text.role_to_give}
        description={text.role_to_give_hint}
        allowDeselect={false}
        data={fitting_roles}
        value={role}
        onChange={(choice) => setRole(choice ?? '')}
        mb="md"
      />
      <Group gap="xs">
        <Button
          size="xs"
          disabled={role === ''}
          loading={decide.is_waiting}
          onClick={() => void decide.run('grant')}
        >
          {text.give_role(role)}
        </Button>
        <ConfirmAction
          label={text.refuse}
          title={text.refuse_title}
          is_waiting={decide.is_waiting}
          onConfirm={() => void decide.run('refuse')}
        >
          <p>{text.refuse_means(person)}</p>
        </ConfirmAction>
      </Group>
      {decide.problem && <ProblemNote problem={decide.problem} />}
    </section>
  )
}

export function askedOf({ capability, role }: AccessRequest): string {
  return capability ?? text.the_role(role ?? '')
}
