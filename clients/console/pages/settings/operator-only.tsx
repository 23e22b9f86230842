// What belongs to whoever runs the engine. Whether somebody may see it is known before it is asked, so nobody is refused.
import type { ReactNode } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { Locked } from '../../parts/locked.tsx'
import { useOperation } from '../../shell/use-operation.ts'
import { useSession } from '../../shell/use-session.tsx'

/** Any of these, and none of a role. */
const needed = ['svc.admin.observability', 'svc.admin.*', 'svc.*.*']

interface Props {
  /** Only people of the organization that runs the engine. */
  readonly is_operators?: boolean
  readonly why_not: string
  readonly children: ReactNode
}

export function OperatorOnly({ is_operators = false, why_not, children }: Props) {
  const { did, runs_engine } = useSession()
  const is_barred = is_operators && !runs_engine
  const authority = useOperation('MACS', 'authorization_request', { agent_did: did }, { is_off: is_barred })
  if (is_barred) return <Locked why_not={why_not} />
  return (
    <AnswerOf query={authority}>
      {({ capabilities }) =>
        capabilities.some(({ name, source }) => source !== 'role' && needed.includes(name)) ? (
          children
        ) : (
          <Locked why_not={why_not} />
        )
      }
    </AnswerOf>
  )
}
