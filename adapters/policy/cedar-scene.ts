// What rules can refer to: the schema they are checked against, and a call in its terms.
import type { Scene } from '@svc/contract/authority/policy'
import { type InputValue, inputValue } from './input-facts.ts'
import type { Fact } from './seen-facts.ts'

/** With the fields of the input that a text reads. */
export const policySchema = (input: string) => `
namespace Svc {
  entity Tenant;
  entity Agent in [Tenant] {
    did: String,
    kind: String,
    level: Long,
    lineage_verified: Bool,
    human_root?: String,
  };
  entity Operation {
    protocol: String,
    operation: String,
    state_changing: Bool,
  };
  action invoke appliesTo {
    principal: [Agent],
    resource: [Operation],
    context: {
      tenant: String,
      target_tenant: String,
      hour: Long,
      weekday: Long,
      origin: String,
      jurisdiction?: String,
      amount_micro_usd?: Long,
      action_kind?: String,
      treaty_id?: String,
      ${input}
    },
  };
}
`

/** Capabilities gate already: what no rule forbids is allowed. */
export const base_policy = 'permit(principal, action, resource);'

const action = { type: 'Svc::Action', id: 'invoke' }
const long_max = 2n ** 63n - 1n

type Value = InputValue

/** Reduced to the facts that its rules look at: the evaluator parses everything it is given. */
export function seenOf({ principal, resource, context, at_ms }: Scene, facts: readonly Fact[]) {
  const request = requestOf({ principal, resource, context, at_ms }, [], facts)
  const names = (part: Fact[0]) => facts.flatMap(([of, name]) => (of === part ? [name] : []))
  const [agent, operation] = request.entities
  const sees_tenant = names('principal').includes('tenant')
  return {
    ...request,
    context: only(request.context, names('context')),
    entities: [
      {
        ...agent!,
        attrs: only(agent!.attrs, names('principal')),
        parents: sees_tenant ? agent!.parents : [],
      },
      { ...operation!, attrs: only(operation!.attrs, names('resource')) },
    ],
  }
}

function only(facts: Record<string, Value>, names: readonly string[]): Record<string, Value> {
  const attributes: Record<string, Value> = {}
  for (const name of names) if (facts[name] !== undefined) attributes[name] = facts[name]
  return attributes
}

/** The four parts of a Cedar request and its entities. Facts named as open are left for partial evaluation. */
export function requestOf(
  { principal, resource, context }: Scene,
  open: readonly string[] = [],
  facts_read: readonly Fact[] = [],
) {
  const agent = { type: 'Svc::Agent', id: clean(principal.did) }
  const operation = { type: 'Svc::Operation', id: clean(`${resource.protocol}.${resource.operation}`) }
  const { amount_micro_usd, input, ...facts } = context
  const context_facts: Record<string, Value> = { ...present(facts) }
  if (amount_micro_usd !== undefined) context_facts.amount_micro_usd = long(amount_micro_usd)
  for (const [, name, field] of facts_read) {
    const value = field && inputValue(input, field)
    if (value !== undefined) context_facts[name] = value
  }
  for (const name of open) context_facts[name] = { __extn: { fn: 'unknown', arg: name } }
  const { did, kind, level, lineage_verified, human_root } = principal
  return {
    principal: agent,
    action,
    resource: operation,
    context: context_facts,
    entities: [
      {
        uid: agent,
        attrs: present({ did, kind, level, lineage_verified, human_root }),
        parents: [{ type: 'Svc::Tenant', id: clean(principal.tenant) }],
      },
      { uid: operation, attrs: present({ ...resource }), parents: [] },
    ],
  }
}

function present(
  facts: Readonly<Record<string, string | number | boolean | undefined>>,
): Record<string, Value> {
  const attributes: Record<string, Value> = {}
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined) attributes[name] = typeof value === 'string' ? clean(value) : value
  }
  return attributes
}

/** The evaluator rejects lone surrogates. */
function clean(text: string): string {
  return text.toWellFormed()
}

/** Requests are passed as JSON text, in which a Long may have more digits than a JavaScript number. */
function long(amount: bigint): number {
  const fitting = amount > long_max ? long_max : amount
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): number }
  return fitting <= Number.MAX_SAFE_INTEGER ? Number(fitting) : rawJSON(String(fitting))
}
