import { useNames } from '../pages/audit-log/use-names.ts'
import { identityText } from './shorten.ts'
import { Id } from './words.tsx'

/** An identity by its name where it is known here; its DID on hover and in the clipboard. */
export function Who({ did }: { did: string }) {
  return <Id text={did} name={useNames().get(did) ?? identityText(did)} />
}
