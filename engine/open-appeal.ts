// A refusal names a court only where one sits.
import type { Refusal } from '@svc/contract/refusal'
import type { Ports } from './ports.ts'

/** `courts` says whether anybody could hear a dispute inside an organization. Of a plugin's refusal, the details are its own. */
export async function withOpenAppeal(
  refusal: Refusal,
  tenant_id: string,
  { courts, log }: Pick<Ports, 'courts' | 'log'>,
): Promise<Refusal> {
  const { appeal_path } = refusal.details
  if (refusal.is_foreign || !/^MOOT\b/.test(appeal_path ?? '')) return refusal
  try {
    if (await courts.isOpen(tenant_id)) return refusal
  } catch (error) {
    log.warn({ err: error, tenant_id }, 'it could not be looked up whether a court is open')
  }
  const { appeal_path: _, ...details } = refusal.details
  return refusal.replacing(details)
}
