/** Of one organization. */
export const webhooks_max = 20

export interface WebhookTarget {
  readonly name: string
  readonly address: string
  readonly event_types: readonly string[]
}

export interface NewWebhook extends WebhookTarget {
  readonly secret: string
  /** Whoever answers for it: it stops when they may no longer read the log. */
  readonly set_by: string
  /** It receives what is recorded after this record. */
  readonly seq: number
  readonly at: Date
}

export interface ListedWebhook extends WebhookTarget {
  readonly set_by: string
  readonly set_at: Date
  readonly last_delivered_at: Date | null
  /** In one sentence, of the newest attempt; null where it succeeded. */
  readonly last_failure: string | null
  readonly next_at: Date | null
  /** When the oldest event was recorded that is still to be delivered; null where none is. */
  readonly waiting_since: Date | null
  readonly stopped_at: Date | null
}

/** Addresses that receive events of this tenant's audit log. */
export interface Webhooks {
  /** Why the credential of this call may set none; undefined where it may. */
  whyNot(): Promise<string | undefined>
  /** Why nothing is sent to an address, as far as it shows; undefined where something may be. */
  whyNotTo(address: URL): string | undefined
  /** How many there are. Nobody else adds one until this transaction ends. */
  lockAndCount(): Promise<number>
  find(name: string): Promise<ListedWebhook | undefined>
  /** By name. */
  list(): Promise<readonly ListedWebhook[]>
  add(webhook: NewWebhook): Promise<void>
  /** Goes on from where it is, also if it was stopped. The secret stays where none is named. */
  change(
    webhook: Omit<NewWebhook, 'seq' | 'secret'> & { readonly secret?: string | undefined },
  ): Promise<void>
  remove(name: string): Promise<void>
}
