// An answer stored for a retry: as it is, or sealed where only its caller may know it.
import type { Placed } from '../call.ts'
import type { Ports } from '../ports.ts'

/** No JSON text begins like this. */
const sealed_mark = 'sealed:'

type Custody = Pick<Ports, 'custody'>

export function sealAnswer(call: Placed, key: string, output_text: string, { custody }: Custody): string {
  if (!call.operation.facts.secret_output) return output_text
  return sealed_mark + custody.sealText(output_text, nameOf(call, key))
}

/** An unsealed answer is returned as it is. */
export function openAnswer(call: Placed, key: string, sealed: string, { custody }: Custody): string {
  if (!sealed.startsWith(sealed_mark)) return sealed
  return custody.openText(sealed.slice(sealed_mark.length), nameOf(call, key))
}

function nameOf({ context }: Placed, key: string): string {
  return `answer kept under ${key} in ${context.tenant_id}`
}
