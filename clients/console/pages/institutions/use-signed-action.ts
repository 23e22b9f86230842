// A deed that the engine signs with a key it keeps, or asks to be signed by who keeps its own.
import type { Client } from '@svc/sdk'
import { useState } from 'react'
import { type Action, type Problem, useAction } from '../../shell/use-asked.ts'
import { type AskedSignature, askedSignature, type OwnSignature } from './asked-signature.ts'

export interface SignedAction extends Action<OwnSignature | undefined> {
  /** What has to be signed before it goes through; undefined where nothing has. */
  readonly asked: AskedSignature | undefined
}

export function useSignedAction(
  work: (client: Client, own: OwnSignature | undefined) => Promise<void>,
): SignedAction {
  const [asked, setAsked] = useState<AskedSignature>()
  const action = useAction(async (client, own: OwnSignature | undefined) => {
    try {
      await work(client, own)
      setAsked(undefined)
    } catch (error) {
      const signature = askedSignature(error as Problem)
      if (!signature) throw error
      setAsked(signature)
    }
  })
  return { ...action, asked }
}
