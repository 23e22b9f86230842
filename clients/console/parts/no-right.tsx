// What is missing, whom to ask, and a button that asks. Nothing is called that would be refused.
import { Button } from '@mantine/core'
import { permissionOf } from '../api/session.ts'
import { useOperation } from '../shell/use-operation.ts'
import { useAct } from '../shell/use-query.ts'
import { useSession, useWhyNot } from '../shell/use-session.tsx'
import { words } from '../words/en.ts'
import { When } from './figure.tsx'
import { Locked } from './locked.tsx'
import { ProblemNote } from './problem-note.tsx'

interface Props {
  readonly protocol: string
  readonly operation: string
  readonly title?: string
}

export function NoRight({ protocol, operation, title }: Props) {
  const why_not = useWhyNot(protocol, operation)
  const capability = permissionOf(useSession(), protocol, operation)?.capability
  return (
    <Locked why_not={why_not} title={title}>
      {capability !== undefined && <Asking capability={capability} />}
    </Locked>
  )
}

const answer_ms = 15_000

/** Follows the newest request for it: none, open, granted, or refused. */
function Asking({ capability }: { capability: string }) {
  const is_barred = useWhyNot('MACS', 'request_access') !== undefined
  const own = useOperation('MACS', 'access_requests', { side: 'own' }, { refresh_ms: answer_ms })
  const ask = useAct(async (client) => {
    await client.macs.request_access({ capability })
  })
  if (is_barred) return null
  if (own.problem) return <ProblemNote problem={own.problem} onRetry={own.again} />
  const request = own.answer?.items.find((each) => each.capability === capability)
  if (request?.state === 'OPEN')
    return (
      <p role="status">
        {words.access_asked} <When at={request.requested_at} />. {words.access_waits}
      </p>
    )
  if (request?.state === 'GRANTED')
    return (
      <p role="status" className="row middle">
        {words.access_granted(request.role_given ?? '')}
        <Button size="xs" onClick={() => location.reload()}>
          {words.reload}
        </Button>
      </p>
    )
  return (
    <>
      {request?.state === 'REFUSED' && (
        <p>
          {words.access_refused} <When at={request.decided_at} />.
        </p>
      )}
      <Button
        size="xs"
        mt="xs"
        loading={ask.is_waiting}
        disabled={own.answer === undefined}
        onClick={() => void ask.run(undefined)}
      >
        {words.ask_for_access}
      </Button>
      {ask.problem && <ProblemNote problem={ask.problem} />}
    </>
  )
}
