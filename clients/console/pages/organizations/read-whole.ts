// The whole organization may read the summary, only those concerned the details: without permission the summary is shown.
import { type Client, SvcError } from '@svc/sdk'

export type AskWhole<Item> = (
  client: Client,
  include_detail: boolean,
  signal: AbortSignal,
) => Promise<{ items: Item[] }>

export interface WholeRead<Item> {
  readonly item: Item | undefined
  /** The engine's message why the details are missing. */
  readonly withheld: string | undefined
}

export async function readWhole<Item>(
  client: Client,
  ask: AskWhole<Item>,
  signal: AbortSignal,
): Promise<WholeRead<Item>> {
  try {
    const { items } = await ask(client, true, signal)
    return { item: items[0], withheld: undefined }
  } catch (error) {
    if (!(error instanceof SvcError && error.code === 'policy_denied')) throw error
    const { items } = await ask(client, false, signal)
    return { item: items[0], withheld: error.message }
  }
}
