// Suspends, resumes and revokes an identity with all that descend from it, and says first what that does.
import { Button, Group, TextInput } from '@mantine/core'
import type { Catalogue } from '@svc/sdk'
import { useState } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { StateBadge } from '../../parts/words.tsx'
import { type Action, useAct, useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'

type Identity = Catalogue['MACS']['list']['output']['items'][number]
type State = Catalogue['MACS']['set_state']['input']['state']

const reason_chars_max = 500

export function StateOf({ did }: { did: string }) {
  const query = useQuery(`state of ${did}`, async (client, signal) => {
    const { items } = await client.macs.list({ did }, { signal })
    return { identity: items[0] }
  })
  return (
    <AnswerOf query={query}>{({ identity }) => identity && <ChangeState identity={identity} />}</AnswerOf>
  )
}

function ChangeState({ identity }: { identity: Identity }) {
  const { did, state } = identity
  // What has no name is told apart by the end of its DID.
  const name = identity.name ?? `${identity.entity_kind} ${did.slice(-8)}`
  const why_not = useWhyNot('MACS', 'set_state')
  const [reason, setReason] = useState('')
  const change = useAct(async (client, next: State) => {
    await client.macs.set_state({ agent_did: did, state: next, reason: reason.trim() })
    setReason('')
  })
  return (
    <section aria-label="State">
      <h3>
        State <StateBadge state={state} />
      </h3>
      {state === 'revoked' ? (
        <p>It was revoked for good. Derive a new identity in its place.</p>
      ) : why_not ? (
        <NoRight protocol="MACS" operation="set_state" />
      ) : (
        <>
          <TextInput
            label="Reason for a change"
            description="Kept in the audit log."
            maxLength={reason_chars_max}
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
          <StateButtons state={state} name={name} has_reason={reason.trim() !== ''} change={change} />
        </>
      )}
      {change.problem && <ProblemNote problem={change.problem} />}
    </section>
  )
}

interface Buttons {
  readonly state: Identity['state']
  readonly name: string
  readonly has_reason: boolean
  readonly change: Action<State>
}

function StateButtons({ state, name, has_reason, change }: Buttons) {
  const no_reason = has_reason ? undefined : 'Say why first.'
  const button = { is_waiting: change.is_waiting, why_not: no_reason }
  return (
    <Group mt="sm">
      {state === 'suspended' ? (
        <Button
          size="xs"
          variant="default"
          disabled={change.is_waiting || no_reason !== undefined}
          title={no_reason}
          onClick={() => void change.run('active')}
        >
          Resume
        </Button>
      ) : (
        <ConfirmAction
          {...button}
          label="Suspend"
          title={`Suspend ${name}?`}
          onConfirm={() => void change.run('suspended')}
        >
          <p>
            {name} and all identities that descend from it can call nothing, on every engine within a second,
            until they are resumed. Their keys and sessions work again then.
          </p>
        </ConfirmAction>
      )}
      <ConfirmAction
        {...button}
        label="Revoke for good"
        title={`Revoke ${name}?`}
        typed_name={name}
        onConfirm={() => void change.run('revoked')}
      >
        <p>
          {name} and all identities that descend from it can never call anything again. Their keys and
          sessions end, and what they delegated counts no more. This cannot be undone.
        </p>
      </ConfirmAction>
    </Group>
  )
}
