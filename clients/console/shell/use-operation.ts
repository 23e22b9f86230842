// Reads one operation, typed by the catalogue; without the right nothing is asked, so nothing is refused.
import type { Catalogue, InputOf, OperationName, OutputOf } from '@svc/sdk'
import { permissionOf } from '../api/session.ts'
import { type Query, type QueryOptions, useQuery } from './use-query.ts'
import { useSession } from './use-session.tsx'

export function useOperation<P extends keyof Catalogue, O extends OperationName<P>>(
  protocol: P,
  operation: O,
  input: InputOf<P, O>,
  options: QueryOptions = {},
): Query<OutputOf<P, O>> {
  const may = permissionOf(useSession(), protocol, operation)?.may ?? 'no'
  return useQuery(
    `${protocol}.${operation} ${JSON.stringify(input)}`,
    async (client, signal) =>
      (await client.dispatch(protocol, operation, input, { signal })).output as OutputOf<P, O>,
    { ...options, is_off: options.is_off === true || may === 'no' },
  )
}
