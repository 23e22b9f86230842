import { Button, Input } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Field } from '../../parts/field.tsx'
import { TextView } from '../../parts/json-view.tsx'
import type { OwnSignature, SignatureRequest } from './signature-request.ts'
import type { SignedAction } from './use-signed-action.ts'

/** Shown once the engine requires a signature; a new text resets the form. */
export function OwnSignatureForm({ action }: { action: SignedAction }) {
  const { signature_request, is_waiting, run } = action
  if (!signature_request) return null
  return (
    <SignaturePaste
      key={signature_request.text}
      request={signature_request}
      is_waiting={is_waiting}
      onSigned={(own) => void run(own)}
    />
  )
}

interface Props {
  readonly request: SignatureRequest
  readonly is_waiting: boolean
  onSigned(own: OwnSignature): void
}

/** For callers who hold their own key; the private key never reaches this page. */
function SignaturePaste({ request, is_waiting, onSigned }: Props) {
  const [signature, setSignature] = useState('')
  const [public_key, setPublicKey] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { timestamp } = request
    onSigned({
      signature: signature.trim(),
      public_key: public_key.trim(),
      ...(timestamp === undefined ? {} : { timestamp }),
    })
  }
  return (
    <section className="note" aria-label="Your own signature">
      <p role="status">
        The engine holds no key of yours. Sign exactly this text with your Ed25519 key and paste the signature
        here.
      </p>
      <TextView label="Text to sign" text={request.text} />
      <form onSubmit={submit}>
        <Field label="Signature" hint="64 bytes in base64url: 86 characters.">
          {(ids) => (
            <Input
              {...ids}
              required
              pattern="\s*[A-Za-z0-9_\-]{86}\s*"
              value={signature}
              onChange={({ target }) => setSignature(target.value)}
            />
          )}
        </Field>
        <Field label="Public key" hint="32 bytes in base64url: 43 characters.">
          {(ids) => (
            <Input
              {...ids}
              required
              pattern="\s*[A-Za-z0-9_\-]{43}\s*"
              value={public_key}
              onChange={({ target }) => setPublicKey(target.value)}
            />
          )}
        </Field>
        <Button type="submit" disabled={is_waiting}>
          Send the signature
        </Button>
      </form>
    </section>
  )
}
