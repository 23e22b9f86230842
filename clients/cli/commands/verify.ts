// svc verify: checks a proof or an audit log locally, using only the file and what the reader trusts.
import { verifyProof } from '@svc/sdk/verify/proof'
import { readSmallFile, splitLines, watchedFile } from '../audit/file.ts'
import { requireKeys } from '../audit/pin.ts'
import { printProof, proof_bytes_max, proofIn } from '../audit/proof.ts'
import { printVerdict, tellPinUsed } from '../audit/verdict-text.ts'
import { readNotes, verifyLines } from '../audit/verify.ts'
import type { Command, Flags, Terminal } from '../command.ts'
import { UsageError, verdictExit } from '../exit.ts'
import { formatOf } from '../output/output.ts'

export const verify: Command = {
  summary: 'Check a proof or an exported audit log offline.',
  usage: 'verify <file> [flags]',
  help: `
  <file>                 an answer of MAZE prove, or an exported audit log; - for standard input
  --key <key>            a public key you trust for the organization, base64url; may be repeated
  --checkpoint <file>    a signed note you kept earlier; may be repeated

A proof shows that a record is in the log, that the log was only extended, or the content of a range. It proves
something only if a key or a checkpoint you trust vouches for it. An exported log is also compared with the
key that svc audit verify pinned for your engine and tenant.
Exit code 0: verified. 8: consistent, but nothing you trust vouches for it. 1: invalid.

Examples
  svc invoke MAZE prove --input '{"kind": "consistency", "first": 0}' > proof.json
  svc verify proof.json --key "$KEY"
  svc verify audit-log.jsonl --key "$KEY"
`,
  flags: {
    key: { type: 'string', multiple: true },
    checkpoint: { type: 'string', multiple: true },
  },
  async run([file, ...more], flags, terminal) {
    if (file === undefined || more.length > 0)
      throw new UsageError('Name one file: svc verify proof.json, or svc verify - for standard input.')
    const format = formatOf(flags, 'human')
    const checkpoints = await readNotes(textsOf(flags, 'checkpoint'))
    const keys = textsOf(flags, 'key')
    requireKeys(keys)
    const text = await textOf(file, terminal)
    const proof = text === undefined ? undefined : proofIn(text)
    if (proof !== undefined) {
      const verdict = await verifyProof(proof, { checkpoints, trustedKeys: keys })
      await printProof(verdict, format, terminal)
      return verdictExit({ ok: verdict.ok, verified: verdict.vouched })
    }
    const lines = file === '-' ? splitLines([text!]) : watchedFile(file, terminal)
    const judged = await verifyLines(lines, { checkpoints, keys }, flags, terminal)
    await printVerdict(judged, 'file', format, terminal)
    tellPinUsed(judged, terminal)
    return verdictExit(judged.verdict)
  },
}

/** Undefined for a file too large to be a proof; that is read line by line. */
async function textOf(file: string, terminal: Terminal): Promise<string | undefined> {
  return file === '-' ? await terminal.readStdin() : await readSmallFile(file, proof_bytes_max)
}

function textsOf(flags: Flags, name: string): string[] {
  const value = flags[name]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
