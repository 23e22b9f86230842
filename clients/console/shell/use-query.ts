// Queries and actions of a page, with their results and problems.
import { type Client, SvcError } from '@svc/sdk'
import { useMutation, useQueryClient, useQuery as useTanstackQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useSession } from './use-session.tsx'

export interface Query<Answer> {
  readonly answer: Answer | undefined
  readonly problem: Problem | undefined
  readonly is_waiting: boolean
  again(): void
}

/** A refusal with its details, or any other error. */
export type Problem = SvcError | Error

export interface QueryOptions {
  /** Reads again after this time, while the page is visible. */
  readonly refresh_ms?: number
  readonly is_off?: boolean
}

/** `question` identifies the answer in the cache: everything that `ask` depends on is part of it. */
export function useQuery<Answer>(
  question: string,
  ask: (client: Client, signal: AbortSignal) => Promise<Answer>,
  { refresh_ms, is_off = false }: QueryOptions = {},
): Query<Answer> {
  const { client, tenant_id } = useSession()
  const { data, error, isFetching, refetch } = useTanstackQuery({
    queryKey: [tenant_id, question],
    queryFn: ({ signal }) => ask(client, signal),
    enabled: !is_off,
    refetchInterval: refresh_ms ?? false,
    refetchOnMount: 'always',
  })
  const again = useCallback(() => void refetch(), [refetch])
  return { answer: data, problem: error ?? undefined, is_waiting: isFetching, again }
}

/** One action at a time, started by the user. */
export interface Action<Input> {
  readonly is_waiting: boolean
  readonly problem: Problem | undefined
  run(input: Input): Promise<void>
}

/** After an action everything on the page is read again. */
export function useAct<Input>(work: (client: Client, input: Input) => Promise<void>): Action<Input> {
  const { client, tenant_id } = useSession()
  const queries = useQueryClient()
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: (input: Input) => work(client, input),
    onSuccess: () => void queries.invalidateQueries({ queryKey: [tenant_id] }),
  })
  const run = async (input: Input) => {
    await mutateAsync(input).catch(() => undefined)
  }
  return { is_waiting: isPending, problem: error ?? undefined, run }
}

export function isRefusal(problem: Problem): problem is SvcError {
  return problem instanceof SvcError
}
