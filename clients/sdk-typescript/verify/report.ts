// Verifies a compliance report offline: as JSON, CSV or PDF, all of which contain its attestation in one piece.
import { fromBase64url, utf8 } from './bytes.ts'
import { isObject } from './fault.ts'
import { readKey } from './note.ts'

const file_chars_max = 16 * 1024 * 1024
const jws_form = /eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}(?![A-Za-z0-9_-])/
const algorithm = 'EdDSA'
const type = 'svc-report+jws'

/** What was signed, or why it is not to be believed. */
export type ReportVerdict =
  | { ok: true; report: Readonly<Record<string, unknown>> }
  | { ok: false; reason: string }

/**
 * Checks that a compliance report was signed by an organization's audit log. `file` is the answer of `MAX compliance_report`, or its
 * CSV or PDF. `keys` are public keys of the log that you trust, in base64url. Never throws. What counts is the returned report:
 * the rest of a file is for people, and is not signed.
 */
export async function verifyReport(
  file: string | Uint8Array,
  keys: readonly string[],
): Promise<ReportVerdict> {
  const text = typeof file === 'string' ? file : new TextDecoder('latin1').decode(file)
  if (text.length > file_chars_max) return { ok: false, reason: 'the file is too large for a report' }
  const jws = jws_form.exec(text)?.[0]
  if (jws === undefined) return { ok: false, reason: 'the file has no attestation of a report' }
  const [header_text = '', payload_text = '', signature_text = ''] = jws.split('.')
  try {
    const [header, report] = [parsed(header_text), parsed(payload_text)]
    if (!isObject(header) || header.alg !== algorithm || header.typ !== type || !isObject(report))
      return { ok: false, reason: 'the attestation is not that of a report' }
    const signed = utf8(`${header_text}.${payload_text}`)
    for (const key of keys) {
      const { isSigned } = await readKey('report', key)
      if (await isSigned(signed, fromBase64url(signature_text)!)) return { ok: true, report }
    }
    return { ok: false, reason: 'it is not signed with a key you trust' }
  } catch (error) {
    return { ok: false, reason: `the attestation cannot be read: ${(error as Error).message}` }
  }
}

function parsed(part: string): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(fromBase64url(part)))
}
