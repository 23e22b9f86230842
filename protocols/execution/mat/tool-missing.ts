// A tool that does not exist, told apart from one that exists and may not be used; with the nearest name there is.
import { closest } from '@svc/contract/closest'
import { type Refusal, refuse } from '@svc/contract/refusal'

/** Names compared: more than a server or an engine offers. */
const candidates_max = 2_000

/** What was named and what there is, both as ids; only ids the caller may see anyway. */
export function noSuchTool(tool_id: string, candidates: readonly string[]): Refusal {
  return missing('tool', tool_id, candidates, 'see tool_discovery for what there is')
}

export function noSuchServer(server_id: string, candidates: readonly string[], path = '/tool_id'): Refusal {
  return missing('tool server', server_id, candidates, 'register it first', path)
}

function missing(
  what: string,
  id: string,
  candidates: readonly string[],
  otherwise: string,
  path = '/tool_id',
): Refusal {
  const nearest = closest(id, candidates.slice(0, candidates_max))
  const advice = nearest === undefined ? otherwise : `did you mean ${nearest}?`
  return refuse(
    'invalid_payload',
    `There is no ${what} ${id}; ${advice}${nearest === undefined ? '.' : ''}`,
    {
      reason: 'not_found',
      path,
      performed: 'no',
      ...(nearest !== undefined && { nearest }),
    },
  )
}
