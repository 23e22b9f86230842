// To whom mail may be sent: people of the organization who can sign in, whose login is an e-mail address.
import type { Database } from '@svc/contract/database'
import type { Mailing } from '@svc/contract/needs/mailing'
import type { OperationContext } from '@svc/contract/operation-context'
import { findPeople } from '../accounts/people.ts'
import type { SmtpSettings } from './transport.ts'

/** Within the form of a login; nothing of it can end a header or name a second recipient. */
const address_form = /^[a-z0-9._+-]{1,64}@([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)$/

export async function whyNotMail(
  db: Database,
  tenant_id: string,
  login: string,
  { domains }: Pick<SmtpSettings, 'domains'>,
): Promise<string | undefined> {
  const domain = address_form.exec(login)?.[1]
  if (domain === undefined) return 'is no login that is an e-mail address'
  if (domains.length > 0 && !domains.includes(domain))
    return `is at ${domain}, where the operator of this engine lets no mail be sent`
  const [person] = await findPeople(db, tenant_id, [login], [])
  if (!person || person.disabled) return 'is no login of somebody who can sign in to your organization'
  return undefined
}

export function mailingFor(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  smtp: SmtpSettings | undefined,
): Mailing {
  return {
    async whyNotTo(login) {
      if (smtp) return whyNotMail(db, tenant_id, login, smtp)
      return 'needs a mail server, and this engine has none; its operator sets SVC_SMTP_URL'
    },
  }
}
