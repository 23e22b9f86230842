// Queries and actions of a page, with their results and problems.
import { type Client, SvcError } from '@svc/sdk'
import { useCallback, useEffect, useState } from 'react'
import { useSession } from './use-session.tsx'

export interface Query<Answer> {
  readonly answer: Answer | undefined
  readonly problem: Problem | undefined
  readonly is_waiting: boolean
  again(): void
}

/** A refusal with its details, or any other error. */
export type Problem = SvcError | Error

/** Runs on mount and whenever `question` changes; an answer to an older question is dropped. */
export function useQuery<Answer>(
  question: string,
  ask: (client: Client, signal: AbortSignal) => Promise<Answer>,
): Query<Answer> {
  const { client } = useSession()
  const [round, setRound] = useState(0)
  const [state, setState] = useState<Omit<Query<Answer>, 'again'>>(nothing_yet)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `question` identifies what `ask` closes over.
  useEffect(() => {
    const leaving = new AbortController()
    setState((before) => ({ ...before, is_waiting: true }))
    ask(client, leaving.signal).then(
      (answer) => {
        if (!leaving.signal.aborted) setState({ answer, problem: undefined, is_waiting: false })
      },
      (error) => {
        if (!leaving.signal.aborted) setState({ answer: undefined, problem: error, is_waiting: false })
      },
    )
    return () => leaving.abort()
  }, [client, question, round])
  const again = useCallback(() => setRound((before) => before + 1), [])
  return { ...state, again }
}

const nothing_yet = { answer: undefined, problem: undefined, is_waiting: true } as const

/** One action at a time, started by the user. */
export interface Action<Input> {
  readonly is_waiting: boolean
  readonly problem: Problem | undefined
  run(input: Input): Promise<void>
}

export function useAction<Input>(work: (client: Client, input: Input) => Promise<void>): Action<Input> {
  const { client } = useSession()
  const [state, setState] = useState<{ is_waiting: boolean; problem: Problem | undefined }>(idle)
  const run = async (input: Input) => {
    setState({ is_waiting: true, problem: undefined })
    try {
      await work(client, input)
      setState(idle)
    } catch (error) {
      setState({ is_waiting: false, problem: error as Problem })
    }
  }
  return { ...state, run }
}

const idle = { is_waiting: false, problem: undefined } as const

export function isRefusal(problem: Problem): problem is SvcError {
  return problem instanceof SvcError
}
