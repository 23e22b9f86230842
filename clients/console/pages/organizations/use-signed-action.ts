// An action signed by the engine with a custodial key, or by the caller with their own.
import type { Client } from '@svc/sdk'
import { useState } from 'react'
import { type Action, type Problem, useAct } from '../../shell/use-query.ts'
import { type OwnSignature, type SignatureRequest, signatureRequestOf } from './signature-request.ts'

export interface SignedAction extends Action<OwnSignature | undefined> {
  /** The signature required to complete it; undefined if none is. */
  readonly signature_request: SignatureRequest | undefined
}

export function useSignedAction(
  work: (client: Client, own: OwnSignature | undefined) => Promise<void>,
): SignedAction {
  const [signature_request, setSignatureRequest] = useState<SignatureRequest>()
  const action = useAct(async (client, own: OwnSignature | undefined) => {
    try {
      await work(client, own)
      setSignatureRequest(undefined)
    } catch (error) {
      const signature = signatureRequestOf(error as Problem)
      if (!signature) throw error
      setSignatureRequest(signature)
    }
  })
  return { ...action, signature_request }
}
